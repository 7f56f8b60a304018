//! `generate-name-ignored`

use goyaml::path;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "generate-name-ignored",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Info,
    summary: "`generateName` beside `name`: only the name counts",
    why: "The API server generates a name only for an object that has none (`BeforeCreate` in \
          `staging/src/k8s.io/apiserver/pkg/registry/rest/create.go`), and Argo CD builds one only for a hook that has none \
          (`gitops-engine/pkg/sync/sync_context.go`). With both fields the name is always the same. A hook is then deleted and \
          recreated at every sync, as its delete policy says, and the first change to an ordinary Job fails.\n\n\
          This finding leaves out a name that was generated from this `generateName`.",
    fix: "Remove the one that you do not mean. With `generateName` alone the object must be a hook: Argo CD cannot apply an ordinary \
          object without a name.",
    link: "https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values",
    example: super::example!("generate-name-ignored"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let runs = context.objects().filter(|(_, object)| object.is_job() || object.is_running_hook());
    let found = runs.filter_map(|(index, object)| {
        let (name, prefix) = (object.name()?, object.generate_name()?);
        if context.base_name(index, object).is_some_and(|name| name.starts_with(prefix)) {
            return None;
        }
        let kind = object.kind();
        let message = format!("`generateName: {prefix}` has no effect, because the {kind} has a name: `{name}`");
        let help = match object.is_hook() {
            true => "remove `name` for a new name at each sync, or else `generateName`",
            false => "remove `generateName`",
        };
        Some(Diagnostic::at(index, path!["metadata", "generateName"], message, help))
    });
    found.collect()
}
