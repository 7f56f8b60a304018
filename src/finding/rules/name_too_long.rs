//! `name-too-long`

use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Job;
use crate::kubernetes::name::{MAX_JOB_NAME, generated_suffix, index_suffix};
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "name-too-long",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Error,
    summary: "a name that is too long for a Job, with or without the suffix that is appended to it",
    why: "The API server puts a Job's name into the label `job-name` of its pods, and the value of a label can have \
          at most 63 bytes (`pkg/apis/batch/validation`). Pods of an Indexed Job append `-<index>`. To the \
          `generateName` of a hook Argo CD appends `<revision>-<phase>-<time>`, 23 to 27 bytes, and does not shorten \
          the result (`gitops-engine/pkg/sync/sync_context.go`).",
    fix: "Shorten the name. With the plugin, the strategies `hash-name` and `generate-name` shorten it, never the \
          hash.",
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
        _ => format!(", and the index of its pods needs {suffix} more"),
    };
    let message = format!("the name has {} bytes{with}: a Job's name can have at most {MAX_JOB_NAME}", name.len());
    let help = format!("shorten the Job's name to {most} bytes; with the plugin, the strategy `hash-name` does this");
    (name.len() > most).then(|| Diagnostic::at(index, path!["metadata", "name"], message, help))
}

/// For a Job that is not a hook the API server truncates `generateName` itself.
fn of_generate_name(index: usize, job: &Job) -> Option<Diagnostic> {
    let prefix = job.generate_name().filter(|_| job.name().is_none() && job.is_hook())?;
    let suffix = job.phases().into_iter().map(generated_suffix).max()?;
    let most = MAX_JOB_NAME.saturating_sub(suffix + index_suffix(job));
    let message = format!(
        "`generateName` has {} bytes, and Argo CD appends {suffix}: a Job's name can have at most {MAX_JOB_NAME}",
        prefix.len()
    );
    let help = format!(
        "shorten `generateName` of the Job to {most} bytes; with the plugin, the strategy `generate-name` does this"
    );
    (prefix.len() > most).then(|| Diagnostic::at(index, path!["metadata", "generateName"], message, help))
}
