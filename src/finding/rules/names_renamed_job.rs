//! `names-renamed-job`

use std::collections::BTreeMap;

use crate::finding::job_references::{self, JobReference, Target};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::name;
use crate::path;
use crate::survey::Side;

pub(super) const RULE: Rule = Rule {
    id: "names-renamed-job",
    level: Level::Warning,
    summary: "a command line names a Job that comes out under another name",
    why: "`hash-name`, `generate-name` and a Job newly made a Sync hook change `metadata.name`. `resourceNames` of roles follow; a \
          command line such as `kubectl wait job/migrate` does not, because nobody can know what a program makes of its words. It \
          finds no Job, and an init container that waits so never ends.",
    fix: "Ask by label: Jobs that get another name carry the written one in the label `argocd-jobs/name`, as in `kubectl wait \
          --for=condition=complete job -l argocd-jobs/name=migrate`. The role then needs `list` and `watch` on Jobs without \
          `resourceNames`.\n\nOr let the Job keep its name: as a PreSync or PostSync hook, with `argocd-jobs/strategy: replace`, or \
          with `argocd-jobs/strategy: keep`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/resource_hooks/",
    check: Check::Objects(check),
};

/// A Job that is emitted under another name.
struct Renamed<'l> {
    object: usize,
    written: &'l str,
    now: String,
}

/// Namespace and old name.
type Renames<'l> = BTreeMap<(&'l str, &'l str), Renamed<'l>>;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.side == Side::Written {
        return Vec::new();
    }
    let renames = renames(context);
    if renames.is_empty() {
        return Vec::new();
    }
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (index, object) in context.objects_that_may_name_a_job() {
        let own = context.survey.namespace(object);
        for reference in job_references::job_references(object) {
            let Target::Name(name) = &reference.target else { continue };
            let namespace = reference.namespace.as_deref().unwrap_or(own);
            // A Job that names itself does not wait for another Job, and the strategy `hook` would not help it.
            let Some(renamed) = renames.get(&(namespace, name.as_str())).filter(|found| found.object != index) else {
                continue;
            };
            let diagnostic = diagnostic(index, &reference, name, renamed);
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
    }
    diagnostics
}

fn renames<'l>(context: &'l Context<'_>) -> Renames<'l> {
    let mut renames = Renames::new();
    for (object, job) in context.jobs() {
        let Some(plan) = context.survey.job(object) else { continue };
        let written = plan.outcome.input_name.as_ref().filter(|written| !written.is_prefix());
        let Some(written) = written.map(|written| written.name.as_str()) else { continue };
        let now = match (job.name(), job.generate_name()) {
            (Some(name), _) => format!("as `{name}`"),
            (None, prefix) => format!("under names that begin with `{}`", prefix.unwrap_or("")),
        };
        for old in [plan.name.as_deref(), Some(written)].into_iter().flatten() {
            let renamed = Renamed { object, written, now: now.clone() };
            renames.insert((context.survey.namespace(job), old), renamed);
        }
    }
    // A name that another Job has means that Job.
    for (_, job) in context.jobs() {
        renames.remove(&(context.survey.namespace(job), job.name().unwrap_or("")));
    }
    renames
}

fn diagnostic(index: usize, reference: &JobReference, name: &str, renamed: &Renamed<'_>) -> Diagnostic {
    let message = format!("the command line names Job `{name}`, which comes out {}", renamed.now);
    let label = name::label_value(renamed.written);
    let help = format!(
        "ask for the label that does not change, `job -l argocd-jobs/name={label}`, or let the Job keep its name with the annotation \
         `argocd-jobs/strategy: replace` or as a PreSync or PostSync hook"
    );
    let found = Diagnostic { path: reference.path.clone(), ..Diagnostic::at(index, path![], message, help) };
    found.with(renamed.object, path!["metadata", "name"])
}
