//! `workload-waits-for-later-job`

use std::collections::HashMap;

use goyaml::{Path, Value, path};
use kube_jobs::argocd;
use kube_jobs::kubernetes::{Job, Object};

use crate::job_references::{self, Target};
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "workload-waits-for-later-job",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Error,
    summary: "a workload that waits for a Job which starts only when the workload is healthy: the sync never ends",
    why: "PostSync hooks start when everything is applied and healthy, and a wave starts when the one before it is \
          healthy (`gitops-engine/pkg/sync/sync_context.go`). A Deployment whose init container waits for such a Job \
          never becomes healthy, so the Job never starts. Charts whose Job is a `post-install` hook do this: Helm \
          does not wait for health there, Argo CD does (argo-cd #4288).",
    fix: "Run the Job in the Sync phase, in the wave of the workload or an earlier one: set \
          `argocd.argoproj.io/hook: Sync`, and `argocd.argoproj.io/sync-wave` if the Job has another Helm hook \
          weight, which is its wave otherwise.",
    link: "https://github.com/argoproj/argo-cd/issues/4288",
    example: super::example!("workload-waits-for-later-job"),
    check: Check::Objects(check),
};

/// A Job, and the moment at which it starts.
struct Begins<'l> {
    object: usize,
    job: &'l Job,
    moment: Moment,
}

/// All Jobs, and their indices by name.
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

    /// The Jobs that a command line or a variable names and for which `fits` is true.
    fn find(&self, target: &Target, fits: impl Fn(&Begins<'_>) -> bool) -> Vec<&Begins<'l>> {
        let fits = |found: &&Begins<'_>| fits(found) && target.means(found.job);
        match target {
            Target::Name(name) => {
                let named = self.by_name.get(name.as_str()).into_iter().flatten();
                named.map(|index| &self.all[*index]).filter(fits).take(1).collect()
            }
            Target::Labels(_) => self.all.iter().filter(fits).collect(),
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
    let mut waits: Vec<(Path, Vec<&Begins<'_>>)> = Vec::new();
    for reference in job_references::job_references(object) {
        let blocks = reference.waits && (reference.is_init || object.is_job());
        let namespace = reference.namespace.as_deref().unwrap_or_else(|| context.survey.namespace(object));
        let fits = |found: &Begins<'_>| {
            found.object != index && found.moment > moment && context.survey.namespace(found.job) == namespace
        };
        for later in jobs.find(&reference.target, fits).into_iter().filter(|_| blocks) {
            match waits.iter_mut().find(|(path, _)| *path == reference.path) {
                Some((_, all)) if all.iter().any(|known| known.object == later.object) => {}
                Some((_, all)) => all.push(later),
                None => waits.push((reference.path.clone(), vec![later])),
            }
        }
    }
    waits.into_iter().map(|(path, later)| diagnostic((index, object, moment), path, &later, context)).collect()
}

/// Whether a sync waits for the object: not for a CronJob, and not for a workload without pods.
fn must_get_ready(object: &Object) -> bool {
    let replicas = object.value().at(&["spec", "replicas"]).and_then(Value::as_number);
    object.kind() != "CronJob" && replicas != Some(0)
}

fn diagnostic(
    (index, object, moment): (usize, &Object, Moment),
    path: Path,
    later: &[&Begins<'_>],
    context: &Context<'_>,
) -> Diagnostic {
    let kind = object.kind();
    let name_path = path!["metadata", "name"];
    let places: Vec<String> =
        later.iter().filter_map(|job| Some(context.place(job.object, &name_path)?.to_string())).collect();
    let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    let starts = later.iter().map(|job| job.moment).min().unwrap_or(moment);
    let does = if later.len() == 1 { "does" } else { "do" };
    let message = format!(
        "the {kind} waits for {}, which {does} not start until {starts}, after the {kind} is healthy{places}",
        names(later)
    );
    let found = Diagnostic::at(index, path, message, help(kind, moment, later));
    let found = later.iter().fold(found, |found, job| found.with_name_of(job.object));
    found.solved_by("the Job's strategy")
}

/// ``Job `a` ``, or ``Jobs `a`, `b` and `c` ``.
fn names(jobs: &[&Begins<'_>]) -> String {
    let names: Vec<String> = jobs.iter().map(|job| format!("`{}`", job.job.name().unwrap_or(""))).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("Jobs {} and {last}", first.join(", ")),
        _ => format!("Job {}", names.concat()),
    }
}

/// The help line: annotations with which the Jobs start together with the workload.
fn help(kind: &str, moment: Moment, later: &[&Begins<'_>]) -> String {
    let jobs = names(later);
    let wave = format!("`{}: \"{}\"`", argocd::SYNC_WAVE, moment.wave);
    let phase = moment.phase.as_str();
    if later.iter().all(|job| job.moment.phase == moment.phase) {
        return format!("set {wave} or a lower wave on {jobs}");
    }
    // Helm's weight would become the wave, which may be too late, or before the objects that the Job needs.
    let has_other_wave = |job: &Job| {
        job.wave() > moment.wave || job.wave() != moment.wave && job.annotation(argocd::SYNC_WAVE).is_none()
    };
    let needs_wave = later.iter().any(|job| has_other_wave(job.job));
    let and_wave = if needs_wave { format!(" and {wave}") } else { String::new() };
    let runs = if later.len() == 1 { "it runs" } else { "they run" };
    format!(
        "set `{}: {phase}`{and_wave} on {jobs}, so that {runs} in the {phase} phase, while the {kind} waits",
        argocd::HOOK
    )
}
