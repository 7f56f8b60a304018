//! The trigger: an ordinary ConfigMap that changes exactly when a hook Job changes.
//!
//! Argo CD leaves hooks out of its comparison, so a commit that changes only a hook starts no auto-sync. With the ConfigMap in
//! the output it makes the Application OutOfSync, and the sync that follows is a full one.
//!
//! ```yaml
//! apiVersion: v1
//! kind: ConfigMap
//! metadata:
//!   name: shop-job-hooks-g7fg9cf8g5
//!   annotations:
//!     argocd-jobs/trigger: "true"
//! data:
//!   "_migrate": t1-fg6t5fhk55        # <namespace or nothing>_<written name without a dash at its end>: digest
//! ```

use std::collections::BTreeMap;

use super::{JobPlan, Request};
use crate::argocd::{HookDeletePolicy, Phase};
use crate::hash;
use crate::kubernetes::{Job, name};
use crate::strategy::base_of;
use crate::yaml::json::{self, Form};
use crate::yaml::split::is_separator;
use crate::yaml::value::Map;
use crate::yaml::{TextAt, Value};

/// The annotation by which the ConfigMap is recognized.
pub const TRIGGER: &str = "argocd-jobs/trigger";

/// A ConfigMap's name is at most as long as a label's value, which Argo CD can make of it.
const MAX_NAME: usize = 63;

/// True for a ConfigMap that an earlier run has written.
pub fn is_trigger(object: &impl TextAt) -> bool {
    object.text_at(&["kind"]) == Some("ConfigMap")
        && object.text_at(&["metadata", "annotations", TRIGGER]) == Some("true")
}

/// The separator line that opens a piece, when one does.
pub(super) fn opening(piece: &str) -> &str {
    if is_separator(piece) { piece.split_inclusive('\n').next().unwrap_or("") } else { "" }
}

/// The digest, version 1, of a Job that a sync runs as a hook: its whole `spec` as emitted, its phases, delete policies and wave.
/// None for Jobs that start no sync: ordinary Jobs, and hooks that only run when a sync has failed.
pub(super) fn digest(job: &Job) -> Option<String> {
    let phases = job.phases();
    if !job.is_hook() || phases.iter().all(|phase| *phase == Phase::SyncFail) {
        return None;
    }
    let mut phases: Vec<&str> = phases.into_iter().map(Phase::as_str).collect();
    phases.sort_unstable();
    let mut policies = job.delete_policies();
    if policies.is_empty() {
        policies.push(HookDeletePolicy::BeforeHookCreation);
    }
    let list = |items: Vec<&str>| Value::List(items.into_iter().map(|item| Value::String(item.into())).collect());
    let wave = job.wave();
    let content = Map::from_iter([
        ("phases".to_owned(), list(phases)),
        ("policies".to_owned(), list(policies.into_iter().map(HookDeletePolicy::as_str).collect())),
        ("spec".to_owned(), job.value().at(&["spec"]).cloned().unwrap_or(Value::Null)),
        ("wave".to_owned(), Value::Int(wave)),
    ]);
    Some(hash::short(&format!("argocd-jobs/t1\n{}", json::print(&Value::Map(content), Form::Canonical))))
}

/// The ConfigMap as a document, when the Application's name is known and a hook is there to start a sync for.
pub(super) fn document(jobs: &[JobPlan], request: &Request<'_>) -> Option<String> {
    let name = name(request)?;
    let mut entries: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for job in jobs {
        if let Some(digest) = &job.emitted.trigger_digest {
            entries.entry(key(job)).or_default().push(digest);
        }
    }
    if entries.is_empty() {
        return None;
    }
    let mut text = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  annotations:\n    {TRIGGER}: \"true\"\ndata:\n",
        json::quote(&name)
    );
    for (key, mut digests) in entries {
        digests.sort_unstable();
        let digest = if let [one] = digests.as_slice() { (*one).to_owned() } else { hash::short(&digests.join("\n")) };
        text += &format!("  {}: t1-{digest}\n", json::quote(&key));
    }
    Some(text)
}

/// `<application>-job-hooks-<hash of repository and path>`, so that two sources of one Application do not share it. Outside the
/// control namespace Argo CD calls an Application `<namespace>_<name>`.
fn name(request: &Request<'_>) -> Option<String> {
    let application = request.application.name.as_deref()?;
    if let Some(name) = &request.output.trigger_name {
        return Some(name.clone());
    }
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let source = format!("{}\n{}", part(&request.application.repo_url), part(&request.application.source_path));
    let suffix = format!("-job-hooks-{}", hash::short(&source));
    name::shorten(&application.replace('_', "-"), &suffix, MAX_NAME)
}

/// Only characters that a key of a ConfigMap may have.
fn key(job: &JobPlan) -> String {
    let written = job.input_name().map_or("", base_of);
    let key = format!("{}_{written}", job.namespace.as_deref().unwrap_or(""));
    let allowed = |found: char| found.is_ascii_alphanumeric() || matches!(found, '-' | '_' | '.');
    key.chars().map(|found| if allowed(found) { found } else { '-' }).take(253).collect()
}
