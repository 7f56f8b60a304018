//! `unreadable`

use crate::finding::{Check, Level, Rule};
use crate::plan::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: "unreadable",
    level: Level::Error,
    summary: "a manifest that Argo CD cannot read",
    why: "Argo CD reads all manifests of an Application or none: one broken document ends in `ComparisonError`, and nothing is \
          synced. `generate` refuses it with its place. Findings in the rest of the file are not looked for. A document also counts as \
          unreadable when it brings the aliases of all manifests together to more than 6 MiB, the limit of the plugin.",
    fix: "Mend the document, or leave the file out with `exclude` if it is no manifest.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/directory/",
    check: Check::Problem(&[ProblemKind::Unreadable, ProblemKind::Empty]),
};
