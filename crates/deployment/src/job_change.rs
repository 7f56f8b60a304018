//! What a reviewer would see of a Job: the change of it, or the Job itself. Two sources that give the same show the same, whatever they call the Job.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use goyaml::Value;
use goyaml::json::{self, Form};
use kube_jobs::kubernetes::Job;
use lint::Analysis;
use lint::survey::Side;
use rewrite::plan::{Problem, ProblemKind};
use rewrite::version::Version;

use crate::outcome::Read;

/// A Job that Kubernetes could create, or the change of one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JobChange {
    /// A Job that the base does not have, or the only version of one: the spec of its pods.
    New(String),
    /// A Job that only the base has: the spec of its pods.
    Gone(String),
    /// The values that differ between both versions, sorted.
    Changed(Vec<Difference>),
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Difference {
    /// The keys that lead to it, without the indices of lists: a patch can insert items.
    path: String,
    /// The value in the base, as JSON. None if it is not there.
    old: Option<String>,
    /// The value in the new version, as JSON. None if it is not there.
    new: Option<String>,
}

impl JobChange {
    /// The Jobs of a source without a base, or the changes of its Jobs, each with how often it is there. None if a version is too large to be analysed.
    pub(crate) fn count(read: &Read) -> Option<BTreeMap<Self, usize>> {
        let base = read.base().map_or_else(|| Some(Vec::new()), whole_jobs)?;
        let mut old = BTreeMap::<_, VecDeque<Job>>::new();
        for job in base {
            old.entry(identity(&job)).or_default().push_back(job);
        }
        let mut changes = BTreeMap::new();
        for job in whole_jobs(read.version())? {
            let change = match old.get_mut(&identity(&job)).and_then(VecDeque::pop_front) {
                Some(before) => Self::between(&before, &job),
                None => Some(Self::New(pod_of(&job))),
            };
            if let Some(change) = change {
                *changes.entry(change).or_default() += 1;
            }
        }
        for job in old.into_values().flatten() {
            *changes.entry(Self::Gone(pod_of(&job))).or_default() += 1;
        }
        Some(changes)
    }

    /// None if nothing differs.
    fn between(old: &Job, new: &Job) -> Option<Self> {
        let mut found = Vec::new();
        differences(Some(old.value()), Some(new.value()), &mut String::new(), &mut found);
        found.sort();
        (!found.is_empty()).then_some(Self::Changed(found))
    }
}

/// The Jobs as they are written, without Jobs that have no image or no `restartPolicy`, such as patches. None if the version is too large to be
/// analysed, or has a text that is not read.
pub(crate) fn whole_jobs(version: &Version) -> Option<Vec<Job>> {
    let analysis = Analysis::without_findings(version);
    let is_unread = |problem: &Problem| problem.kind == ProblemKind::NotRead;
    if analysis.is_too_large() || analysis.problems.iter().any(is_unread) {
        return None;
    }
    let jobs = analysis.survey.on(Side::Written).filter_map(|(_, state)| state.job());
    let is_whole = |job: &&Job| {
        let policy = job.value().text_at(&["spec", "template", "spec", "restartPolicy"]);
        policy.is_some() && !job.images().is_empty()
    };
    Some(jobs.filter(is_whole).cloned().collect())
}

/// Namespace and name within a source.
fn identity(job: &Job) -> [String; 3] {
    [job.namespace(), job.name(), job.generate_name()].map(|text| text.unwrap_or_default().to_owned())
}

fn pod_of(job: &Job) -> String {
    job.value().at(&["spec", "template", "spec"]).map(printed).unwrap_or_default()
}

fn printed(value: &Value) -> String {
    json::print(value, Form::Canonical)
}

fn differences(old: Option<&Value>, new: Option<&Value>, path: &mut String, found: &mut Vec<Difference>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Some(Value::Map(old)), Some(Value::Map(new))) => {
            let keys: BTreeSet<&str> = old.iter().chain(new.iter()).map(|(key, _)| key.as_str()).collect();
            for key in keys {
                let length = path.len();
                path.push('.');
                path.push_str(key);
                differences(old.get(key), new.get(key), path, found);
                path.truncate(length);
            }
        }
        (Some(Value::List(old)), Some(Value::List(new))) if old.len() == new.len() => {
            old.iter().zip(new.iter()).for_each(|(old, new)| differences(Some(old), Some(new), path, found));
        }
        (Some(Value::List(old)), Some(Value::List(new))) => {
            let mut left = BTreeMap::<String, usize>::new();
            new.iter().for_each(|item| *left.entry(printed(item)).or_default() += 1);
            for item in old.iter().map(printed) {
                match left.get_mut(&item).filter(|count| **count > 0) {
                    Some(count) => *count -= 1,
                    None => found.push(Difference { path: path.clone(), old: Some(item), new: None }),
                }
            }
            for (item, count) in left {
                let added = Difference { path: path.clone(), old: None, new: Some(item) };
                found.extend(std::iter::repeat_n(added, count));
            }
        }
        (old, new) => {
            found.push(Difference { path: path.clone(), old: old.map(printed), new: new.map(printed) });
        }
    }
}
