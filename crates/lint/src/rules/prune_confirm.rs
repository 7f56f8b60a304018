//! `prune-confirm`

use kube_jobs::argocd::{self, Pruning};
use kube_jobs::kubernetes::Job;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "prune-confirm",
    theme: super::Theme::Updates,
    since: "0.1.0",
    level: Level::Warning,
    summary: "`Prune=confirm` on a Job that gets a new name at each change: every such sync waits for a confirmation",
    why: "Under `hash-name` a changed Job has a new name, and the earlier Job is pruned. With `Prune=confirm` the sync \
          waits until somebody confirms that, with the state `Waiting for pruning confirmation`. It waits before it \
          creates the new Job, and with `PruneLast=true` after that Job has run. It does so at each change \
          (`objRequiresPruneConfirmation` in `gitops-engine/pkg/sync/sync_context.go`).\n\n\
          Since Argo CD 3.4, `Prune=confirm` in the `syncOptions` of an Application holds for every resource \
          without a `Prune` option of its own; only `check --application` can see it there.",
    fix: "Write `Prune=true` in the sync options of the Job. Or use a strategy under which the Job keeps its name, \
          such as `hook`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    example: super::example!("prune-confirm"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (application, version) = (context.survey.application.sync.as_deref(), context.output.argocd_version);
    let confirmed = context.renamed_jobs().filter_map(|(index, job)| {
        let own = job.items(argocd::SYNC_OPTIONS);
        let is_confirmed = Pruning::of(&own, application, version) == Pruning::Confirmed;
        is_confirmed.then_some((index, job, own))
    });
    let of_job = |(index, job, own): (usize, &Job, Vec<&str>)| {
        let is_last = job.has_sync_option("PruneLast=true") || context.has_application_option("PruneLast=true");
        let then = if is_last { "the new one has run by then" } else { "it creates the new one only then" };
        let waits = format!(
            "when the Job has changed, the sync waits until somebody confirms that the earlier Job is deleted; {then}"
        );
        if own.contains(&"Prune=confirm") {
            let help = "write `Prune=true` in the place of `Prune=confirm` in the Job's sync options";
            let message = format!("`Prune=confirm`: {waits}");
            return Diagnostic::on_annotation(index, argocd::SYNC_OPTIONS, message, help).at_word("Prune=confirm");
        }
        let message = format!("`Prune=confirm` in the Application's `syncOptions`: {waits}");
        Diagnostic::on_name(index, message, "add `Prune=true` to the Job's sync options")
    };
    confirmed.map(of_job).collect()
}
