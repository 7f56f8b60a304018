//! `invalid-sync-wave`

use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "invalid-sync-wave",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a sync wave or hook weight that is not an integer",
    why: "Argo CD parses the wave with Go's `strconv.Atoi`: no white space, no decimal point, no unit. A value that \
          this rejects counts as missing: then Helm's weight applies, and without one the wave is 0 \
          (`gitops-engine/pkg/sync/syncwaves/waves.go`).",
    fix: "Write an integer, in quotes.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    example: super::example!("invalid-sync-wave"),
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
    let message = format!("the sync wave `{text}` is not an integer: Argo CD uses wave {} instead", object.wave());
    Some(Diagnostic::on_annotation(
        index,
        key,
        message,
        format!("set `{key}` to an integer in quotes, such as `\"-1\"`"),
    ))
}
