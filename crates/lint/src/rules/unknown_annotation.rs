//! `unknown-annotation`

use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;
use text::spelling;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unknown-annotation",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Warning,
    summary: "an annotation that Argo CD does not have",
    why: "Argo CD reads the annotations it knows and does not report others. `argocd.argoproj.io/hook-weight` is \
          often written by analogy with Helm, but does not exist: hooks are ordered by \
          `argocd.argoproj.io/sync-wave`.\n\n\
          On a Job or hook, every annotation with the prefix `argocd.argoproj.io/` that Argo CD 3.5 does not read gives the \
          finding; on other objects, only one that looks like an annotation that it reads.",
    fix: "Write the annotation that Argo CD reads, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/",
    example: super::example!("unknown-annotation"),
    check: Check::Objects(check),
};

const PREFIX: &str = "argocd.argoproj.io/";

/// The annotations of Argo CD that change how an object is synced.
const KNOWN: [&str; 5] =
    [argocd::HOOK, argocd::HOOK_DELETE_POLICY, argocd::SYNC_WAVE, argocd::SYNC_OPTIONS, argocd::COMPARE_OPTIONS];

/// What else Argo CD reads or writes in the annotations of objects, and its operator (`common/common.go`, `gitops-engine/pkg/sync/common/types.go`,
/// `pkg/apis/application/v1alpha1/application_annotations.go`, Argo CD 3.5).
const OTHERS: [&str; 17] = [
    "application-set-refresh",
    "client-side-apply-migration-manager",
    "deletion-approved",
    "hook-finalizer",
    "hydrate",
    "ignore-default-links",
    "ignore-differences",
    "ignore-healthcheck",
    "ignore-resource-updates",
    "ignore-restart-policy",
    "installation-id",
    "managed-by",
    "managed-by-url",
    "manifest-generate-paths",
    "refresh",
    "skip-reconcile",
    "tracking-id",
];

/// Wrong annotations that people write, and the right ones, if the spelling is too different to be guessed.
const INVENTED: [(&str, &str); 5] = [
    ("argocd.argoproj.io/hook-weight", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/hook-wave", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/wave", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/hook-phase", argocd::HOOK),
    ("argocd.argoproj.io/delete-policy", argocd::HOOK_DELETE_POLICY),
];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().flat_map(|(index, object)| of_object(index, object)).take(context.most).collect()
}

fn of_object(index: usize, object: &Object) -> impl Iterator<Item = Diagnostic> {
    let keys = object.annotations().into_iter().flat_map(|annotations| annotations.keys());
    let runs = Context::runs(object);
    let help = move |key: &str| match meant(key) {
        Some(meant) => Some(format!("use `{meant}` instead")),
        None => (runs && is_invented(key)).then(|| "remove it".to_owned()),
    };
    let unknown = keys.filter_map(move |key| Some((key, help(key)?)));
    unknown.map(move |(key, help)| {
        let message = format!("Argo CD has no annotation `{key}`, so it has no effect");
        Diagnostic::on_annotation(index, key, message, help).at_key()
    })
}

/// Whether a key has Argo CD's prefix, and Argo CD does not know it.
fn is_invented(key: &str) -> bool {
    key.strip_prefix(PREFIX).is_some_and(|own| !OTHERS.contains(&own)) && !KNOWN.contains(&key)
}

/// The annotation that was meant by a misspelling or a plural.
pub(crate) fn meant(key: &str) -> Option<&'static str> {
    let own = key.strip_prefix(PREFIX)?;
    if let Some((_, meant)) = INVENTED.into_iter().find(|(invented, _)| *invented == key) {
        return Some(meant);
    }
    let found = own.replace("policies", "policy").replace("deletion", "delete");
    let same = KNOWN.into_iter().find(|known| {
        let known = known.trim_start_matches(PREFIX);
        let singular = |text: &str| text.trim_end_matches('s').to_owned();
        spelling::alike(&singular(&found), [singular(known).as_str()]).is_some() || singular(&found) == singular(known)
    });
    let near = || {
        let names = KNOWN.map(|known| known.trim_start_matches(PREFIX));
        let name = spelling::nearest(own, names)?;
        KNOWN.into_iter().find(|known| known.strip_prefix(PREFIX) == Some(name.as_str()))
    };
    same.or_else(near).filter(|known| *known != key)
}
