//! Chooses the parts of an object that are kept: only those that findings and previews read. So a survey of a large tree stays small, and the content
//! of a Secret cannot get into a message.
//!
//! A rule that reads another field must add it here.

use goyaml::value::Map;
use goyaml::{Node, Value};
use kube_jobs::kubernetes::{Object, pod};

/// Kinds that are kept whole. Also kept whole are Jobs and hooks that run something, because they are compared field by field, and workloads whose
/// commands may name a Job. Other objects keep only `apiVersion`, `kind` and `metadata`, and workloads a part of their `spec`.
const WHOLE: [&str; 10] = [
    "RoleBinding",
    "ClusterRoleBinding",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Service",
    "StorageClass",
    "Certificate",
    "ExternalSecret",
    "VaultDynamicSecret",
    "VaultStaticSecret",
];

/// The fields that are kept of every object.
const HEADER: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The fields that are kept of containers and of init containers of workloads. Of `env`, only variables with `valueFrom` are kept.
const OF_CONTAINER: [&str; 5] = ["env", "envFrom", "image", "name", "ports"];
const OF_INIT_CONTAINER: [&str; 6] = ["args", "command", "env", "envFrom", "image", "name"];

/// The fields that are kept of the pods of workloads, and the volumes: those that name other objects.
const OF_POD: [&str; 5] =
    ["imagePullSecrets", "priorityClassName", "runtimeClassName", "serviceAccount", "serviceAccountName"];
const OF_VOLUME: [&str; 5] = ["configMap", "csi", "persistentVolumeClaim", "projected", "secret"];

/// The header of an object. None if more than the header is kept. `may_name_a_job` says whether [`may_name_a_job`] can be true for the object.
pub(super) fn header(node: Node<'_>, may_name_a_job: bool) -> Option<Value> {
    let kind = node.text_at(&["kind"])?;
    if may_name_a_job || kind == "Job" || WHOLE.contains(&kind) || pod::WORKLOADS.contains(&kind) {
        return None;
    }
    let entries = HEADER.into_iter().filter_map(|key| Some((key.to_owned(), node.get(key)?.value().ok()?)));
    let header = Object::new(Value::Map(entries.collect()));
    (!header.is_running_hook()).then(|| header.into_value())
}

/// Whether the text of a document may name a Job.
pub(super) fn text_may_name_a_job(text: &str) -> bool {
    goyaml::may_contain(text, "job") || goyaml::may_contain(text, "JOB")
}

/// The kept parts of an object. `may_name_a_job` is the result of [`may_name_a_job`] for it.
pub(super) fn of(object: Object, may_name_a_job: bool) -> Value {
    let is_whole = object.is_job() || WHOLE.contains(&object.kind()) || may_name_a_job || object.is_running_hook();
    let spec = if is_whole { None } else { workload_spec(&object) };
    match object.into_value() {
        Value::Map(mut map) if !is_whole => {
            map.retain(|key, _| HEADER.contains(&key.as_str()));
            map.extend(spec.map(|spec| ("spec".into(), spec)));
            Value::Map(map)
        }
        value => value,
    }
}

/// The kept part of the `spec` of a workload. None for other objects.
fn workload_spec(object: &Object) -> Option<Value> {
    let path = pod::spec_path(object).filter(|_| pod::WORKLOADS.contains(&object.kind()))?;
    let pod = object.value().at(path)?;
    let kept = [("containers", &OF_CONTAINER[..]), ("initContainers", &OF_INIT_CONTAINER[..])].map(|(list, keys)| {
        let containers = pod.items_at(&[list]);
        (list.to_owned(), Value::List(containers.iter().map(|container| part(container, keys)).collect()))
    });
    let names_one = |volume: &&Value| OF_VOLUME.iter().any(|key| volume.at(&[key]).is_some());
    let volumes: Vec<Value> = pod.items_at(&["volumes"]).iter().filter(names_one).cloned().collect();
    let volumes = (!volumes.is_empty()).then(|| ("volumes".to_owned(), Value::List(volumes.into())));
    let names = OF_POD.into_iter().filter_map(|key| Some((key.to_owned(), pod.at(&[key])?.clone())));
    let within = |key: &str, value: Value| Value::Map(Map::from_iter([(key.to_owned(), value)]));
    let spec = ("spec".to_owned(), Value::Map(kept.into_iter().chain(volumes).chain(names).collect()));
    // By their labels Services select the pods.
    let labels = object.value().at(&["spec", "template", "metadata", "labels"]);
    let labels = labels.map(|labels| ("metadata".to_owned(), within("labels", labels.clone())));
    let template = Value::Map(labels.into_iter().chain([spec]).collect());
    let switches = ["paused", "replicas"].into_iter();
    let switches = switches.filter_map(|key| Some((key.to_owned(), object.value().at(&["spec", key])?.clone())));
    Some(Value::Map(switches.chain([("template".to_owned(), template)]).collect()))
}

/// The fields `keys` of a container.
fn part(container: &Value, keys: &[&str]) -> Value {
    let is_elsewhere = |variable: &&Value| variable.at(&["valueFrom"]).is_some();
    let entries = keys.iter().filter_map(|key| match (*key, container.at(&[key])?) {
        ("env", Value::List(variables)) => {
            let kept = variables.iter().filter(is_elsewhere).cloned().collect();
            Some(("env".to_owned(), Value::List(kept)))
        }
        (key, value) => Some((key.to_owned(), value.clone())),
    });
    Value::Map(entries.collect())
}

/// Whether a command line or the name of a variable in the object's pods may name a Job.
pub(super) fn may_name_a_job(object: &Object) -> bool {
    let says_so = |key: &str, value: &Value| match (key, value) {
        ("command" | "args", Value::List(words)) => words.iter().filter_map(Value::as_text).any(names_one),
        ("name", Value::String(name)) => names_one(name),
        _ => false,
    };
    pod::containers(object).iter().any(|container| container.value.find(&says_so).is_some())
}

fn names_one(text: &str) -> bool {
    text.contains("job") || text.contains("JOB")
}
