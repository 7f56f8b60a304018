//! `name-too-long`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::kubernetes::name::{MAX_JOB_NAME, generated_suffix, index_suffix};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "name-too-long",
    level: Level::Error,
    summary: "a name longer than a Job can have, alone or with what is appended to it",
    why: "The API server puts a Job's name into the label `job-name` of its pods, and a label's value has 63 bytes at \
          most (`pkg/apis/batch/validation`). Pods of an Indexed Job append `-<index>`. To the `generateName` of a \
          hook Argo CD appends `<revision>-<phase>-<time>`, 23 to 27 bytes, and shortens nothing \
          (`gitops-engine/pkg/sync/sync_context.go`).",
    fix: "Shorten the name. The strategies `hash-name` and `generate-name` shorten it, never the hash.",
    link: "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // With `manualSelector` a Job gets no such label.
    let labelled = context.applied_jobs().filter(|(_, job)| !job.has_manual_selector());
    labelled.filter_map(|(index, job)| of_name(index, job).or_else(|| of_generate_name(index, job))).collect()
}

fn of_name(index: usize, job: &Job) -> Option<Diagnostic> {
    let name = job.name()?;
    let suffix = index_suffix(job);
    let most = MAX_JOB_NAME.saturating_sub(suffix);
    let with = match suffix {
        0 => String::new(),
        _ => format!(", with {suffix} more for the index of its pods"),
    };
    let message = format!("the name has {} bytes{with}: a Job's name has {MAX_JOB_NAME} at most", name.len());
    let help = format!("shorten it to {most} bytes, or use the strategy `hash-name`, which does");
    (name.len() > most).then(|| Diagnostic::at(index, path!["metadata", "name"], message, help))
}

/// For a Job that is not a hook the API server truncates `generateName` itself.
fn of_generate_name(index: usize, job: &Job) -> Option<Diagnostic> {
    let prefix = job.generate_name().filter(|_| job.name().is_none() && job.is_hook())?;
    let suffix = job.phases().into_iter().map(generated_suffix).max()?;
    let most = MAX_JOB_NAME.saturating_sub(suffix + index_suffix(job));
    let message = format!(
        "`generateName` has {} bytes, to which Argo CD appends {suffix}: a Job's name has {MAX_JOB_NAME} at most",
        prefix.len()
    );
    let help = format!("shorten it to {most} bytes, or use the strategy `generate-name`, which does");
    (prefix.len() > most).then(|| Diagnostic::at(index, path!["metadata", "generateName"], message, help))
}
