//! `refused`

use crate::finding::{Check, Level, Rule};
use crate::plan::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: "refused",
    level: Level::Error,
    summary: "a Job that its strategy cannot write, or an annotation that cannot be understood",
    why: "`generate` prints nothing at all when one Job cannot be written, so that no migration is lost in silence: Argo CD shows \
          this message and the Application stays as it is.",
    fix: "Do what the `help:` line says.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/",
    check: Check::Problem(&[ProblemKind::Refused, ProblemKind::Setting]),
};
