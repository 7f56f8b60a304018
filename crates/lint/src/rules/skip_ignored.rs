//! `skip-ignored`

use kube_jobs::argocd;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "skip-ignored",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`Skip` next to a phase: `Skip` is ignored, and the hook runs",
    why: "`Skip` keeps a resource out of the sync only if it is the only hook type. Next to a phase, Argo CD ignores \
          it (`gitops-engine/pkg/sync/hook/hook.go`).",
    fix: "Write `Skip` alone, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("skip-ignored"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let skipped = context.objects().filter(|(_, object)| object.items(argocd::HOOK).contains(&"Skip"));
    let running = skipped.filter_map(|(index, object)| Some((index, object, *object.phases().first()?)));
    running
        .map(|(index, object, phase)| {
            let phase = phase.as_str();
            let message = format!("`Skip` is ignored next to `{phase}`: the {} is applied", object.kind());
            let help = format!("write `Skip` alone, or `{phase}` alone, in `{}`", argocd::HOOK);
            Diagnostic::on_annotation(index, argocd::HOOK, message, help).at_word("Skip")
        })
        .collect()
}
