//! `unstable-name`

use crate::finding::{Check, Context, Diagnostic, Level, Rule, volatile};
use crate::kubernetes::Job;
use crate::path;

pub(super) const RULE: Rule = Rule {
    id: "unstable-name",
    level: Level::Warning,
    summary: "the name of a Job ends in something that looks rendered anew each time",
    why: "A date, a revision or a random text in the name of an ordinary Job makes it another object at each \
          rendering: the Application is OutOfSync again at once, the Job runs again at each sync, and with prune the \
          running one is killed (argo-cd #3263, #8643). Helm's `.Release.Revision` is always 1 under Argo CD, so that \
          a name made with it never changes, and a changed Job is refused as immutable.",
    fix: "Take the ending out of the name, and let the strategy `hash-name` append the hash of the Job's content. \
          Where the name cannot be changed, say with the annotation `argocd-jobs/base-name` what comes before the \
          hash.",
    link: "https://github.com/argoproj/argo-cd/issues/8643",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.ordinary_jobs().filter_map(|(index, job)| of_job(context, index, job)).collect()
}

fn of_job(context: &Context<'_>, index: usize, job: &Job) -> Option<Diagnostic> {
    let name = context.base_name(index, job)?;
    let (ending, message) = match volatile::ending(name) {
        Some((ending, found)) => {
            let outcome = "with each new one the Job is another, and runs again";
            (ending, format!("`{ending}` in the name looks like {}: {outcome}", found.as_str()))
        }
        None if name.ends_with("-1") && is_of_helm(job) => {
            let message =
                "`1` at the end of the name looks like Helm's `.Release.Revision`, which is always 1 under Argo CD";
            ("1", message.to_owned())
        }
        None => return None,
    };
    let base = name.trim_end_matches('-').strip_suffix(ending).unwrap_or(name).trim_end_matches(['-', '.', '_']);
    let help = format!("take it out of the name, or set the annotation `argocd-jobs/base-name: {base}` on the Job");
    Some(Diagnostic::at(index, path!["metadata", "name"], message, help))
}

/// True for an object that a chart rendered.
fn is_of_helm(job: &Job) -> bool {
    let label = |key| job.value().text_at(&["metadata", "labels", key]);
    label("helm.sh/chart").is_some()
        || label("app.kubernetes.io/managed-by") == Some("Helm")
        || label("heritage") == Some("Helm")
}
