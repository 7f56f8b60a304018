//! The runs whose Jobs still exist, by the names that people wrote, and what deletes earlier ones.

use std::collections::BTreeMap;

use kube_jobs::argocd::HookDeletePolicy;
use lint::survey::generated_name;
use rewrite::strategy::{base_of, remembered_name};
use serde::Serialize;
use text::Time;

use super::{Cluster, LiveJob, State};

/// What is known of earlier runs.
#[derive(Clone, Debug)]
pub struct History {
    /// The runs, by namespace and name; of one name the newest first.
    pub runs: Vec<Run>,
    /// What deletes other runs.
    pub gone: Vec<Missing>,
    /// How many Jobs of CronJobs are left out.
    pub of_cron_jobs: usize,
}

/// Why earlier runs are missing.
#[derive(Clone, Debug, Serialize)]
pub struct Missing {
    /// The namespace and the name that the user wrote.
    pub name: String,
    /// What deletes other runs of this name.
    pub why: String,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The namespace and the name that the user wrote: `shop/migrate`.
    pub name: String,
    /// The name of the Job in the cluster: `migrate-m7kf6hgbt4`.
    pub job: String,
    /// The content hash in the name of the Job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The images of its containers, each once.
    pub images: Vec<String>,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    /// When it ended, if the Job says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// How long it took, if it has ended.
    #[serde(skip)]
    pub took: Option<String>,
    /// Its state.
    #[serde(flatten)]
    pub state: State,
}

impl History {
    /// The history that the Jobs of a cluster tell.
    pub fn of(cluster: &Cluster) -> Self {
        let mut by_name: BTreeMap<String, Vec<&LiveJob>> = BTreeMap::new();
        let of_cron_jobs = cluster.jobs.iter().filter(|job| owner(job, "CronJob").is_some()).count();
        for job in cluster.jobs.iter().filter(|job| owner(job, "CronJob").is_none()) {
            by_name.entry(format!("{}/{}", job.namespace, written(job))).or_default().push(job);
        }
        let (mut runs, mut gone) = (Vec::new(), Vec::new());
        for (name, mut jobs) in by_name {
            jobs.sort_by_key(|job| std::cmp::Reverse((job.started(), job.name.clone())));
            let own = jobs.iter().find(|job| owner(job, "Job").is_none());
            let deleted = own.map(|job| deleted(job)).unwrap_or_default();
            gone.extend((!deleted.is_empty()).then(|| Missing { name: name.clone(), why: deleted.join("; ") }));
            runs.extend(jobs.into_iter().map(|job| Run::of(job, &name)));
        }
        Self { runs, gone, of_cron_jobs }
    }
}

impl Run {
    fn of(job: &LiveJob, name: &str) -> Self {
        let mut images: Vec<String> = Vec::new();
        for (_, image) in job.job.images() {
            if !images.iter().any(|known| known == image) {
                images.push(image.to_owned());
            }
        }
        let started = job.started();
        let ended = match &job.state {
            State::Complete { at } | State::Failed { at, .. } => at.clone(),
            _ => None,
        };
        let took = ended.as_ref().zip(started.as_ref()).and_then(|(ended, started)| ended.since(started));
        let hash = hash(job).map(|(_, hash)| hash.to_owned());
        let (name, state) = (name.to_owned(), job.state.clone());
        Self { name, job: job.name.clone(), hash, images, started, ended, took, state }
    }
}

impl LiveJob {
    fn started(&self) -> Option<Time> {
        self.job.value().text_at(&["status", "startTime"]).and_then(Time::parse)
    }
}

/// The name of the owner of this kind.
fn owner<'j>(job: &'j LiveJob, kind: &str) -> Option<&'j str> {
    let owners = job.job.value().at(&["metadata", "ownerReferences"])?.as_list()?;
    owners.iter().find(|owner| owner.text_at(&["kind"]) == Some(kind))?.text_at(&["name"])
}

/// The name that the user wrote; for the copy of a Job, which it owns, that of the Job.
fn written(job: &LiveJob) -> &str {
    let known = remembered_name(&job.job).map(base_of);
    known.or_else(|| owner(job, "Job")).or_else(|| Some(hash(job)?.0)).unwrap_or_else(|| stem(job))
}

/// The `generateName` without its dash, or the name.
fn stem(job: &LiveJob) -> &str {
    job.job.generate_name().map_or(&job.name, base_of)
}

/// What the content hash of a name follows, and the hash.
fn hash(job: &LiveJob) -> Option<(&str, &str)> {
    stem(job).rsplit_once('-').filter(|_| generated_name::is_of_kustomize(stem(job)))
}

/// What deletes other runs of a Job.
fn deleted(job: &LiveJob) -> Vec<String> {
    let mut found = Vec::new();
    let object = &job.job;
    if object.is_hook() {
        let policies = object.delete_policies();
        let mut has = |policy, text: &str| {
            if policies.contains(&policy) {
                found.push(text.to_owned());
            }
        };
        has(HookDeletePolicy::HookSucceeded, "a run that succeeds is deleted (`HookSucceeded`)");
        has(HookDeletePolicy::HookFailed, "a sync that fails deletes it (`HookFailed`)");
        if object.generate_name().is_none() && object.is_new_each_time() {
            found.push("each sync deletes the run before it (`BeforeHookCreation`)".to_owned());
        }
    } else if hash(job).is_none() {
        found.push("only one Job can have this name, so an earlier run is deleted".to_owned());
    } else if !object.has_sync_option("Prune=false") {
        found.push("a sync with prune deletes the run before it".to_owned());
    }
    if let Some(ttl) = object.ttl() {
        found.push(format!("a run is deleted {ttl} s after it has ended (`ttlSecondsAfterFinished`)"));
    }
    found
}
