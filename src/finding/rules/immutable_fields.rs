//! `immutable-fields`

use crate::finding::{Check, Context, Diagnostic, Level, Rule, volatile};
use crate::kubernetes::Job;
use crate::path;
use crate::strategy::{Strategy, remembered_name};
use crate::survey::Side;

pub(super) const RULE: Rule = Rule {
    id: "immutable-fields",
    level: Level::Warning,
    summary: "an ordinary Job under a fixed name: its first change fails",
    why: "Of a Job nearly everything is immutable: the pod template above all. Argo CD applies a changed Job onto the \
          live one, and the API server refuses it: `field is immutable`. The sync fails, and goes on failing until \
          somebody deletes the Job.",
    fix: "Use the strategy `hash-name`, which `auto` does: a changed Job gets another name.",
    link: "https://kubernetes.io/docs/concepts/workloads/controllers/job/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let fixed = context.ordinary_jobs().filter(|(index, job)| is_fixed(context, *index, job));
    fixed
        .map(|(index, job)| {
            let name = job.name().unwrap_or("");
            let message = format!("the first change of the Job `{name}` fails: `field is immutable`");
            let help = "use the strategy `hash-name`, which gives a changed Job another name";
            Diagnostic::at(index, path!["metadata", "name"], message, help)
        })
        .collect()
}

/// True for a name that stays when the content changes, on a Job that is patched.
fn is_fixed(context: &Context<'_>, index: usize, job: &Job) -> bool {
    let Some(strategy) = context.strategy(index) else { return false };
    let carries_hash = remembered_name(job).is_some_and(|name| Some(name) != job.name());
    // A baseline Job keeps its name until its content changes; the changed Job gets another name.
    let is_renamed_in_time = context.side == Side::Emitted && strategy == Strategy::HashName;
    let is_replaced = ["Force=true", "Replace=true"].into_iter().any(|option| job.has_sync_option(option))
        || context.has_application_option("Replace=true");
    let changes = context.base_name(index, job).and_then(volatile::ending).is_some();
    // Strategies leave Jobs with an owner alone; `owner-references` reports them.
    job.name().is_some() && !changes && !job.is_owned() && !carries_hash && !is_renamed_in_time && !is_replaced
}
