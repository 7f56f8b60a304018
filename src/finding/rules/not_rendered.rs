//! `not-rendered`

use crate::finding::{Check, Level, Rule};

pub(in crate::finding) const RULE: Rule = Rule {
    id: "not-rendered",
    level: Level::Warning,
    summary: "a folder that cannot be rendered or read, so that nothing is known about its Jobs",
    why: "When `check` or `preview` looks at several folders, one that fails does not stop the others. Perhaps Helm or kustomize \
          failed, a tool is missing, the network is needed, or a setting is wrong. Its Jobs were not looked at: that there are no \
          findings about them says nothing.",
    fix: "Run `check` on the folder alone, which shows the whole error. What needs the network is rendered with `--network allow`; \
          what needs the values of an Application, with `--application`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/tool_detection/",
    check: Check::Sources,
};
