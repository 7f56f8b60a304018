//! `refused`

use rewrite::plan::ProblemKind;

use crate::{Check, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "refused",
    theme: super::Theme::Settings,
    since: "0.1.0",
    level: Level::Error,
    summary: "a Job that its strategy cannot rewrite, an invalid `argocd-jobs/*` annotation, or no resource at all",
    why: "If one Job cannot be rewritten, `generate` prints nothing at all, so that no migration is lost silently: \
          Argo CD shows this message, and the Application stays as it is.\n\n\
          `generate` also refuses an output without any resource. Argo CD itself accepts one, for example from an \
          empty folder, and with prune it then deletes everything that the Application has.",
    fix: "Do what the `help:` line says.",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/",
    example: super::example!("refused"),
    check: Check::Problem(&[ProblemKind::Refused, ProblemKind::Setting, ProblemKind::Empty]),
};
