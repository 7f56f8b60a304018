//! The parts of ConfigMaps, Secrets, ServiceAccounts and claims that a pod reads, and of what gives it rights: their names and digests. No values are kept.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use goyaml::{Path, Value};
use kube_jobs::kubernetes::Object;
use rewrite::hash;

use super::bindings::RBAC;

/// The key of an entry of the data, or the path of a field, and the short hash of its value.
pub type Part = (Box<str>, Box<str>);

/// Prefixes of annotations that tools write when they apply an object. No pod reads them.
const OF_TOOLS: [&str; 5] =
    ["argocd-jobs/", "argocd.argoproj.io/", "helm.sh/", "kubectl.kubernetes.io/", "meta.helm.sh/"];

/// The parts of an object, sorted by name. Empty for other kinds.
pub(super) fn of(object: &Object) -> Box<[Part]> {
    let found = match (object.group(), object.kind()) {
        (RBAC, "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding") => {
            of_its_own(object).map(|entry| field(&[], entry)).collect()
        }
        (group, _) if !group.is_empty() => BTreeMap::new(),
        (_, "ConfigMap") => children(object, &["binaryData"]).chain(children(object, &["data"])).map(plain).collect(),
        (_, "Secret") => secret(object),
        (_, "ServiceAccount") => service_account(object),
        (_, "PersistentVolumeClaim") => children(object, &["spec"]).map(|entry| field(&["spec"], entry)).collect(),
        _ => BTreeMap::new(),
    };
    found.into_iter().map(|(name, digest)| (name.into(), digest.into())).collect()
}

type Entry<'o> = (&'o str, &'o Value);

/// The entries of the map at `path`, except null ones.
fn children<'o>(object: &'o Object, path: &[&str]) -> impl Iterator<Item = Entry<'o>> + use<'o> {
    let map = object.value().at(path).and_then(Value::as_map);
    let entries = map.into_iter().flat_map(|map| map.iter()).map(|(key, value)| (key.as_str(), value));
    entries.filter(|(_, value)| **value != Value::Null)
}

fn plain((name, value): Entry<'_>) -> (String, String) {
    (name.to_owned(), value.as_text().map_or_else(|| hash::short_of(value), hash::short))
}

fn field(parent: &[&str], (key, value): Entry<'_>) -> (String, String) {
    (Path::of_keys(parent).with(key).to_string(), plain((key, value)).1)
}

/// The entries of a Secret. The API server writes `stringData` over `data`, so equal values get equal digests in both.
fn secret(object: &Object) -> BTreeMap<String, String> {
    let encoded = children(object, &["data"]).map(|(key, value)| match value.as_text() {
        Some(text) => (key.to_owned(), hash::short(&text.replace(['\r', '\n'], ""))),
        None => plain((key, value)),
    });
    let as_text = children(object, &["stringData"]).map(|(key, value)| match value.as_text() {
        Some(text) => (key.to_owned(), hash::short(&STANDARD.encode(text))),
        None => plain((key, value)),
    });
    encoded.chain(as_text).collect()
}

/// The annotations and fields of a ServiceAccount. Annotations name its role in the cloud.
fn service_account(object: &Object) -> BTreeMap<String, String> {
    const ANNOTATIONS: [&str; 2] = ["metadata", "annotations"];
    let of_tools = |key: &str| OF_TOOLS.iter().any(|prefix| key.starts_with(prefix));
    let annotations = children(object, &ANNOTATIONS).filter(|(key, _)| !of_tools(key));
    let annotations = annotations.map(|entry| field(&ANNOTATIONS, entry));
    annotations.chain(of_its_own(object).map(|entry| field(&[], entry))).collect()
}

/// The fields that not every kind has.
fn of_its_own(object: &Object) -> impl Iterator<Item = Entry<'_>> {
    children(object, &[]).filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(key))
}
