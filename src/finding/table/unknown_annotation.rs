//! `unknown-annotation`

use crate::argocd;
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Object;
use crate::text::spelling;

pub(super) const ROW: Row = Row {
    id: "unknown-annotation",
    level: Level::Warning,
    summary: "an annotation that Argo CD does not have, and that is meant for one it has",
    why: "Argo CD reads the annotations it knows and says nothing about others. `argocd.argoproj.io/hook-weight` is often \
          written after the pattern of Helm, and does not exist: hooks are ordered by `argocd.argoproj.io/sync-wave`.",
    fix: "Write the annotation that is meant.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/",
    judge: Judge::Objects(judge),
};

const PREFIX: &str = "argocd.argoproj.io/";

/// Those that change how an object is synced.
const KNOWN: [&str; 5] =
    [argocd::HOOK, argocd::HOOK_DELETE_POLICY, argocd::SYNC_WAVE, argocd::SYNC_OPTIONS, argocd::COMPARE_OPTIONS];

/// What people write, though no spelling leads there, and what they mean.
const INVENTED: [(&str, &str); 5] = [
    ("argocd.argoproj.io/hook-weight", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/hook-wave", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/wave", argocd::SYNC_WAVE),
    ("argocd.argoproj.io/hook-phase", argocd::HOOK),
    ("argocd.argoproj.io/delete-policy", argocd::HOOK_DELETE_POLICY),
];

fn judge(look: &Look<'_>) -> Vec<Remark> {
    look.objects().flat_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Vec<Remark> {
    let keys = object.annotations().into_iter().flat_map(|annotations| annotations.keys());
    let unknown = keys.filter_map(|key| Some((key, meant(key)?)));
    unknown
        .map(|(key, meant)| {
            let message = format!("Argo CD has no annotation `{key}`: it has no effect");
            Remark::on_annotation(index, key, message, format!("write `{meant}`"))
        })
        .collect()
}

/// The annotation that another spelling of it, or a plural, is meant for.
fn meant(key: &str) -> Option<&'static str> {
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
    same.filter(|known| *known != key)
}
