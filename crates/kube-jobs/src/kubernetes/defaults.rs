//! The `spec` of a Job as the API server stores it: with defaults, and without values that mean the same as no value.
//!
//! The defaults are those of `pkg/apis/batch/v1/defaults.go` and `pkg/apis/core/v1/defaults.go` in Kubernetes 1.34 that apply to a Job, without those
//! of removed volume types (Azure disks, ScaleIO). Unknown fields are dropped, as the API server does.

use goyaml::Value;
use goyaml::value::Map;

use super::server_fields::LABELS;
use super::{Image, Job, invalid, quantity};

/// The default of a field.
#[derive(Clone, Copy)]
pub(super) enum Filled {
    Text(&'static str),
    /// A number whose zero is a value of its own.
    Number(i64),
    /// A number that also replaces a zero.
    Positive(i64),
    /// An empty object.
    Object,
    /// `false`
    Off,
}
use Filled::{Number, Object, Off, Positive, Text};

/// Path of the object, field, default. `*` stands for every item of a list, `|` separates alternatives.
pub(super) type Default = (&'static str, &'static str, Filled);

/// The defaults of a Job, outside of its pod.
pub(super) const OF_JOB: &[Default] = &[
    ("", "completionMode", Text("NonIndexed")),
    ("podFailurePolicy.rules.*.onPodConditions.*", "status", Text("True")),
];
const OF_POD: &[Default] = &[
    ("template.spec", "dnsPolicy", Text("ClusterFirst")),
    ("template.spec", "restartPolicy", Text("Always")),
    ("template.spec", "schedulerName", Text("default-scheduler")),
    ("template.spec", "securityContext", Object),
    ("template.spec", "terminationGracePeriodSeconds", Number(30)),
    (CONTAINER, "terminationMessagePath", Text("/dev/termination-log")),
    (CONTAINER, "terminationMessagePolicy", Text("File")),
    ("template.spec.containers|initContainers.*.ports.*", "protocol", Text("TCP")),
    ("template.spec.containers|initContainers.*.env.*.valueFrom.fieldRef", "apiVersion", Text("v1")),
    (PROBE, "timeoutSeconds", Positive(1)),
    (PROBE, "periodSeconds", Positive(10)),
    (PROBE, "successThreshold", Positive(1)),
    (PROBE, "failureThreshold", Positive(3)),
    (PROBE_ACTION, "path", Text("/")),
    (PROBE_ACTION, "scheme", Text("HTTP")),
    (PROBE_CALL, "service", Text("")),
    (LIFECYCLE_ACTION, "path", Text("/")),
    (LIFECYCLE_ACTION, "scheme", Text("HTTP")),
    ("template.spec.volumes.*.configMap|downwardAPI|projected|secret", "defaultMode", Number(0o644)),
    ("template.spec.volumes.*.downwardAPI.items.*.fieldRef", "apiVersion", Text("v1")),
    ("template.spec.volumes.*.ephemeral.volumeClaimTemplate.spec", "volumeMode", Text("Filesystem")),
    ("template.spec.volumes.*.hostPath", "type", Text("")),
    ("template.spec.volumes.*.iscsi", "iscsiInterface", Text("default")),
    ("template.spec.volumes.*.projected.sources.*.downwardAPI.items.*.fieldRef", "apiVersion", Text("v1")),
    ("template.spec.volumes.*.projected.sources.*.serviceAccountToken", "expirationSeconds", Number(3600)),
    ("template.spec.volumes.*.rbd", "keyring", Text("/etc/ceph/keyring")),
    ("template.spec.volumes.*.rbd", "pool", Text("rbd")),
    ("template.spec.volumes.*.rbd", "user", Text("admin")),
];
const CONTAINER: &str = "template.spec.containers|initContainers.*";
const PROBE: &str = "template.spec.containers|initContainers.*.livenessProbe|readinessProbe|startupProbe";
const PROBE_ACTION: &str =
    "template.spec.containers|initContainers.*.livenessProbe|readinessProbe|startupProbe.httpGet";
const PROBE_CALL: &str = "template.spec.containers|initContainers.*.livenessProbe|readinessProbe|startupProbe.grpc";
const LIFECYCLE_ACTION: &str = "template.spec.containers|initContainers.*.lifecycle.postStart|preStop.httpGet";
const QUANTITIES: [&str; 4] = [
    "template.spec.containers|initContainers.*.resources.limits|requests",
    "template.spec.resources.limits|requests",
    "template.spec.overhead",
    "template.spec.volumes.*.ephemeral.volumeClaimTemplate.spec.resources.limits|requests",
];
/// Fields that hold an amount, outside of lists of resources.
const QUANTITY: [&str; 2] = ["divisor", "sizeLimit"];

// A pointer field has a value of its own even if it is empty, false or zero. `k8s.io/api/core/v1/types.go` says which fields are pointers.

/// Maps whose keys the user chooses and whose values are texts. An empty text is a value there, and a null is stored as an empty text.
const TEXT_MAPS: [&str; 6] = ["annotations", "labels", "matchLabels", "nodeSelector", "options", "volumeAttributes"];
/// Objects that mean the same when empty as when absent. Any other empty object is a value.
const PLAIN_OBJECTS: [&str; 9] =
    ["limits", "metadata", "overhead", "podAffinityTerm", "preference", "requests", "resources", "spec", "template"];
/// Those of them that are maps.
const PLAIN_MAPS: [&str; 3] = ["limits", "overhead", "requests"];
/// Flags that mean the same when false as when absent. `csi.readOnly` is an exception.
const PLAIN_FLAGS: [&str; 7] = ["hostIPC", "hostNetwork", "hostPID", "readOnly", "stdin", "stdinOnce", "tty"];
/// Numbers that mean the same when zero as when absent.
const PLAIN_NUMBERS: [&str; 3] = ["hostPort", "initialDelaySeconds", "partition"];
/// Texts that have a meaning of their own when they are empty.
const TEXTS_OR_NONE: [&str; 3] = ["apiGroup", "storageClassName", "volumeAttributesClassName"];

/// Placeholder for a value that only the API server knows.
const GENERATED: &str = "<generated>";

/// The `spec` that the API server stores when it creates the Job (`SetDefaults_Job` and `PrepareForCreate`).
pub(super) fn created(job: &Job) -> Value {
    let mut spec = job.value().at(&["spec"]).cloned().unwrap_or_else(|| Value::Map(Map::default()));
    if !job.has_manual_selector() {
        generate(&mut spec, &["template", "metadata", "labels"], &LABELS);
        generate(&mut spec, &["selector", "matchLabels"], &LABELS[2..3]);
    }
    complete(&mut spec);
    spec
}

/// The `spec` of a Job as the API server stores it, without the values that mean the same as no value.
pub(super) fn stored(live: &Job) -> Value {
    let mut spec = live.value().at(&["spec"]).cloned().unwrap_or_else(|| Value::Map(Map::default()));
    complete(&mut spec);
    spec
}

/// Adds the defaults, and removes unknown fields and values that mean the same as no value.
pub(super) fn complete(spec: &mut Value) {
    invalid::prune(spec, "JobSpec");
    normalize("", spec, &PLAIN_OBJECTS);
    complete_job(spec);
    // Both fields hold the same name; the newer field wins (`Convert_v1_PodSpec_To_core_PodSpec`).
    each(spec, "template.spec", &mut |pod| {
        if let Some(name) = pod.get("serviceAccountName").or_else(|| pod.get("serviceAccount")).cloned() {
            pod.insert("serviceAccountName".into(), name.clone());
            pod.insert("serviceAccount".into(), name);
        }
    });
    complete_pod(spec);
}

/// Adds the defaults of a Job outside of its pod that are immutable.
fn complete_job(spec: &mut Value) {
    let has = |spec: &Value, key| spec.at(&[key]).is_some();
    if !has(spec, "parallelism") {
        if !has(spec, "completions") {
            set(spec, "completions", Value::Int(1));
        }
        set(spec, "parallelism", Value::Int(1));
    }
    fill_all(spec, OF_JOB);
}

/// Adds the defaults of the pod whose template is in `spec`.
pub(super) fn complete_pod(spec: &mut Value) {
    each(spec, CONTAINER, &mut |container| {
        // Without it the API server refuses the pod, or Argo CD ignores the image.
        let Some(image) = container.get("image").and_then(Value::as_text) else { return };
        let policy = if Image::of(image).is_latest() { "Always" } else { "IfNotPresent" };
        container.entry("imagePullPolicy".into()).or_insert_with(|| Value::String(policy.into()));
    });
    // Not a pointer in a container, unlike that of a pod.
    each(spec, CONTAINER, &mut |container| {
        container.retain(|key, value| key != "resources" || !value.is_empty());
    });
    each(spec, "template.spec.volumes.*", &mut |volume| {
        if !volume.keys().any(|key| key != "name") {
            volume.insert("emptyDir".into(), Value::Map(Map::default()));
        }
    });
    for path in QUANTITIES {
        each(spec, path, &mut |amounts| amounts.iter_mut().for_each(|(_, amount)| quantity::normalize(amount)));
    }
    fill_all(spec, OF_POD);
}

/// Adds defaults where they are missing.
pub(super) fn fill_all(value: &mut Value, defaults: &[Default]) {
    for (path, key, default) in defaults {
        each(value, path, &mut |map| fill(map, key, *default));
    }
}

/// Removes what a `spec` has without meaning, as far as the API server and every client leave it out.
pub(super) fn omit(spec: &mut Value) {
    normalize("", spec, &PLAIN_MAPS);
}

fn fill(map: &mut Map, key: &str, default: Filled) {
    let value = match default {
        Text(text) => Value::String(text.into()),
        Number(number) | Positive(number) => Value::Int(number),
        Object => Value::Map(Map::default()),
        Off => Value::Bool(false),
    };
    let is_zero = matches!(default, Positive(_)) && map.get(key) == Some(&Value::Int(0));
    if is_zero || !map.contains_key(key) {
        map.insert(key.into(), value);
    }
}

/// Adds the missing `keys` to the map at `path`, with [`GENERATED`] as their value.
fn generate(spec: &mut Value, path: &[&str], keys: &[&str]) {
    let mut there = spec;
    for key in path {
        let Value::Map(map) = there else { return };
        let next = map.entry((*key).into()).or_insert(Value::Null);
        if *next == Value::Null {
            *next = Value::Map(Map::default());
        }
        there = next;
    }
    if let Value::Map(map) = there {
        for key in keys {
            map.entry((*key).into()).or_insert_with(|| Value::String(GENERATED.into()));
        }
    }
}

/// Removes from all maps the entries that the API server does not store. `plain` are the objects that mean the same when empty as when absent.
fn normalize(field: &str, value: &mut Value, plain: &[&str]) {
    match value {
        Value::Map(map) if TEXT_MAPS.contains(&field) => {
            let nulls = map.iter_mut().map(|(_, text)| text).filter(|text| **text == Value::Null);
            nulls.for_each(|text| *text = Value::String("".into()));
        }
        Value::Map(map) => {
            for (key, value) in map.iter_mut() {
                normalize(key, value, plain);
                if QUANTITY.contains(&key.as_str()) {
                    quantity::normalize(value);
                }
            }
            map.retain(|key, value| says_something(field, key, value, plain));
        }
        Value::List(items) => {
            for item in items {
                normalize("", item, plain);
                if *item == Value::Null {
                    *item = Value::String("".into());
                }
            }
        }
        _ => {}
    }
}

fn says_something(parent: &str, key: &str, value: &Value, plain: &[&str]) -> bool {
    match value {
        Value::Null => false,
        Value::List(items) => !items.is_empty(),
        Value::Map(map) => !map.is_empty() || !(plain.contains(&key) || TEXT_MAPS.contains(&key)),
        Value::String(text) if key == "divisor" => text != "0m",
        Value::String(text) => !text.is_empty() || TEXTS_OR_NONE.contains(&key),
        Value::Bool(flag) => *flag || parent == "csi" || !PLAIN_FLAGS.contains(&key),
        Value::Int(number) => *number != 0 || !PLAIN_NUMBERS.contains(&key),
        Value::Float(_) => true,
    }
}

pub(super) fn set(value: &mut Value, key: &str, new: Value) {
    if let Value::Map(map) = value {
        map.insert(key.into(), new);
    }
}

/// Calls `then` for every map at a path, which is written as in [`Default`].
pub(super) fn each(value: &mut Value, path: &str, then: &mut dyn FnMut(&mut Map)) {
    if path.is_empty() {
        if let Value::Map(map) = value {
            then(map);
        }
        return;
    }
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    match value {
        Value::List(items) if step == "*" => items.iter_mut().for_each(|item| each(item, rest, then)),
        Value::Map(map) => {
            for key in step.split('|') {
                if let Some(next) = map.get_mut(key) {
                    each(next, rest, then);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stored `spec` of a Job whose pod has these fields.
    fn stored(pod: &str) -> Value {
        let mut spec = Value::read(&format!("{{template: {{spec: {{{pod}}}}}}}")).unwrap();
        complete(&mut spec);
        spec
    }

    fn container(fields: &str) -> String {
        format!("containers: [{{name: c, image: 'a:1', {fields}}}]")
    }

    #[test]
    fn what_is_empty_or_zero_is_stored_where_it_is_not_the_same_as_none() {
        let plain = stored(&container(""));
        for none in [
            "resources: {}",
            "resources: {limits: {}, requests: {}}",
            "workingDir: ''",
            "tty: false",
            "command: []",
            "volumeMounts: null",
        ] {
            assert_eq!(stored(&container(none)), plain, "{none}");
        }
        for some in ["securityContext: {}", "lifecycle: {}", "securityContext: {runAsUser: 0}", "tty: true"] {
            assert_ne!(stored(&container(some)), plain, "{some}");
        }
        let port = |fields: &str| stored(&container(&format!("ports: [{{containerPort: 1{fields}}}]")));
        assert_eq!(port(", hostPort: 0"), port(""));
        assert_ne!(port(", hostPort: 1"), port(""));
        let variable = |fields: &str| stored(&container(&format!("env: [{{name: A{fields}}}]")));
        assert_eq!(variable(", value: ''"), variable(""));
        // Zero of any unit means absent only in a divisor.
        assert_ne!(variable(", value: 0m"), variable(""));
        assert_eq!(stored("hostNetwork: false"), stored(""));
        let csi = |fields: &str| stored(&format!("volumes: [{{name: v, csi: {{driver: d{fields}}}}}]"));
        assert_ne!(csi(", readOnly: false"), csi(""));
    }

    #[test]
    fn a_volume_that_says_nothing_is_an_empty_directory() {
        let volume = |fields: &str| stored(&format!("volumes: [{{name: v{fields}}}]"));
        assert_eq!(volume(""), volume(", emptyDir: {}"));
        let of_host = volume(", hostPath: {path: /a}");
        assert!(!format!("{of_host:?}").contains("emptyDir"), "{of_host:?}");
    }

    #[test]
    fn a_list_in_the_place_of_a_map_gets_no_defaults() {
        let written = Value::read("{template: [{spec: {a: b}}, {c: d}]}").unwrap();
        let mut spec = written.clone();
        complete(&mut spec);
        assert_eq!(spec.at(&["template"]), written.at(&["template"]));
    }
}
