//! `unused-ignore`

use crate::{Check, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unused-ignore",
    theme: super::Theme::Settings,
    since: "0.1.0",
    level: Level::Info,
    summary: "a comment or annotation that should ignore a finding, but ignores none",
    why: "The finding is gone, or the comment or annotation never worked: its id is unknown, an annotation has no \
          reason, or it is on another line than the finding. If you leave it there, it hides the next finding in the \
          same place. `ignore` in the config file is for many Jobs, and may match nothing.",
    fix: "Remove it, or correct its id. A comment must be on the line that `check` reports, or alone on the line \
          above.",
    link: "https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/",
    example: super::example!("unused-ignore"),
    check: Check::Ignores,
};
