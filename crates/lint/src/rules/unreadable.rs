//! `unreadable`

use rewrite::plan::ProblemKind;

use crate::{Check, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unreadable",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Error,
    summary: "a manifest that Argo CD cannot read",
    why: "Argo CD reads all manifests of an Application or none: one broken document ends in `ComparisonError`, and \
          nothing is synced. `generate` fails and prints the place. The rest of the file is not checked. A document \
          also counts as unreadable if it exceeds a limit of the plugin: 500,000 keys and values or 16 MiB (a Job: 50,000 \
          or 8 MiB), or, with its aliases, 6 MiB for the aliases of all manifests together. All manifests may have 100,000 \
          objects.",
    fix: "Fix the document, or leave the file out with `exclude` if it is not a manifest.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/directory/",
    example: super::example!("unreadable"),
    check: Check::Problem(&[ProblemKind::Unreadable, ProblemKind::NotRead, ProblemKind::Excess]),
};
