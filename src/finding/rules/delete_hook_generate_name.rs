//! `delete-hook-generate-name`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "delete-hook-generate-name",
    level: Level::Error,
    summary: "`generateName` on a hook that runs when the Application is deleted",
    why: "Argo CD looks for its PreDelete and PostDelete hooks by name. One without a name is never found, so that it \
          is created again on every pass while the Application is being deleted \
          (`controller/hook.go`). `argocd-jobs` leaves such hooks alone.",
    fix: "Write `metadata.name` instead.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let nameless = context.objects().filter(|(_, object)| object.is_delete_hook() && object.name().is_none());
    let generated = nameless.filter_map(|(index, object)| Some((index, object, object.generate_name()?)));
    generated
        .map(|(index, object, prefix)| {
            let message = format!(
                "`generateName: {prefix}` on a hook for deletion: the {} is created again and again, and never found",
                object.kind()
            );
            Diagnostic::at(index, path!["metadata", "generateName"], message, "write `metadata.name`")
        })
        .collect()
}
