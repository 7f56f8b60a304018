//! `delete-hook-generate-name`

use goyaml::path;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "delete-hook-generate-name",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "`generateName` on a hook that runs when the Application is deleted",
    why: "Argo CD looks up its PreDelete and PostDelete hooks by name. It never finds one that has only a \
          `generateName`, so it creates another one on every pass while the Application is being deleted \
          (`controller/hook.go`). `argocd-jobs` does not rewrite such hooks.",
    fix: "Set `metadata.name` instead of `metadata.generateName`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("delete-hook-generate-name"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let nameless = context.objects().filter(|(_, object)| object.is_delete_hook() && object.name().is_none());
    let generated = nameless.filter_map(|(index, object)| Some((index, object, object.generate_name()?)));
    generated
        .map(|(index, object, prefix)| {
            let kind = object.kind();
            let message = format!(
                "`generateName: {prefix}` on a hook that runs on deletion: Argo CD never finds the {kind} and creates it again and again"
            );
            let help = format!("set `metadata.name` on the {kind} instead of `metadata.generateName`");
            Diagnostic::at(index, path!["metadata", "generateName"], message, help)
        })
        .collect()
}
