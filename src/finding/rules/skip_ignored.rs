//! `skip-ignored`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "skip-ignored",
    level: Level::Warning,
    summary: "`Skip` beside a phase does not count: the hook runs",
    why: "`Skip` keeps an object out of the sync only when it is the only hook type. Beside a phase Argo CD leaves it \
          out (`gitops-engine/pkg/sync/hook/hook.go`).",
    fix: "Write `Skip` alone, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let skipped = context.objects().filter(|(_, object)| object.items(argocd::HOOK).contains(&"Skip"));
    let running = skipped.filter_map(|(index, object)| Some((index, object, *object.phases().first()?)));
    running
        .map(|(index, object, phase)| {
            let phase = phase.as_str();
            let message = format!("`Skip` does not count beside `{phase}`: the {} runs", object.kind());
            Diagnostic::on_annotation(index, argocd::HOOK, message, format!("write `Skip` alone, or `{phase}` alone"))
        })
        .collect()
}
