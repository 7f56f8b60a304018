//! `skip-ignored`

use crate::argocd;
use crate::finding::{Judge, Level, Look, Remark, Row};

pub(super) const ROW: Row = Row {
    id: "skip-ignored",
    level: Level::Warning,
    summary: "`Skip` beside a phase does not count: the hook runs",
    why: "`Skip` keeps an object out of the sync only when it is the only hook type. Beside a phase Argo CD leaves it \
          out (`gitops-engine/pkg/sync/hook/hook.go`).",
    fix: "Write `Skip` alone, or remove it.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let skipped = look.objects().filter(|(_, object)| object.items(argocd::HOOK).contains(&"Skip"));
    let running = skipped.filter_map(|(index, object)| Some((index, object, *object.phases().first()?)));
    running
        .map(|(index, object, phase)| {
            let phase = phase.as_str();
            let message = format!("`Skip` does not count beside `{phase}`: the {} runs", object.kind());
            Remark::on_annotation(index, argocd::HOOK, message, format!("write `Skip` alone, or `{phase}` alone"))
        })
        .collect()
}
