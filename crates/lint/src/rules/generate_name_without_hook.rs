//! `generate-name-without-hook`

use goyaml::path;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "generate-name-without-hook",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "`generateName` on an object that is not a hook",
    why: "Argo CD uses `kubectl apply`, which rejects an object without a name: `cannot use generate name with \
          apply`. This happens in the dry run and fails the whole sync (`gitops-engine/pkg/sync/sync_context.go`). \
          With `Replace=true` the object is created instead, a new one at every sync. Because no live object ever has the \
          name that Argo CD looks for, the Application stays OutOfSync forever (`controller/state.go`).\n\n\
          The level is warning for other kinds than Job where no Application is known: a run of Tekton or a Workflow may be a file \
          for `kubectl create`.",
    fix: "Set `metadata.name`, or make the object a hook, whose name Argo CD itself generates. With the plugin, the strategy \
          `generate-name` makes a Job a hook, and `hash-name` gives it a name; `auto` chooses the first. Objects of other kinds \
          stay as they are.",
    link: "https://github.com/argoproj/argo-cd/issues/1639",
    example: super::example!("generate-name-without-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let nameless = context.ordinary_objects().filter(|(_, object)| object.name().is_none());
    let generated = nameless.filter_map(|(index, object)| Some((index, object, object.generate_name()?)));
    let is_of_all = context.has_application_option("Replace=true");
    let application = context.survey.application;
    let is_deployed = application.name.is_some() || application.sync.is_some();
    generated
        .map(|(index, object, prefix)| {
            let kind = object.kind();
            let outcome = match is_of_all || object.has_sync_option("Replace=true") {
                true => format!("every sync creates a new {kind}, and the Application stays OutOfSync forever"),
                false => "it cannot be applied, and the whole sync fails".to_owned(),
            };
            let message = format!("`generateName: {prefix}` on a {kind} that is not a hook: {outcome}");
            let help = format!("set `metadata.name` on the {kind} instead of `metadata.generateName`");
            let help = match object.is_job() {
                true => Help::from(help).with_plugin("use the strategy `generate-name` or `hash-name`"),
                false => format!("{help}, or make it a hook with `argocd.argoproj.io/hook`").into(),
            };
            // Tekton runs and Workflows are often files for `kubectl create`, in a folder that no Application uses.
            let level = if object.is_job() || is_deployed { Level::Error } else { Level::Warning };
            Diagnostic::at(index, path!["metadata", "generateName"], message, help).at_level(level)
        })
        .collect()
}
