//! `generate-name-without-hook`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "generate-name-without-hook",
    level: Level::Error,
    summary: "`generateName` on a Job that is no hook",
    why: "`kubectl apply`, which Argo CD uses, refuses an object without a name: `cannot use generate name with \
          apply`. That ends the whole sync in its dry run (`gitops-engine/pkg/sync/sync_context.go`). With \
          `Replace=true` the Job is created instead, a new one at every sync, and as nothing live ever has the name \
          Argo CD looks for, the Application stays OutOfSync for ever (`controller/state.go`).",
    fix: "Use the strategy `generate-name`, which makes it a hook, or `hash-name`, which gives it a name; `auto` \
          chooses the first. Or write `metadata.name`.",
    link: "https://github.com/argoproj/argo-cd/issues/1639",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let nameless = context.ordinary_jobs().filter(|(_, job)| job.name().is_none());
    let generated = nameless.filter_map(|(index, job)| Some((index, job, job.generate_name()?)));
    generated
        .map(|(index, job, prefix)| {
            let outcome = match job.has_sync_option("Replace=true") {
                true => "every sync creates a new one, and the Application stays OutOfSync for ever",
                false => "it cannot be applied, and the whole sync fails",
            };
            let message = format!("`generateName: {prefix}` on a Job that is no hook: {outcome}");
            let help = "use the strategy `generate-name` or `hash-name`, or write `metadata.name`";
            Diagnostic::at(index, path!["metadata", "generateName"], message, help)
        })
        .collect()
}
