//! `duplicate-job`

use std::collections::HashMap;

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;
use crate::plan::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: "duplicate-job",
    level: Level::Error,
    summary: "two Jobs of one namespace and name",
    why: "Argo CD knows objects by group, kind, namespace and name, and of two with one key it keeps the last \
          (`RepeatedResourceWarning`; `controller/state.go`). Which one is the last depends on the order of the files. The other \
          Job never runs.",
    fix: "Rename one of them. `generate` prints nothing as long as one of them is to be rewritten; with `argocd-jobs/strategy: keep` \
          on one it is left as it is, and the other one may get a name of its own.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    check: Check::ObjectsOrProblem(check, &[ProblemKind::DuplicateJob]),
};

/// For those that `generate` refuses, the message of the plan is used.
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
            let message = format!("two Jobs have the name `{name}`, and Argo CD keeps the last one{place}");
            let diagnostic = Diagnostic::at(index, path.clone(), message, "rename one of them").with(first, path);
            diagnostics.push(diagnostic.solved_by("another name"));
        }
    }
    diagnostics
}
