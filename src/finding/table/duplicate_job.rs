//! `duplicate-job`

use crate::finding::{Judge, Level, Row};
use crate::plan::ProblemKind;

pub(super) const ROW: Row = Row {
    id: "duplicate-job",
    level: Level::Error,
    summary: "two Jobs of one namespace and name",
    why: "Argo CD knows objects by group, kind, namespace and name, and of two with one key it keeps the last \
          (`RepeatedResourceWarning`; `controller/state.go`). Which one is the last depends on the order of the files. The other \
          Job never runs.",
    fix: "Rename one of them. Where both are wanted as they stand, set the annotation `argocd-jobs/strategy: keep` on one.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    judge: Judge::Problem(&[ProblemKind::DuplicateJob]),
};
