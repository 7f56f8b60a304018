//! `unstable-name`

use std::collections::BTreeSet;

use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::volatile::{self, Volatile};
use rewrite::manifest::FixedValue;
use rewrite::strategy::Strategy;
use text::Help;

use crate::survey::Random;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unstable-name",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Job whose name ends in something that looks different each time it is rendered",
    why: "A date, a revision or a random string in the name of an ordinary Job makes it a new resource each time it \
          is rendered: the Application is OutOfSync again at once, the Job runs again at every sync, and with prune \
          the running Job is killed (argo-cd #3263, #8643). Helm's `.Release.Revision` is always 1 under Argo CD, so \
          a name made with it never changes, and a change to the Job fails with `field is immutable`.\n\n\
          A number counts as a timestamp if it is a time from 2014 to 2032 and the name is written like this in a \
          file. In rendered manifests it does not count: there it can be a checksum of the values (`adler32sum`).",
    fix: "With the plugin, the strategy `hash-name` appends a hash of the Job's content: remove the ending, or set the \
          annotation `argocd-jobs/base-name` to the part that should come before the hash. The annotation has no effect under \
          the strategy `keep`. Without the plugin, the name of an ordinary Job has to change whenever the Job changes, or the \
          sync fails with `field is immutable`: keep a checksum of everything that the Job uses, including its image, \
          or make the Job a hook and then remove the ending.",
    link: "https://github.com/argoproj/argo-cd/issues/8643",
    example: super::example!("unstable-name")
        .note("The plugin appends a hash of the Job's content, which changes only when the Job does."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // `checksum-leaves-out-job` reports a name with such a checksum.
    let summed: BTreeSet<usize> = context.template_reads(FixedValue::OtherFile).map(|(index, ..)| index).collect();
    let unknown = context.ordinary_jobs().filter(|(index, _)| !summed.contains(index));
    unknown.filter_map(|(index, job)| of_job(context, index, job)).collect()
}

fn of_job(context: &Context<'_>, index: usize, job: &Job) -> Option<Diagnostic> {
    let name = context.base_name(index, job)?;
    if context.survey.random(index) == Some(Random::Name) {
        // `random-value` reports such a name.
        return None;
    }
    let volatile = if context.is_rendered(index) { volatile::rendered_ending(name) } else { volatile::ending(name) };
    let (ending, message) = match volatile {
        Some((ending, found)) => {
            let what = found.as_str();
            (
                ending,
                format!(
                    "`{ending}` in the name looks like {what}: each time it changes, a new Job is created and runs"
                ),
            )
        }
        None if name.ends_with("-1") && is_of_helm(job) => {
            let message =
                "`1` at the end of the name looks like Helm's `.Release.Revision`, which is always 1 under Argo CD";
            ("1", message.to_owned())
        }
        None => return None,
    };
    let base = name.trim_end_matches('-').strip_suffix(ending).unwrap_or(name).trim_end_matches(['-', '.', '_']);
    // The strategy `keep` keeps the whole name, whatever the base name is.
    let keeps = context.strategy(index) == Some(Strategy::Keep);
    let strategy = if keeps { "`argocd-jobs/strategy: hash-name` and " } else { "" };
    let annotations = if keeps { "annotations" } else { "annotation" };
    let set = format!("set the {annotations} {strategy}`argocd-jobs/base-name: {base}`");
    // In a rendered name, a checksum looks like a revision, and the author of the chart may have put a checksum there on purpose.
    let help = match volatile {
        Some((_, Volatile::Revision)) if context.is_rendered(index) => Help::from(
            "if it is a checksum of what the Job does, keep it: without it, every change to the Job fails with `field is immutable`",
        )
        .with_plugin(format!("{set} if it is not a checksum")),
        _ => Help::from(format!(
            "make the Job a hook before you remove `{ending}` from its name, or a change to it fails"
        ))
        .with_plugin(set),
    };
    Some(Diagnostic::on_name(index, message, help))
}

/// Whether a chart rendered the Job.
fn is_of_helm(job: &Job) -> bool {
    let label = |key| job.value().text_at(&["metadata", "labels", key]);
    label("helm.sh/chart").is_some()
        || label("app.kubernetes.io/managed-by") == Some("Helm")
        || label("heritage") == Some("Helm")
}
