//! Jobs that would become one: Argo CD keeps the last of two objects with one name, and merges two hooks with one
//! `generateName` in one phase, silently.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::names::{Named, Names};
use super::{Problem, ProblemKind, Request};
use crate::strategy::is_prefix;

/// One problem for each Job that meets an earlier one.
pub(super) fn find(names: &Names, request: &Request<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut suspects = suspects(names, request).into_iter().peekable();
    let mut seen = Seen::default();
    for job in names.iter() {
        if suspects.next_if_eq(&job.number).is_some()
            && let Some((other, kind, what)) = seen.meet(job, request)
        {
            problems.push(problem(&job, &other, kind, &what, request));
        }
    }
    problems
}

/// The numbers of the Jobs that may meet another one, sorted: some name of theirs has the hash of another one. Few have, so that a table
/// of all names, in which a Job takes as much memory as in its manifest, need not be made.
fn suspects(names: &Names, request: &Request<'_>) -> Vec<usize> {
    let state = RandomState::new();
    let mut hashes: Vec<(u32, u32)> = Vec::new();
    for job in names.iter() {
        let namespace = namespace(&job, request);
        let texts = [written(&job), job.emitted, job.generate_name];
        let keys = texts.into_iter().enumerate().filter_map(|(kind, text)| Some((kind, namespace, text?)));
        // Half of the hash: that two are equal by chance does no harm.
        hashes.extend(keys.map(|key| (state.hash_one(key) as u32, job.number as u32)));
    }
    hashes.sort_unstable();
    let met = |pair: &[(u32, u32)]| (pair[0].0 == pair[1].0).then_some([pair[0].1 as usize, pair[1].1 as usize]);
    let mut suspects: Vec<usize> = hashes.windows(2).filter_map(met).flatten().collect();
    suspects.sort_unstable();
    suspects.dedup();
    suspects
}

type Key<'j> = (&'j str, &'j str);

#[derive(Default)]
struct Seen<'j> {
    written: HashMap<Key<'j>, Named<'j>>,
    emitted: HashMap<Key<'j>, Named<'j>>,
    generated: HashMap<Key<'j>, Vec<Named<'j>>>,
}

impl<'j> Seen<'j> {
    /// The earlier Job that this one meets, and the message.
    fn meet(&mut self, job: Named<'j>, request: &'j Request<'_>) -> Option<(Named<'j>, ProblemKind, String)> {
        let namespace = namespace(&job, request);
        let mut met = None;
        if let Some(name) = job.emitted {
            let first = *self.emitted.entry((namespace, name)).or_insert(job);
            if first.number != job.number && !(job.is_kept() && first.is_kept()) {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs would get the name `{name}`")));
            }
        } else if let Some(prefix) = job.generate_name {
            let same = self.generated.entry((namespace, prefix)).or_default();
            let shares_phase = |other: &&Named<'_>| job.phases().any(|phase| other.runs_in(phase));
            if let Some(other) = same.iter().find(shares_phase).filter(|_| !job.is_kept()) {
                let what = format!("two hooks of the same phase would get `generateName: {prefix}`");
                met = Some((*other, ProblemKind::GenerateNameCollision, what));
            }
            // A Job whose phases are all taken already can be left out: a later Job collides with an earlier one first.
            if !job.phases().all(|phase| same.iter().any(|other| other.runs_in(phase))) {
                same.push(job);
            }
        }
        if let Some(name) = written(&job) {
            let first = *self.written.entry((namespace, name)).or_insert(job);
            if first.number != job.number {
                met = Some((first, ProblemKind::DuplicateJob, format!("two Jobs have the name `{name}`")));
            }
        }
        met
    }
}

/// The namespace of a Job: its own, else the Application's, else empty.
fn namespace<'j>(job: &Named<'j>, request: &'j Request<'_>) -> &'j str {
    job.namespace.or(request.application.namespace.as_deref()).unwrap_or("")
}

/// The name as it is written, which no other Job may have.
fn written<'j>(job: &Named<'j>) -> Option<&'j str> {
    job.input_name.filter(|name| !job.is_kept() && !is_prefix(name))
}

fn problem(job: &Named<'_>, other: &Named<'_>, kind: ProblemKind, what: &str, request: &Request<'_>) -> Problem {
    let place = |job: &Named<'_>| request.manifests[job.manifest].place(job.offset);
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
