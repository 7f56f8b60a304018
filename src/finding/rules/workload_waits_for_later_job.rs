//! `workload-waits-for-later-job`

use std::collections::HashMap;

use crate::finding::job_references::{self, Target};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::{Job, Object};
use crate::path;
use crate::survey::sync_order::{self, Moment};
use crate::yaml::{Path, Value};

pub(super) const RULE: Rule = Rule {
    id: "workload-waits-for-later-job",
    level: Level::Error,
    summary: "a workload waits for a Job that begins only when the workload is healthy: the sync never ends",
    why: "PostSync hooks begin when everything is applied and healthy, and a wave when the one before it is \
          (`gitops-engine/pkg/sync/sync_context.go`). A Deployment whose init container waits for such a Job is never healthy, so \
          that the Job never begins. Charts whose Job is a `post-install` hook do this: Helm does not wait for health there, Argo CD \
          does (argo-cd #4288).",
    fix: "Let the Job run in the Sync phase, in the wave of the workload or an earlier one.",
    link: "https://github.com/argoproj/argo-cd/issues/4288",
    check: Check::Objects(check),
};

/// A Job, and the moment at which it starts.
struct Begins<'l> {
    object: usize,
    job: &'l Job,
    moment: Moment,
}

/// All Jobs, and the Jobs by name.
struct Jobs<'l> {
    all: Vec<Begins<'l>>,
    by_name: HashMap<&'l str, Vec<usize>>,
}

impl<'l> Jobs<'l> {
    fn of(context: &Context<'l>) -> Self {
        let begins = |(object, job)| Some(Begins { object, job, moment: sync_order::first(job)? });
        let all: Vec<Begins<'_>> = context.jobs().filter_map(begins).collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, found) in all.iter().enumerate() {
            by_name.entry(found.job.name().unwrap_or("")).or_default().push(index);
        }
        Self { all, by_name }
    }

    /// The first Job that a command line names and that fits.
    fn find(&self, target: &Target, fits: impl Fn(&Begins<'_>) -> bool) -> Option<&Begins<'l>> {
        let fits = |found: &&Begins<'_>| fits(found) && target.means(found.job);
        match target {
            Target::Name(name) => self.by_name.get(name.as_str())?.iter().map(|index| &self.all[*index]).find(fits),
            Target::Labels(_) => self.all.iter().find(fits),
        }
    }
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let jobs = Jobs::of(context);
    context
        .objects_that_may_name_a_job()
        .flat_map(|(index, object)| of_workload(index, object, &jobs, context))
        .collect()
}

fn of_workload(index: usize, object: &Object, jobs: &Jobs<'_>, context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(moment) = sync_order::first(object).filter(|_| must_get_ready(object)) else { return Vec::new() };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for reference in job_references::job_references(object) {
        let blocks = reference.waits && (reference.is_init || object.is_job());
        let namespace = reference.namespace.as_deref().unwrap_or_else(|| context.survey.namespace(object));
        let fits = |found: &Begins<'_>| {
            found.object != index && found.moment > moment && context.survey.namespace(found.job) == namespace
        };
        let Some(later) = jobs.find(&reference.target, fits).filter(|_| blocks) else { continue };
        if !diagnostics.iter().any(|diagnostic| diagnostic.path == reference.path) {
            diagnostics.push(diagnostic((index, object), reference.path, later, context));
        }
    }
    diagnostics
}

/// True for a workload that a sync waits for: not a CronJob, and not a workload without pods.
fn must_get_ready(object: &Object) -> bool {
    let replicas = object.value().at(&["spec", "replicas"]).and_then(Value::as_number);
    object.kind() != "CronJob" && replicas != Some(0)
}

fn diagnostic((index, object): (usize, &Object), path: Path, later: &Begins<'_>, context: &Context<'_>) -> Diagnostic {
    let kind = object.kind();
    let name = later.job.name().unwrap_or("");
    let place =
        context.place(later.object, &path!["metadata", "name"]).map(|place| format!(": {place}")).unwrap_or_default();
    let message = format!(
        "the {kind} waits for Job `{name}`, which begins only in {}, when the {kind} is healthy{place}",
        later.moment
    );
    let wave = format!("in the wave of the {kind} or an earlier one");
    let help = if later.job.is_hook() {
        format!("let the Job run in the Sync phase, with the annotation `argocd-jobs/hook: Sync`, {wave}")
    } else {
        format!("let the Job begin {wave}")
    };
    let found = Diagnostic { path, ..Diagnostic::at(index, path![], message, help) };
    found.with(later.object, path!["metadata", "name"]).solved_by("the Job's strategy")
}
