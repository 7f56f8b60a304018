//! The immutable fields of objects other than Jobs: a sync that changes one fails.
//!
//! The list contains only fields for which two manifests alone show whether the API server refuses the change (`interop/fixed_test.go` asks
//! Kubernetes' own validation), and only objects that Argo CD applies with `kubectl apply`. It does not contain the `roleRef` of a binding: Argo CD
//! applies bindings with `kubectl auth reconcile`, which deletes and creates them.

use goyaml::Value;

use super::{Object, quantity};

/// The value that the API server stores for a field that is absent in the manifest.
#[derive(Clone, Copy)]
enum Absent {
    /// No value.
    Nothing,
    /// This default value.
    Text(&'static str),
    /// A value that the manifest does not show: the field is compared only if both manifests have it.
    Unknown,
}
use Absent::{Nothing, Text, Unknown};

/// API group, kind, path of an immutable field, and its value if the manifest does not have it.
const FIXED: [(&str, &str, &[&str], Absent); 20] = [
    ("", "PersistentVolumeClaim", &["spec", "accessModes"], Unknown),
    ("", "PersistentVolumeClaim", &["spec", "storageClassName"], Unknown),
    ("", "PersistentVolumeClaim", &["spec", "volumeMode"], Text("Filesystem")),
    ("", "PersistentVolumeClaim", &["spec", "volumeName"], Unknown),
    ("", "Secret", &["type"], Text("Opaque")),
    ("apps", "DaemonSet", &["spec", "selector"], Nothing),
    ("apps", "Deployment", &["spec", "selector"], Nothing),
    ("apps", "ReplicaSet", &["spec", "selector"], Nothing),
    ("apps", "StatefulSet", &["spec", "podManagementPolicy"], Text("OrderedReady")),
    ("apps", "StatefulSet", &["spec", "selector"], Nothing),
    ("apps", "StatefulSet", &["spec", "serviceName"], Nothing),
    ("apps", "StatefulSet", &["spec", "volumeClaimTemplates"], Nothing),
    ("networking.k8s.io", "IngressClass", &["spec", "controller"], Nothing),
    ("node.k8s.io", "RuntimeClass", &["handler"], Nothing),
    ("scheduling.k8s.io", "PriorityClass", &["preemptionPolicy"], Text("PreemptLowerPriority")),
    ("scheduling.k8s.io", "PriorityClass", &["value"], Unknown),
    ("storage.k8s.io", "StorageClass", &["parameters"], Nothing),
    ("storage.k8s.io", "StorageClass", &["provisioner"], Nothing),
    ("storage.k8s.io", "StorageClass", &["reclaimPolicy"], Text("Delete")),
    ("storage.k8s.io", "StorageClass", &["volumeBindingMode"], Text("Immediate")),
];
/// The core kinds that are immutable if they have `immutable: true`, and their fields with content.
const CONTENT: [(&str, &[&str]); 2] = [("ConfigMap", &["binaryData", "data"]), ("Secret", &["data", "stringData"])];

const IMMUTABLE: &str = "immutable";

/// An immutable field: its path, joined with dots, and its value.
pub type Field = (String, Value);

/// The immutable fields of an object, with defaults. Empty for a kind that is not in the list.
pub fn fields(object: &Object) -> Vec<Field> {
    let (group, kind, value) = (object.group(), object.kind(), object.value());
    let mut found = Vec::new();
    for (_, _, path, absent) in FIXED.iter().filter(|(of, name, ..)| (*of, *name) == (group, kind)) {
        let mut field = value.at(path).cloned().unwrap_or(Value::Null);
        if path.ends_with(&["volumeClaimTemplates"]) {
            claims(&mut field);
        }
        normalize(&mut field);
        match (&field, absent) {
            (Value::Null, Unknown) => continue,
            (Value::Null, Text(text)) => field = Value::String((*text).into()),
            _ => {}
        }
        found.push((path.join("."), field));
    }
    let content = CONTENT.iter().find(|(name, _)| group.is_empty() && *name == kind);
    if let Some((_, keys)) = content {
        if value.is_true_at(&["immutable"]) {
            found.push((IMMUTABLE.to_owned(), Value::Bool(true)));
        }
        for key in *keys {
            let mut content = value.at(&[key]).cloned().unwrap_or(Value::Null);
            normalize(&mut content);
            found.push(((*key).to_owned(), content));
        }
    }
    found
}

/// The paths of the immutable fields that differ, for which the API server refuses to update `old` to `new`. Values may be replaced by digests.
pub fn refused(old: &[Field], new: &[Field]) -> Vec<String> {
    let may_change = old.iter().all(|(name, _)| name != IMMUTABLE);
    let is_content = |name: &str| CONTENT.iter().any(|(_, keys)| keys.contains(&name));
    let differs = |(name, before): &&Field| {
        let now = new.iter().find(|(field, _)| field == name).map(|(_, value)| value);
        now.map_or(name == IMMUTABLE, |now| now != before) && !(may_change && is_content(name))
    };
    old.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Removes the parts of claim templates that the API server ignores: fields that it sets itself, and the default of `volumeMode`.
fn claims(templates: &mut Value) {
    let Value::List(items) = templates else { return };
    for item in items.iter_mut() {
        for path in [&["apiVersion"][..], &["kind"], &["status"], &["metadata", "creationTimestamp"]] {
            item.remove(path);
        }
        if item.text_at(&["spec", "volumeMode"]) == Some("Filesystem") {
            item.remove(&["spec", "volumeMode"]);
        }
    }
}

/// Removes entries that are null or empty, makes an empty value null, and writes amounts of storage in one form: the API server stores all such
/// variants as the same value.
fn normalize(value: &mut Value) {
    match value {
        Value::List(items) => items.iter_mut().for_each(normalize),
        Value::Map(map) => {
            for (key, entry) in map.iter_mut() {
                normalize(entry);
                if key == "storage" {
                    quantity::normalize(entry);
                }
            }
            map.retain(|_, entry| *entry != Value::Null);
        }
        _ => {}
    }
    if value.is_empty() {
        *value = Value::Null;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The refused fields of two objects of one kind.
    fn told(head: &str, old: &str, new: &str) -> Vec<String> {
        let object = |body: &str| fields(&Object::new(Value::read(&format!("{{{head}, {body}}}")).unwrap()));
        refused(&object(old), &object(new))
    }

    #[test]
    fn what_is_immutable_is_told_by_its_path() {
        let deployment = "apiVersion: apps/v1, kind: Deployment";
        let selector =
            |labels: &str| format!("spec: {{selector: {{matchLabels: {{{labels}}}, matchExpressions: []}}}}");
        assert_eq!(told(deployment, &selector("a: b"), &selector("a: b, c: d")), ["spec.selector"]);
        assert_eq!(
            told(deployment, &selector("a: b"), "spec: {selector: {matchLabels: {a: b}}, replicas: 3}"),
            [""; 0]
        );
        assert_eq!(told("apiVersion: v1, kind: Secret", "data: {a: b}", "type: Opaque, data: {a: c}"), [""; 0]);
        assert_eq!(told("apiVersion: v1, kind: Secret", "data: {a: b}", "type: Other, data: {a: c}"), ["type"]);
        let config = "apiVersion: v1, kind: ConfigMap";
        assert_eq!(told(config, "immutable: true, data: {a: b}", "data: {a: c}"), ["immutable", "data"]);
        assert_eq!(told(config, "data: {a: b}", "immutable: true, data: {a: c}"), [""; 0]);
        let claim = "apiVersion: v1, kind: PersistentVolumeClaim";
        assert_eq!(told(claim, "spec: {}", "spec: {storageClassName: a, volumeMode: Filesystem}"), [""; 0]);
        assert_eq!(
            told(claim, "spec: {storageClassName: a}", "spec: {storageClassName: b}"),
            ["spec.storageClassName"]
        );
        assert_eq!(told("apiVersion: example.com/v1, kind: Deployment", &selector("a: b"), &selector("a: c")), [""; 0]);
    }

    #[test]
    fn claim_templates_are_compared_as_they_are_stored() {
        let set = "apiVersion: apps/v1, kind: StatefulSet";
        let claim =
            |fields: &str| format!("spec: {{volumeClaimTemplates: [{{metadata: {{name: d}}, spec: {{{fields}}}}}]}}");
        let size = |amount: &str| format!("resources: {{requests: {{storage: {amount}}}}}");
        assert_eq!(told(set, &claim(&size("1Gi")), &claim(&(size("1024Mi") + ", volumeMode: Filesystem"))), [""; 0]);
        assert_eq!(told(set, &claim(&size("1Gi")), &claim(&size("2Gi"))), ["spec.volumeClaimTemplates"]);
        assert_eq!(told(set, "spec: {serviceName: a}", "spec: {serviceName: b, replicas: 2}"), ["spec.serviceName"]);
    }
}
