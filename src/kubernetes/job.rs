//! A Job as Argo CD reads it.

use std::ops::Deref;

use super::Object;
use crate::path;
use crate::yaml::{Path, Value};

/// The longest TTL, in seconds, with which a finished Job is assumed to be deleted before the next sync.
pub const ONE_DAY: i64 = 24 * 60 * 60;

/// An object that is a `batch` Job.
#[derive(Clone, Debug)]
pub struct Job(Object);

impl Job {
    /// Takes the value of an object that [`super::is_job`] says is a Job.
    pub fn new(value: Value) -> Self {
        Self(Object::new(value))
    }

    /// `spec.suspend: true`
    pub fn is_suspended(&self) -> bool {
        self.value().at(&["spec", "suspend"]) == Some(&Value::Bool(true))
    }

    /// True for a Job that Kueue starts when its queue has room (`kueue.x-k8s.io/queue-name`).
    pub fn is_queued(&self) -> bool {
        self.value().text_at(&["metadata", "labels", "kueue.x-k8s.io/queue-name"]).is_some()
    }

    /// `spec.ttlSecondsAfterFinished`
    pub fn ttl(&self) -> Option<i64> {
        self.value().at(&["spec", "ttlSecondsAfterFinished"]).and_then(Value::as_number)
    }

    /// The TTL, in seconds, if it is at most [`ONE_DAY`].
    pub fn short_ttl(&self) -> Option<i64> {
        self.ttl().filter(|ttl| *ttl <= ONE_DAY)
    }

    /// `spec.manualSelector: true`
    pub fn has_manual_selector(&self) -> bool {
        self.value().at(&["spec", "manualSelector"]) == Some(&Value::Bool(true))
    }

    /// The images of all containers, each with its path.
    pub fn images(&self) -> Vec<(Path, &str)> {
        let lists = ["initContainers", "containers"].into_iter().filter_map(|list| {
            let containers = self.value().at(&["spec", "template", "spec", list])?.as_list()?;
            Some((list, containers))
        });
        let all = lists.flat_map(|(list, containers)| {
            containers.iter().enumerate().map(move |(index, container)| (list, index, container))
        });
        all.filter_map(|(list, index, container)| {
            Some((path!["spec", "template", "spec", list, index, "image"], container.text_at(&["image"])?))
        })
        .collect()
    }

    /// `spec.completions` of an Indexed Job.
    pub fn indexed_completions(&self) -> Option<i64> {
        match (self.value().text_at(&["spec", "completionMode"]), self.value().at(&["spec", "completions"])) {
            (Some("Indexed"), Some(Value::Int(completions))) => Some(*completions),
            _ => None,
        }
    }
}

/// A Job is an object with a name, annotations and what Argo CD makes of them.
impl Deref for Job {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}

/// Makes a Job of YAML, for tests.
#[cfg(test)]
pub(crate) fn job_of(text: &str) -> Job {
    Job::new(Value::read(text).unwrap())
}
