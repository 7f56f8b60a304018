//! The trigger: an ordinary ConfigMap that changes exactly when a hook changes.
//!
//! Argo CD does not compare hooks, so a commit that changes only a hook starts no auto-sync. The changed ConfigMap makes the Application OutOfSync,
//! which starts a full sync.
//!
//! ```yaml
//! apiVersion: v1
//! kind: ConfigMap
//! metadata:
//!   name: shop-job-hooks-g7fg9cf8g5
//!   annotations:
//!     argocd-jobs/trigger: "true"
//! data:
//!   "_migrate": t1-fg6t5fhk55        # a Job: <namespace or nothing>_<written name without a dash at its end>: digest
//!   "Pod_web_seed": t1-hm48tk5dkf    # another kind: <kind and .group>_<namespace or nothing>_<name>: digest
//! ```
//!
//! It has no namespace, so it goes where such objects go. If the Application has no namespace, Argo CD refuses an object without one ("Namespace for
//! … is missing", `controller/state.go`). Then the ConfigMap is in the first namespace, in alphabetical order, that a hook names.
//!
//! A Secret has no entry: its digest would reveal something about its content, and charts fill Secrets with random values, which would change the
//! trigger at every rendering. Webhook configurations have none either, because the same charts put the generated certificate into them.

use std::collections::BTreeMap;

use goyaml::json::{self, Form};
use goyaml::split::is_separator;
use goyaml::value::Map;
use goyaml::{TextAt, Value};
use kube_jobs::argocd::{HookDeletePolicy, Phase};
use kube_jobs::kubernetes::{Object, name};

use super::{JobPlan, Request};
use crate::hash;
use crate::strategy::base_of;

/// The annotation that marks the ConfigMap.
pub const TRIGGER: &str = "argocd-jobs/trigger";

/// The maximum length of the ConfigMap's name in bytes: that of a label value, because Argo CD can use the name as one.
const MAX_NAME: usize = 63;

/// Whether an object is a trigger that an earlier run has written.
pub fn is_trigger(object: &impl TextAt) -> bool {
    object.text_at(&["kind"]) == Some("ConfigMap")
        && object.text_at(&["metadata", "annotations", TRIGGER]) == Some("true")
}

/// The separator line at the start of a piece. Empty if there is none.
pub(super) fn opening(piece: &str) -> &str {
    if is_separator(piece) { piece.split_inclusive('\n').next().unwrap_or("") } else { "" }
}

/// A hook other than a Job.
#[derive(Debug)]
pub(super) struct Hook {
    key: String,
    namespace: Option<String>,
    digest: String,
}

impl Hook {
    /// The hook for the trigger. None for an object whose change must not start a sync.
    pub(super) fn of(object: &Object) -> Option<Self> {
        let digest = digest(object)?;
        let group = Some(object.group()).filter(|group| !group.is_empty()).map(|group| format!(".{group}"));
        let name = object.name().or(object.generate_name().map(base_of)).unwrap_or("");
        let (kind, namespace) = (object.kind(), object.namespace().map(ToOwned::to_owned));
        // The name of a Job cannot contain `_`, so this key cannot equal that of a Job.
        let key = key(&format!("{kind}{}_{}_{name}", group.unwrap_or_default(), namespace.as_deref().unwrap_or("")));
        Some(Self { key, namespace, digest })
    }
}

/// Whether a change of the object should start a sync: it is a hook, runs not only after a failed sync, and is not a Secret or a webhook
/// configuration.
pub fn starts_a_sync(object: &Object) -> bool {
    let is_left_out = match (object.group(), object.kind()) {
        ("", "Secret") => true,
        ("admissionregistration.k8s.io", kind) => kind.ends_with("WebhookConfiguration"),
        _ => false,
    };
    !is_left_out && object.is_hook() && object.phases().iter().any(|phase| *phase != Phase::SyncFail)
}

/// The digest, version 1, of a hook: its emitted content, phases, delete policies and wave. The content of a Job is its `spec`; that of any other
/// object is everything but `apiVersion`, `kind`, `metadata` and `status`. None for an object whose change must not start a sync.
pub fn digest(object: &Object) -> Option<String> {
    if !starts_a_sync(object) {
        return None;
    }
    let mut phases: Vec<&str> = object.phases().into_iter().map(Phase::as_str).collect();
    phases.sort_unstable();
    let mut policies = object.delete_policies();
    if policies.is_empty() {
        policies.push(HookDeletePolicy::BeforeHookCreation);
    }
    let list = |items: Vec<&str>| Value::List(items.into_iter().map(|item| Value::String(item.into())).collect());
    let content = Map::from_iter([
        ("phases".to_owned(), list(phases)),
        ("policies".to_owned(), list(policies.into_iter().map(HookDeletePolicy::as_str).collect())),
        content(object),
        ("wave".to_owned(), Value::Int(object.wave())),
    ]);
    Some(hash::short(&format!("argocd-jobs/t1\n{}", json::print(&Value::Map(content), Form::Canonical))))
}

/// The key of the content in the digest, and the content.
fn content(object: &Object) -> (String, Value) {
    if object.is_job() {
        return ("spec".to_owned(), object.value().at(&["spec"]).cloned().unwrap_or(Value::Null));
    }
    let is_content = |key: &str| !matches!(key, "apiVersion" | "kind" | "metadata" | "status");
    let entries = object.value().as_map().into_iter().flatten().filter(|(key, _)| is_content(key));
    ("content".to_owned(), Value::Map(entries.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

/// The data of the ConfigMap.
pub(super) fn data(jobs: &[JobPlan], hooks: &[Hook]) -> BTreeMap<String, String> {
    let mut entries: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for job in jobs {
        if let Some(digest) = &job.emitted.trigger_digest {
            entries.entry(job_key(job)).or_default().push(digest);
        }
    }
    for hook in hooks {
        entries.entry(hook.key.clone()).or_default().push(&hook.digest);
    }
    let value = |mut digests: Vec<&str>| {
        digests.sort_unstable();
        if let [one] = digests.as_slice() { (*one).to_owned() } else { hash::short(&digests.join("\n")) }
    };
    entries.into_iter().map(|(key, digests)| (key, format!("t1-{}", value(digests)))).collect()
}

/// The ConfigMap as a document. None if the Application's name is unknown, or if there is no hook to start a sync for.
pub(super) fn document(
    data: &BTreeMap<String, String>,
    (jobs, hooks): (&[JobPlan], &[Hook]),
    request: &Request<'_>,
) -> Option<String> {
    let name = name(request)?;
    if data.is_empty() {
        return None;
    }
    let mut counted = jobs.iter().filter(|job| job.emitted.trigger_digest.is_some()).peekable();
    let mut text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n", json::quote(&name));
    if request.application.namespace.is_none() {
        let namespaces = hooks.iter().map(|hook| hook.namespace.as_ref());
        let has_jobs = counted.peek().is_some();
        match counted.map(|job| job.namespace.as_ref()).chain(namespaces).flatten().min() {
            Some(namespace) => text += &format!("  namespace: {}\n", json::quote(namespace)),
            // All hooks are cluster-scoped: Argo CD could not sync a ConfigMap without a namespace.
            None if !has_jobs => return None,
            None => {}
        }
    }
    text += &format!("  annotations:\n    {TRIGGER}: \"true\"\ndata:\n");
    for (key, value) in data {
        text += &format!("  {}: {value}\n", json::quote(key));
    }
    Some(text)
}

/// `<application>-job-hooks-<hash of repository and path>`, so that two sources of one Application have two ConfigMaps. Argo CD names an Application
/// outside the control namespace `<namespace>_<name>`.
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

fn job_key(job: &JobPlan) -> String {
    let written = job.input_name().map_or("", base_of);
    key(&format!("{}_{written}", job.namespace.as_deref().unwrap_or("")))
}

/// Replaces characters that the key of a ConfigMap must not have.
fn key(text: &str) -> String {
    let allowed = |found: char| found.is_ascii_alphanumeric() || matches!(found, '-' | '_' | '.');
    text.chars().map(|found| if allowed(found) { found } else { '-' }).take(253).collect()
}
