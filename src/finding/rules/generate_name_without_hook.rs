//! `generate-name-without-hook`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "generate-name-without-hook",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "`generateName` on a Job that is not a hook",
    why: "Argo CD uses `kubectl apply`, which rejects an object without a name: `cannot use generate name with \
          apply`. This happens in the dry run and fails the whole sync (`gitops-engine/pkg/sync/sync_context.go`). \
          With `Replace=true` the Job is created instead, a new one at every sync. Because no live Job ever has the \
          name that Argo CD looks for, the Application stays OutOfSync forever (`controller/state.go`).",
    fix: "Set `metadata.name`. Or, with the plugin, use the strategy `generate-name`, which makes the Job a hook, or \
          `hash-name`, which gives it a name; `auto` chooses the first.",
    link: "https://github.com/argoproj/argo-cd/issues/1639",
    example: super::example!("generate-name-without-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let nameless = context.ordinary_jobs().filter(|(_, job)| job.name().is_none());
    let generated = nameless.filter_map(|(index, job)| Some((index, job, job.generate_name()?)));
    let is_of_all = context.has_application_option("Replace=true");
    generated
        .map(|(index, job, prefix)| {
            let outcome = match is_of_all || job.has_sync_option("Replace=true") {
                true => "every sync creates a new Job, and the Application stays OutOfSync forever",
                false => "it cannot be applied, and the whole sync fails",
            };
            let message = format!("`generateName: {prefix}` on a Job that is not a hook: {outcome}");
            let help = "set `metadata.name` on the Job instead of `metadata.generateName`; or, with the plugin, use the strategy \
                        `generate-name` or `hash-name`";
            Diagnostic::at(index, path!["metadata", "generateName"], message, help)
        })
        .collect()
}
