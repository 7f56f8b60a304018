//! Jobs that would become one: Argo CD keeps the last of two objects with one name, and merges two hooks with one
//! `generateName` in one phase, silently.

use std::collections::HashMap;

use super::{JobPlan, Problem, ProblemKind, Request};
use crate::argocd::Phase;
use crate::strategy::Strategy;

/// One problem for each Job that meets an earlier one.
pub(super) fn find(jobs: &[JobPlan], request: &Request<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen = Seen::default();
    for job in jobs {
        if let Some((other, kind, what)) = seen.meet(job, request) {
            problems.push(problem(job, other, kind, &what, request));
        }
    }
    problems
}

type Key<'j> = (&'j str, &'j str);

#[derive(Default)]
struct Seen<'j> {
    written: HashMap<Key<'j>, &'j JobPlan>,
    emitted: HashMap<Key<'j>, &'j JobPlan>,
    generated: HashMap<Key<'j>, Vec<&'j JobPlan>>,
}

impl<'j> Seen<'j> {
    /// The earlier Job that this one meets, and the message.
    fn meet(&mut self, job: &'j JobPlan, request: &'j Request<'_>) -> Option<(&'j JobPlan, ProblemKind, String)> {
        let default = request.application.namespace.as_deref().unwrap_or("");
        let namespace = job.namespace.as_deref().unwrap_or(default);
        let rewritten = job.outcome.decision.strategy != Strategy::Keep;
        let mut met = None;
        if let Some(name) = job.emitted.name.as_deref() {
            let first = *self.emitted.entry((namespace, name)).or_insert(job);
            if !std::ptr::eq(first, job) && (rewritten || first.outcome.decision.strategy != Strategy::Keep) {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs would get the name `{name}`")));
            }
        } else if let Some(prefix) = job.emitted.generate_name.as_deref() {
            let same = self.generated.entry((namespace, prefix)).or_default();
            let shares_phase =
                |other: &&&JobPlan| job.emitted.phases.iter().any(|phase| other.emitted.phases.contains(phase));
            if let Some(other) = same.iter().find(shares_phase).filter(|_| rewritten) {
                let what = format!("two hooks of the same phase would get `generateName: {prefix}`");
                met = Some((*other, ProblemKind::GenerateNameCollision, what));
            }
            // A Job whose phases are all taken already can be left out: a later Job collides with an earlier one first.
            let is_known = |phase: &Phase| same.iter().any(|other| other.emitted.phases.contains(phase));
            if !job.emitted.phases.iter().all(is_known) {
                same.push(job);
            }
        }
        let written = job.outcome.input_name.as_ref().filter(|written| rewritten && !written.is_prefix());
        if let Some(written) = written {
            let first = *self.written.entry((namespace, written.name.as_str())).or_insert(job);
            if !std::ptr::eq(first, job) {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs have the name `{}`", written.name)));
            }
        }
        met
    }
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
        message: format!("{what}; the other one is at {}", place(other)),
        help: Some(help.to_owned()),
    }
}
