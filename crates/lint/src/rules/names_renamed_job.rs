//! `names-renamed-job`

use std::collections::BTreeMap;

use kube_jobs::kubernetes::{Object, name};

use crate::job_references::{self, DEPENDENCY_JOBS_JSON, JobReference, Target};
use crate::survey::Side;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "names-renamed-job",
    theme: super::Theme::Names,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a command line or a variable that names a Job which the plugin renames",
    why: "The plugin changes `metadata.name` under `hash-name` and `generate-name`, and when it turns a Job into a \
          Sync hook. It changes `resourceNames` in roles accordingly. A command line such as `kubectl wait \
          job/migrate`, or the variable `DEPENDENCY_JOBS` of `kubernetes-entrypoint`, stays as it is, because nobody \
          can know how a program interprets its arguments. It finds no Job, and an init container that waits for it \
          never ends.",
    fix: "Select the Job by label: renamed Jobs have the name that you wrote in the label `argocd-jobs/name`, as in \
          `kubectl wait --for=condition=complete job -l argocd-jobs/name=migrate`. The role then needs `list` and \
          `watch` on Jobs without `resourceNames`.\n\n\
          Or let the Job keep its name: as a PreSync or PostSync hook, with `argocd-jobs/strategy: replace`, or with \
          `argocd-jobs/strategy: keep`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    example: super::example!("names-renamed-job"),
    check: Check::Objects(check),
};

/// A Job that has another name in the output.
struct Renamed<'l> {
    object: usize,
    written: &'l str,
    /// The new name, as the end of a sentence about the Job.
    now: String,
}

/// A renamed Job, and the name by which an argument or a variable refers to it.
struct Named<'l> {
    name: &'l str,
    renamed: &'l Renamed<'l>,
}

/// Namespace and old name → renamed Job.
type Renames<'l> = BTreeMap<(&'l str, &'l str), Renamed<'l>>;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.side == Side::Written {
        return Vec::new();
    }
    let renames = renames(context);
    if renames.is_empty() {
        return Vec::new();
    }
    let objects = context.objects_that_may_name_a_job();
    objects.flat_map(|(index, object)| of_object(index, object, &renames, context)).take(context.most).collect()
}

/// One diagnostic for each argument or variable, however many Jobs it names.
fn of_object(index: usize, object: &Object, renames: &Renames<'_>, context: &Context<'_>) -> Vec<Diagnostic> {
    let own = context.survey.namespace(object);
    let references = job_references::job_references(object);
    let mut named: Vec<(&JobReference, Vec<Named<'_>>)> = Vec::new();
    for reference in &references {
        let Target::Name(name) = &reference.target else { continue };
        let namespace = reference.namespace.as_deref().unwrap_or(own);
        // A Job that names itself does not wait for another Job, and the strategy `hook` would not help.
        let Some(renamed) = renames.get(&(namespace, name.as_str())).filter(|found| found.object != index) else {
            continue;
        };
        let found = Named { name, renamed };
        match named.iter_mut().find(|(first, _)| first.path == reference.path) {
            Some((_, jobs)) if jobs.iter().any(|job| job.renamed.object == renamed.object) => {}
            Some((_, jobs)) => jobs.push(found),
            None => named.push((reference, vec![found])),
        }
    }
    named.iter().map(|(reference, jobs)| diagnostic(index, reference, jobs)).collect()
}

fn renames<'l>(context: &'l Context<'_>) -> Renames<'l> {
    let mut renames = Renames::new();
    for (object, job) in context.jobs() {
        let Some(plan) = context.survey.job(object) else { continue };
        let written = plan.outcome.input_name.as_ref().filter(|written| !written.is_prefix());
        let Some(written) = written.map(|written| written.name.as_str()) else { continue };
        let now = match (job.name(), job.generate_name()) {
            (Some(name), _) => format!("is renamed to `{name}`"),
            (None, prefix) => format!("gets a new name at every sync, `{}…`", prefix.unwrap_or("")),
        };
        for old in [plan.name.as_deref(), Some(written)].into_iter().flatten() {
            let renamed = Renamed { object, written, now: now.clone() };
            renames.insert((context.survey.namespace(job), old), renamed);
        }
    }
    // If another Job has the name, the name refers to that Job.
    for (_, job) in context.jobs() {
        renames.remove(&(context.survey.namespace(job), job.name().unwrap_or("")));
    }
    renames
}

/// The maximum number of Jobs that a message lists.
const MANY: usize = 5;

fn diagnostic(index: usize, reference: &JobReference, jobs: &[Named<'_>]) -> Diagnostic {
    let subject = reference.variable.map_or_else(|| "the command line".to_owned(), |name| format!("`{name}`"));
    let named = match jobs {
        [Named { name, renamed }] => format!("Job `{name}`, which {}", renamed.now),
        _ => {
            let each = jobs.iter().take(MANY).map(|job| format!("`{}` {}", job.name, job.renamed.now));
            let more = Some(jobs.len().saturating_sub(MANY)).filter(|more| *more > 0);
            let more = more.map(|more| format!("and {more} more"));
            format!("Jobs that get other names: {}", each.chain(more).collect::<Vec<_>>().join(", "))
        }
    };
    let message = format!("{subject} names {named}");
    let found = Diagnostic::at(index, reference.path.clone(), message, help(reference, jobs));
    jobs.iter().fold(found, |found, job| found.with_name_of(job.renamed.object))
}

fn help(reference: &JobReference, jobs: &[Named<'_>]) -> String {
    let labels = jobs.iter().map(|job| name::label_value(job.renamed.written)).collect::<Vec<_>>();
    let is_one = jobs.len() == 1;
    let select = if reference.variable.is_some() {
        let items = labels.iter().map(|label| format!(r#"{{"labels": {{"argocd-jobs/name": "{label}"}}}}"#));
        let items = items.collect::<Vec<_>>().join(", ");
        let what = if is_one { "the Job" } else { "the Jobs" };
        let instead = if reference.variable == Some(DEPENDENCY_JOBS_JSON) { "" } else { " instead" };
        format!("select {what} by the label that does not change, with `{DEPENDENCY_JOBS_JSON}`{instead}: `[{items}]`")
    } else if let ([label], true) = (labels.as_slice(), is_one) {
        format!("select the Job by the label that does not change, `job -l argocd-jobs/name={label}`")
    } else {
        let labels = labels.join(",");
        format!("select the Jobs by the label that does not change, `job -l 'argocd-jobs/name in ({labels})'`")
    };
    let keep = if is_one { "let it keep its name" } else { "let them keep their names" };
    let hooks = if is_one { "as a PreSync or PostSync hook" } else { "as PreSync or PostSync hooks" };
    format!("{select}, or {keep} with the annotation `argocd-jobs/strategy: replace` or {hooks}")
}
