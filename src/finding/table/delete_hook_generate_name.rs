//! `delete-hook-generate-name`

use crate::finding::{Judge, Level, Look, Remark, Row};
use crate::path;

pub(super) const ROW: Row = Row {
    id: "delete-hook-generate-name",
    level: Level::Error,
    summary: "`generateName` on a hook that runs when the Application is deleted",
    why: "Argo CD looks for its PreDelete and PostDelete hooks by name. One without a name is never found, so that it \
          is created again on every pass while the Application is being deleted \
          (`controller/hook.go`). `argocd-jobs` leaves such hooks alone.",
    fix: "Write `metadata.name` instead.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    judge: Judge::Objects(judge),
};

fn judge(look: &Look<'_>) -> Vec<Remark> {
    let nameless = look.objects().filter(|(_, object)| object.is_delete_hook() && object.name().is_none());
    let generated = nameless.filter_map(|(index, object)| Some((index, object, object.generate_name()?)));
    generated
        .map(|(index, object, prefix)| {
            let message = format!(
                "`generateName: {prefix}` on a hook for deletion: the {} is created again and again, and never found",
                object.kind()
            );
            Remark::at(index, path!["metadata", "generateName"], message, "write `metadata.name`")
        })
        .collect()
}
