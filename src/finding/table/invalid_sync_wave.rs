//! `invalid-sync-wave`

use crate::argocd;
use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::kubernetes::Object;

pub(super) const ROW: Row = Row {
    id: "invalid-sync-wave",
    level: Level::Warning,
    summary: "a sync wave or hook weight that is no whole number",
    why: "Argo CD reads the wave with Go's `strconv.Atoi`: no white space, no point, no unit. What that refuses \
          counts as absent: then Helm's weight decides, else the wave is 0 \
          (`gitops-engine/pkg/sync/syncwaves/waves.go`).",
    fix: "Write a whole number, in quotes.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    look.objects().filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Remark> {
    let read = |key| object.annotation(key).map(|text| (text, argocd::wave(text)));
    let (key, text) = match (read(argocd::SYNC_WAVE), read(argocd::HELM_HOOK_WEIGHT)) {
        (Some((text, None)), _) => (argocd::SYNC_WAVE, text),
        (None, Some((text, None))) => (argocd::HELM_HOOK_WEIGHT, text),
        _ => return None,
    };
    let message = format!("the wave `{text}` is no whole number: Argo CD takes {} instead", object.wave());
    Some(Remark::on_annotation(index, key, message, "write a whole number in quotes, such as `\"-1\"`"))
}
