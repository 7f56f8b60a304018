//! `duplicate-job`

use std::collections::HashMap;

use goyaml::path;
use rewrite::plan::ProblemKind;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "duplicate-job",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "two Jobs with the same namespace and name",
    why: "Argo CD identifies resources by group, kind, namespace and name. Of two resources with the same identity \
          it keeps the last one (`RepeatedResourceWarning`; `controller/state.go`). Which one is the last depends on \
          the order of the files. The other Job never runs.",
    fix: "Rename one of the two Jobs. Until you do, `generate` fails and prints nothing if the plugin would rewrite \
          one of them.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    example: super::example!("duplicate-job"),
    check: Check::ObjectsOrProblem(check, &[ProblemKind::DuplicateJob]),
};

/// Where the plan refuses the Jobs too, the message of the plan replaces this one.
fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let mut diagnostics = Vec::new();
    for (index, job) in context.jobs() {
        let Some(name) = job.name() else { continue };
        let first = *seen.entry((context.survey.namespace(job), name)).or_insert(index);
        if first != index {
            let path = path!["metadata", "name"];
            let place =
                context.place(first, &path).map(|place| format!("; the other one is at {place}")).unwrap_or_default();
            let message = format!("two Jobs have the name `{name}`, and Argo CD keeps only the last one{place}");
            let diagnostic =
                Diagnostic::at(index, path.clone(), message, "rename one of the two Jobs").with(first, path);
            diagnostics.push(diagnostic.solved_by("another name"));
        }
    }
    diagnostics
}
