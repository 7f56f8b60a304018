//! Finds Jobs that would become one object: of two objects with one name Argo CD silently keeps the last, and it silently merges two hooks with one
//! `generateName` in one phase.

use std::collections::HashMap;
use std::ptr;

use kube_jobs::argocd::Phase;

use super::{JobPlan, Problem, ProblemKind, Request};
use crate::strategy::is_prefix;

/// One problem for each Job that collides with an earlier Job.
pub(super) fn find(jobs: &[JobPlan], request: &Request<'_>) -> Vec<Problem> {
    let mut seen = Seen::default();
    let met = jobs.iter().filter_map(|job| Some((job, seen.meet(job, request)?)));
    met.map(|(job, (other, kind, what))| problem(job, other, kind, &what, request)).collect()
}

type Key<'j> = (&'j str, &'j str);

#[derive(Default)]
struct Seen<'j> {
    written: HashMap<Key<'j>, &'j JobPlan>,
    emitted: HashMap<Key<'j>, &'j JobPlan>,
    generated: HashMap<Key<'j>, Vec<&'j JobPlan>>,
}

impl<'j> Seen<'j> {
    /// The earlier Job that `job` collides with, and the message.
    fn meet(&mut self, job: &'j JobPlan, request: &'j Request<'_>) -> Option<(&'j JobPlan, ProblemKind, String)> {
        let namespace = namespace(job, request);
        let mut met = None;
        if let Some(name) = job.emitted.name.as_deref() {
            let first = *self.emitted.entry((namespace, name)).or_insert(job);
            if !(ptr::eq(first, job) || job.is_kept() && first.is_kept()) {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs would get the name `{name}`")));
            }
        } else if let Some(prefix) = job.emitted.generate_name.as_deref() {
            let same = self.generated.entry((namespace, prefix)).or_default();
            let phases = &job.emitted.phases;
            let runs_in = |other: &JobPlan, phase: &Phase| other.emitted.phases.contains(phase);
            let shares_phase = |other: &&&JobPlan| phases.iter().any(|phase| runs_in(other, phase));
            if let Some(other) = same.iter().find(shares_phase).filter(|_| !job.is_kept()) {
                let what = format!("two hooks of the same phase would get `generateName: {prefix}`");
                met = Some((*other, ProblemKind::GenerateNameCollision, what));
            }
            // A Job whose phases all have an earlier Job need not be remembered: any later Job collides with that one first.
            if !phases.iter().all(|phase| same.iter().any(|other| runs_in(other, phase))) {
                same.push(job);
            }
        }
        if let Some(name) = written(job) {
            let first = *self.written.entry((namespace, name)).or_insert(job);
            if !ptr::eq(first, job) {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs have the name `{name}`")));
            }
        }
        met
    }
}

/// The namespace of a Job: its own, else that of the Application, else empty.
fn namespace<'j>(job: &'j JobPlan, request: &'j Request<'_>) -> &'j str {
    job.namespace.as_deref().or(request.application.namespace.as_deref()).unwrap_or("")
}

/// The input name, which no other Job may have. None for Jobs that stay unchanged and for a `generateName`.
fn written(job: &JobPlan) -> Option<&str> {
    job.input_name().filter(|name| !job.is_kept() && !is_prefix(name))
}

fn problem(job: &JobPlan, other: &JobPlan, kind: ProblemKind, what: &str, request: &Request<'_>) -> Problem {
    let place = |job: &JobPlan| request.manifests[job.manifest].place(job.offset);
    let help = match kind {
        ProblemKind::GenerateNameCollision => "give one of the two hooks another `generateName`",
        _ => "rename one of the two Jobs",
    };
    Problem {
        kind,
        place: Some(place(job)),
        source: None,
        message: format!("{what}; the other one is at {}", place(other)),
        help: Some(help.into()),
    }
}
