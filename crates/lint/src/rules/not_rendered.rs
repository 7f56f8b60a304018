//! `not-rendered`

use crate::{Check, Level, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "not-rendered",
    theme: super::Theme::Settings,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a folder that could not be rendered or read, so nothing is known about its Jobs",
    why: "When `check` or `preview` looks at several folders, one that fails does not stop the others. Perhaps Helm \
          or kustomize failed, a tool is missing, the network is needed, or a setting is wrong. The Jobs of this \
          folder were not checked, so the absence of findings says nothing about them.",
    fix: "Run `check` on this folder alone to see the whole error. If it needs the network, add `--network allow`; \
          if it needs the values of an Application, add `--application`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/tool_detection/",
    example: super::example!("not-rendered").config(&["strategy: hash"], &["strategy: hash-name"]).note(
        "This is a wrong setting. A chart that Helm cannot render, a kustomization with a missing file and a missing tool give the \
         same finding.",
    ),
    check: Check::Sources,
};
