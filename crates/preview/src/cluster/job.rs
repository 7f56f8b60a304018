//! A Job as the API server stores it, and its state.

use std::fmt;

use goyaml::Value;
use kube_jobs::kubernetes::Job;
use text::{Place, Time};

use super::managed;

/// Holds the manifest that `kubectl apply`, and so Argo CD, applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The annotation by which Argo CD knows the objects of an Application (`util/argo/resource_tracking.go`).
pub(super) const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
/// The label by which it does if it is configured so, and by default before 3.0.
pub(super) const INSTANCE: &str = "app.kubernetes.io/instance";

/// A live Job.
#[derive(Clone, Debug)]
pub struct LiveJob {
    /// The Job.
    pub job: Job,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: LiveState,
    /// The manifest that was applied last, if the Job has it: as kubectl noted it, or what server-side apply manages.
    pub applied: Option<Job>,
    /// The place of the Job in the text.
    pub place: Place,
}

/// The state of a live Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveState {
    /// It has succeeded.
    Complete {
        /// When it ended, if the Job says so.
        at: Option<Time>,
    },
    /// It has failed.
    Failed {
        /// When it ended, if the Job says so.
        at: Option<Time>,
        /// The reason of the condition, such as `BackoffLimitExceeded`.
        reason: String,
    },
    /// It runs, or waits to run.
    Running {
        /// Since when, if the Job says so.
        at: Option<Time>,
    },
    /// It is suspended.
    Suspended,
    /// It is being deleted.
    Deleting,
}

impl LiveJob {
    /// Reads a Job. Fails with what is wrong if it is not one that the API server stores.
    pub(super) fn read(value: Value, place: Place) -> Result<Self, String> {
        let text = |keys: &[&str]| value.text_at(keys).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
        let needed = |key: &str| text(&["metadata", key]).ok_or_else(|| format!("a Job without `metadata.{key}`"));
        // What is in Git has none.
        needed("uid")?;
        let (namespace, name) = (needed("namespace")?, needed("name")?);
        let state = LiveState::read(&value)?;
        let applied = match value.text_at(&["metadata", "annotations", LAST_APPLIED]) {
            Some(text) => Some(
                Value::read(text)
                    .ok()
                    .filter(|read| read.as_map().is_some())
                    .ok_or_else(|| format!("the annotation `{LAST_APPLIED}` is not JSON"))?,
            ),
            None => managed::applied(&value),
        };
        Ok(Self { job: Job::new(value), namespace, name, state, applied: applied.map(Job::new), place })
    }

    /// The manifest that was applied last, as the source had it: without what Argo CD adds to it, unless `new` has that too. None if the Job does not
    /// have it.
    pub(super) fn last_manifest(&self, new: &Job) -> Option<Job> {
        let mut value = self.applied.as_ref()?.value().clone();
        let added = [
            &["metadata", "annotations", TRACKING_ID][..],
            &["metadata", "labels", INSTANCE],
            &["metadata", "namespace"],
        ];
        for path in added.into_iter().filter(|path| new.value().at(path).is_none()) {
            value.remove(path);
        }
        Some(Job::new(value))
    }
}

impl LiveState {
    /// Reads the state of a Job (`JobStatus` in `k8s.io/api/batch/v1/types.go`).
    fn read(job: &Value) -> Result<Self, String> {
        let time = |value: Option<&Value>, name: &str| match value {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_text().and_then(Time::parse) {
                Some(time) => Ok(Some(time)),
                None => Err(format!("`{name}` is not a time")),
            },
        };
        if time(job.at(&["metadata", "deletionTimestamp"]), "metadata.deletionTimestamp")?.is_some() {
            return Ok(Self::Deleting);
        }
        let status = |key: &str| time(job.at(&["status", key]), &format!("status.{key}"));
        for condition in conditions(job)? {
            let (kind, holds) = (condition.text_at(&["type"]), condition.text_at(&["status"]));
            let (Some(kind), Some(holds)) = (kind, holds) else {
                return Err("an item of `status.conditions` without `type` or `status`".to_owned());
            };
            if holds != "True" || !["Complete", "Failed"].contains(&kind) {
                continue;
            }
            let changed = time(condition.at(&["lastTransitionTime"]), "status.conditions.lastTransitionTime")?;
            let text = |key| condition.text_at(&[key]).unwrap_or_default().to_owned();
            return Ok(match kind {
                "Complete" => Self::Complete { at: status("completionTime")?.or(changed) },
                _ => Self::Failed { at: changed, reason: text("reason") },
            });
        }
        match job.at(&["spec", "suspend"]) {
            Some(Value::Bool(true)) => Ok(Self::Suspended),
            None | Some(Value::Null | Value::Bool(false)) => Ok(Self::Running { at: status("startTime")? }),
            Some(_) => Err("`spec.suspend` is neither true nor false".to_owned()),
        }
    }

    /// Whether pods of the Job may run.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }

    /// Whether the Job has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::Failed { .. })
    }

    /// The word for it, as in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Complete { .. } => "complete",
            Self::Failed { .. } => "failed",
            Self::Running { .. } => "running",
            Self::Suspended => "suspended",
            Self::Deleting => "deleting",
        }
    }

    /// Since when, if the Job says so.
    pub fn since(&self) -> Option<&Time> {
        match self {
            Self::Complete { at } | Self::Failed { at, .. } | Self::Running { at } => at.as_ref(),
            Self::Suspended | Self::Deleting => None,
        }
    }

    /// The state in words: `complete since 2026-11-26T10:00:00Z (5 min ago)`. Without `now` there is no age.
    pub fn in_words(&self, now: Option<&Time>) -> impl fmt::Display {
        let word = match self {
            Self::Failed { reason, .. } if !reason.is_empty() => format!("failed with `{reason}`"),
            Self::Deleting => "being deleted".to_owned(),
            state => state.as_str().to_owned(),
        };
        let Some(since) = self.since() else { return word };
        let age = now.and_then(|now| now.since(since)).map_or_else(String::new, |age| format!(" ({age} ago)"));
        let link = if matches!(self, Self::Failed { .. }) { "at" } else { "since" };
        format!("{word} {link} {since}{age}")
    }
}

fn conditions(job: &Value) -> Result<&[Value], String> {
    let is_absent = |value: Option<&Value>| value.is_none_or(|value| *value == Value::Null);
    match (job.at(&["status"]), job.at(&["status", "conditions"])) {
        (status, _) if is_absent(status) => Ok(&[]),
        (Some(Value::Map(_)), conditions) if is_absent(conditions) => Ok(&[]),
        (_, Some(Value::List(conditions))) => Ok(conditions),
        _ => Err("`status.conditions` is not a list".to_owned()),
    }
}
