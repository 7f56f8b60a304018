//! Which updates of a Job the API server refuses: compares our verdict with that of Kubernetes, recorded by
//! `interop/update_test.go`.
//!
//! `UPDATES=file cargo test updates::` uses another file, and `KUBERNETES=1.36` is the version that gave its
//! verdicts.

use std::fs;
use std::path::Path;

use goyaml::value::Map;
use goyaml::{Step, Value};
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};
use kube_jobs::kubernetes::{Difference, Job};

use crate::support::switches;

/// The name of an unknown field in the pairs. Kubernetes silently drops unknown fields; here they count as changes,
/// because a manifest does not say which fields exist. The field is removed before the pairs are compared.
const UNKNOWN: &str = "unknown";

#[test]
fn what_kubernetes_refuses_is_known_beforehand() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/update/pairs.jsonl");
    let file = switches::updates().unwrap_or(own);
    let version = switches::updates_kubernetes();
    all_are_judged_alike(&file, version.as_deref(), 200);
}

#[test]
fn what_kubernetes_1_36_allows_a_suspended_job_is_known_too() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/update/pairs-1.36.jsonl");
    all_are_judged_alike(&own, Some("1.36.1"), 100);
}

#[test]
fn what_kubernetes_1_37_holds_immutable_of_the_scheduling_is_known_too() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/update/pairs-1.37.jsonl");
    all_are_judged_alike(&own, Some("1.37.2"), 100);
}

fn all_are_judged_alike(file: &Path, version: Option<&str>, least: usize) {
    let suspended = SuspendedTemplate::of_cluster(version);
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let wrong: Vec<String> =
        lines.iter().filter_map(|line| Some(format!("{}\n{line}", judge(line, suspended).err()?))).collect();
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(wrong.is_empty(), "{} of {} are judged otherwise\n\n{shown}", wrong.len(), lines.len());
    assert!(lines.len() > least, "only {} pairs", lines.len());
}

/// Compares our verdict on one pair with that of Kubernetes.
fn judge(line: &str, suspended: SuspendedTemplate) -> Result<(), String> {
    let pair = Value::read(line).unwrap();
    let job = |key| {
        let name = Value::Map(Map::from_iter([("name".to_owned(), Value::String("job".into()))]));
        let mut spec = pair.at(&[key]).unwrap().clone();
        forget(&mut spec);
        Job::new(Value::Map(Map::from_iter([("metadata".to_owned(), name), ("spec".to_owned(), spec)])))
    };
    let found = immutability::refused(&job("old"), &job("new"), suspended);
    let wanted: Vec<&str> =
        pair.at(&["refused"]).unwrap().as_list().unwrap().iter().filter_map(Value::as_text).collect();
    let told =
        || format!("Kubernetes: {wanted:?}, we: {:?}", found.iter().map(ToString::to_string).collect::<Vec<_>>());
    if wanted.is_empty() != found.is_empty() {
        return Err(told());
    }
    let is_named = |difference: &Difference| match difference.path.steps().get(1) {
        Some(Step::Key(field)) => wanted.iter().any(|wanted| wanted.split('.').nth(1) == Some(field)),
        _ => true,
    };
    // The program may report another changed field than the server, because it compares the manifests as written. If
    // the server names no field, it has panicked.
    let is_told = found.iter().any(is_named) || wanted.iter().any(|wanted| !wanted.starts_with("spec."));
    if wanted.is_empty() || is_told { Ok(()) } else { Err(told()) }
}

/// Removes the field that Kubernetes does not know.
fn forget(value: &mut Value) {
    match value {
        Value::Map(map) => {
            map.remove(UNKNOWN);
            map.iter_mut().for_each(|(_, value)| forget(value));
        }
        Value::List(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}
