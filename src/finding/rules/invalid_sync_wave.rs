//! `invalid-sync-wave`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;

pub(super) const RULE: Rule = Rule {
    id: "invalid-sync-wave",
    level: Level::Warning,
    summary: "a sync wave or hook weight that is no whole number",
    why: "Argo CD reads the wave with Go's `strconv.Atoi`: no white space, no point, no unit. What that refuses \
          counts as absent: then Helm's weight decides, else the wave is 0 \
          (`gitops-engine/pkg/sync/syncwaves/waves.go`).",
    fix: "Write a whole number, in quotes.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let read = |key| object.annotation(key).map(|text| (text, argocd::wave(text)));
    let (key, text) = match (read(argocd::SYNC_WAVE), read(argocd::HELM_HOOK_WEIGHT)) {
        (Some((text, None)), _) => (argocd::SYNC_WAVE, text),
        (None, Some((text, None))) => (argocd::HELM_HOOK_WEIGHT, text),
        _ => return None,
    };
    let message = format!("the wave `{text}` is no whole number: Argo CD takes {} instead", object.wave());
    Some(Diagnostic::on_annotation(index, key, message, "write a whole number in quotes, such as `\"-1\"`"))
}
