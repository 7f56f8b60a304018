//! A Job as Argo CD reads it.

use std::ops::Deref;

use goyaml::{Path, SyntaxError, Value, path};

use super::Object;

/// The maximum TTL in seconds for which a finished Job is assumed to be gone before the next sync.
pub const ONE_DAY: i64 = 24 * 60 * 60;

/// A Job of the API group `batch`.
#[derive(Clone, Debug)]
pub struct Job(Object);

impl Job {
    /// Reads a Job from the text of one YAML document.
    pub fn read(text: &str) -> Result<Self, SyntaxError> {
        Value::read(text).map(Self::new)
    }

    /// Wraps the value of an object for which [`super::is_job`] is true.
    pub fn new(value: Value) -> Self {
        Self(Object::new(value))
    }

    /// `spec.suspend: true`
    pub fn is_suspended(&self) -> bool {
        self.value().is_true_at(&["spec", "suspend"])
    }

    /// Whether the Job starts pods when it is created: it is not suspended, and its `parallelism` is not 0.
    pub fn starts_pods(&self) -> bool {
        let parallelism = self.value().at(&["spec", "parallelism"]).and_then(Value::as_number);
        !self.is_suspended() && parallelism != Some(0)
    }

    /// The condition of this type in `status`, if it holds.
    pub fn condition(&self, kind: &str) -> Option<&Value> {
        let conditions = self.value().at(&["status", "conditions"])?.as_list()?;
        let holds = |one: &&Value| one.text_at(&["type"]) == Some(kind) && one.text_at(&["status"]) == Some("True");
        conditions.iter().find(holds)
    }

    /// Whether Kueue starts the Job when its queue has room (`kueue.x-k8s.io/queue-name`).
    pub fn is_queued(&self) -> bool {
        self.value().text_at(&["metadata", "labels", "kueue.x-k8s.io/queue-name"]).is_some()
    }

    /// `spec.ttlSecondsAfterFinished`, in seconds.
    pub fn ttl(&self) -> Option<i64> {
        self.value().at(&["spec", "ttlSecondsAfterFinished"]).and_then(Value::as_number)
    }

    /// The TTL in seconds. None if it is longer than [`ONE_DAY`] or not set.
    pub fn short_ttl(&self) -> Option<i64> {
        self.ttl().filter(|ttl| *ttl <= ONE_DAY)
    }

    /// `spec.manualSelector: true`
    pub fn has_manual_selector(&self) -> bool {
        self.value().is_true_at(&["spec", "manualSelector"])
    }

    /// The images of all containers and init containers, each with its path.
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

    /// `spec.completions` of an Indexed Job. None for other Jobs.
    pub fn indexed_completions(&self) -> Option<i64> {
        match (self.value().text_at(&["spec", "completionMode"]), self.value().at(&["spec", "completions"])) {
            (Some("Indexed"), Some(Value::Int(completions))) => Some(*completions),
            _ => None,
        }
    }
}

/// Gives a Job the methods of [`Object`]: names, annotations, hooks, waves.
impl Deref for Job {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}
