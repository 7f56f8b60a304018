//! `unused-ignore`

use crate::finding::{Check, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unused-ignore",
    level: Level::Info,
    summary: "a comment or an annotation that wants a finding ignored, and ignores none",
    why: "It was for a finding that is gone, or never worked: its id is unknown, an annotation gives no reason, or it stands at \
          another line than the finding. One that is left behind hides the next finding there. `ignore` in the config file is \
          for many Jobs, and may find nothing.",
    fix: "Remove it, or correct its id. A comment has to stand on the line that `check` names, or alone on the line above.",
    link: "https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/",
    check: Check::Ignores,
};
