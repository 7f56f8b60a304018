//! An object as Argo CD compares it: what means the same to Kubernetes is written in one way.
//!
//! Argo CD reads an object of a kind that it knows into the types of Kubernetes and writes it again, which leaves out what is empty, and fills in
//! the defaults before it compares (`remarshal` and `ThreeWayDiff` in `gitops-engine/pkg/diff/diff.go`). A removed field that the defaults do
//! not bring back differs. `interop/compared_test.go` asks that code about random pairs; what is not here counts as different.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use goyaml::Value;
use goyaml::value::Map;

use super::defaults::{self, Default, Filled};
use super::{Object, quantity};
use Filled::{Number, Off, Text};

/// The groups whose types Argo CD knows (`k8s.io/client-go/kubernetes/scheme`), besides those that end in `.k8s.io`.
const KNOWN: [&str; 5] = ["", "apps", "autoscaling", "batch", "policy"];
/// Groups that end in `.k8s.io` and are custom resources or unknown to that client.
const NOT_KNOWN: [&str; 4] =
    ["apiextensions.k8s.io", "apiregistration.k8s.io", "gateway.networking.k8s.io", "snapshot.storage.k8s.io"];

/// `apiVersion`, kind, and the defaults: the path of the object, the field, the value (`pkg/apis/*/v1/defaults.go` in Kubernetes).
const KINDS: &[(&str, &str, &[Default])] = &[
    (
        "apps/v1",
        "DaemonSet",
        &[
            ("spec", "revisionHistoryLimit", Number(10)),
            ("spec", "updateStrategy", Filled::Object),
            ("spec.updateStrategy", "type", Text("RollingUpdate")),
        ],
    ),
    (
        "apps/v1",
        "Deployment",
        &[
            ("spec", "progressDeadlineSeconds", Number(600)),
            ("spec", "replicas", Number(1)),
            ("spec", "revisionHistoryLimit", Number(10)),
            ("spec", "strategy", Filled::Object),
            ("spec.strategy", "type", Text("RollingUpdate")),
        ],
    ),
    ("apps/v1", "ReplicaSet", &[("spec", "replicas", Number(1))]),
    (
        "apps/v1",
        "StatefulSet",
        &[
            ("spec", "podManagementPolicy", Text("OrderedReady")),
            ("spec", "replicas", Number(1)),
            ("spec", "revisionHistoryLimit", Number(10)),
        ],
    ),
    ("autoscaling/v2", "HorizontalPodAutoscaler", &[("spec", "minReplicas", Number(1))]),
    (
        "batch/v1",
        "CronJob",
        &[
            ("spec", "concurrencyPolicy", Text("Allow")),
            ("spec", "failedJobsHistoryLimit", Number(1)),
            ("spec", "successfulJobsHistoryLimit", Number(3)),
            ("spec", "suspend", Off),
        ],
    ),
    ("batch/v1", "Job", &[("spec", "suspend", Off)]),
    ("networking.k8s.io/v1", "NetworkPolicy", &[("spec.ingress|egress.*.ports.*", "protocol", Text("TCP"))]),
    ("v1", "PersistentVolumeClaim", &[("spec", "volumeMode", Text("Filesystem"))]),
    ("v1", "Pod", &[]),
    ("v1", "Secret", &[("", "type", Text("Opaque"))]),
    (
        "v1",
        "Service",
        &[
            ("spec", "sessionAffinity", Text("None")),
            ("spec", "type", Text("ClusterIP")),
            ("spec.ports.*", "protocol", Text("TCP")),
        ],
    ),
];

/// Kinds of Kubernetes whose status is in their types. In another one it is an unknown field, and Argo CD compares the object as it is written.
const WITH_STATUS: [&str; 10] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Job",
    "PersistentVolumeClaim",
    "Pod",
    "ReplicaSet",
    "Service",
    "StatefulSet",
];

/// An object without what Kubernetes does not store: before Argo CD removes what is ignored.
pub(crate) fn reduced(mut object: Value) -> Value {
    let is_known = is_known(&object);
    let kind = object.text_at(&["kind"]).unwrap_or_default().to_owned();
    for path in [["metadata", "namespace"], ["metadata", "creationTimestamp"]] {
        object.remove(&path);
    }
    if kind == "Secret" && is_known {
        defaults::each(&mut object, "", &mut encode);
    }
    // Argo CD writes an annotation of its own into all objects.
    without_empty(&mut object, &["metadata", "annotations"]);
    // It ignores the status of all objects by default (`GetResourceOverrides`).
    match is_known && !WITH_STATUS.contains(&kind.as_str()) {
        true if object.at(&["status"]).is_some() => return object,
        true => {}
        false => object.remove(&["status"]),
    }
    if is_known {
        without_empty(&mut object, &["metadata", "finalizers"]);
        without_empty(&mut object, &["metadata", "labels"]);
    }
    if is_known && ["ConfigMap", "Secret"].contains(&kind.as_str()) {
        without_empty(&mut object, &["binaryData"]);
        without_empty(&mut object, &["data"]);
    }
    if defaults_of(&object).is_some() {
        defaults::each(&mut object, "", &mut |object| {
            if let Some(spec) = object.get_mut("spec") {
                // These are there for Argo CD even if they are empty.
                let kept = ["serviceName", "strategy"].map(|key| (key, spec.at(&[key]).cloned()));
                defaults::omit(spec);
                for (key, value) in kept {
                    value.into_iter().for_each(|value| defaults::set(spec, key, value));
                }
            }
        });
    }
    object
}

/// An object that was `reduced`, without what is ignored, and with the defaults that Argo CD fills in.
pub(crate) fn completed(mut object: Value, reduced: &Value) -> Value {
    let Some(all) = defaults_of(&object) else { return object };
    // What is ignored of a strategy decides its defaults.
    let is_ignored = |key| object.at(&["spec", key]) != reduced.at(&["spec", key]);
    if ["strategy", "updateStrategy"].into_iter().any(is_ignored) {
        return object;
    }
    let kind = object.text_at(&["kind"]).unwrap_or_default().to_owned();
    defaults::each(&mut object, "", &mut |object| {
        object.get_mut("spec").into_iter().for_each(|spec| complete_spec(&kind, spec));
    });
    defaults::fill_all(&mut object, all);
    if kind != "StatefulSet" {
        defaults::each(&mut object, "spec.strategy|updateStrategy", &mut |strategy| roll(&kind, strategy));
    }
    object
}

/// An object as the API server stores it: with its defaults, and without what means nothing. Of a kind whose defaults are unknown, as it is.
pub fn stored(object: &Object) -> Value {
    let reduced = reduced(object.value().clone());
    completed(reduced.clone(), &reduced)
}

/// Whether an object is a Deployment with a `strategy`. If all of it is removed, Argo CD fills it in together with `$retainKeys`, a word of the merge
/// that the live object does not have, and sees a difference.
pub(crate) fn has_strategy(object: &Value) -> bool {
    object.text_at(&["kind"]) == Some("Deployment") && object.at(&["spec", "strategy"]).is_some()
}

/// Whether Argo CD has the type of an object.
fn is_known(object: &Value) -> bool {
    let group = object.text_at(&["apiVersion"]).and_then(|api| api.split_once('/')).map_or("", |(group, _)| group);
    KNOWN.contains(&group) || group.ends_with(".k8s.io") && !NOT_KNOWN.contains(&group)
}

fn defaults_of(object: &Value) -> Option<&'static [Default]> {
    let [api, kind] = ["apiVersion", "kind"].map(|key| object.text_at(&[key]).unwrap_or_default());
    KINDS.iter().find(|(of, name, _)| (*of, *name) == (api, kind)).map(|(.., all)| *all)
}

/// Removes a map or a list that has no entries.
fn without_empty(object: &mut Value, path: &[&str]) {
    let is_empty = |value: &Value| *value == Value::Null || value.is_empty();
    if object.at(path).is_some_and(is_empty) {
        object.remove(path);
    }
}

/// Completes a `spec`, with the template of a pod in it.
fn complete_spec(kind: &str, spec: &mut Value) {
    match kind {
        "CronJob" => defaults::each(spec, "jobTemplate", &mut |template| {
            template.get_mut("spec").into_iter().for_each(defaults::complete_pod);
        }),
        "Job" => {
            defaults::fill_all(spec, defaults::OF_JOB);
            defaults::complete_pod(spec);
            if spec.at(&["backoffLimitPerIndex"]).is_none() && spec.at(&["backoffLimit"]).is_none() {
                defaults::set(spec, "backoffLimit", Value::Int(6));
            }
            if spec.at(&["podReplacementPolicy"]).is_none() {
                let policy = if spec.at(&["podFailurePolicy"]).is_some() { "Failed" } else { "TerminatingOrFailed" };
                defaults::set(spec, "podReplacementPolicy", Value::String(policy.into()));
            }
        }
        "Pod" => {
            let pod = std::mem::replace(spec, Value::Null);
            let mut template = Value::Map(Map::from_iter([("template", Value::Map(Map::from_iter([("spec", pod)])))]));
            defaults::complete_pod(&mut template);
            *spec = template.at(&["template", "spec"]).cloned().unwrap_or(Value::Null);
        }
        "Service" => defaults::each(spec, "ports.*", &mut |port| {
            if let Some(number) = port.get("port").filter(|_| !port.contains_key("targetPort")).cloned() {
                port.insert("targetPort".into(), number);
            }
        }),
        "PersistentVolumeClaim" => defaults::each(spec, "resources.limits|requests", &mut |amounts| {
            amounts.iter_mut().for_each(|(_, amount)| quantity::normalize(amount));
        }),
        _ => defaults::complete_pod(spec),
    }
}

/// Adds how pods are replaced to a strategy.
fn roll(kind: &str, strategy: &mut Map) {
    if strategy.get("type").and_then(Value::as_text) != Some("RollingUpdate") {
        return;
    }
    let values: &[(&str, Value)] = match kind {
        "DaemonSet" => &[("maxSurge", Value::Int(0)), ("maxUnavailable", Value::Int(1))],
        _ => &[("maxSurge", Value::String("25%".into())), ("maxUnavailable", Value::String("25%".into()))],
    };
    let there = strategy.entry("rollingUpdate".into()).or_insert_with(|| Value::Map(Map::default()));
    for (key, value) in values {
        if there.at(&[key]).is_none() {
            defaults::set(there, key, value.clone());
        }
    }
}

/// Writes the texts of a Secret into its data (`NormalizeSecret`).
fn encode(secret: &mut Map) {
    let texts = secret.remove("stringData");
    let Some(Value::Map(texts)) = texts.filter(|texts| !texts.is_empty()) else { return };
    let data = secret.entry("data".into()).or_insert(Value::Null);
    if *data == Value::Null {
        *data = Value::Map(Map::default());
    }
    for (key, text) in texts.iter() {
        let value = text.as_text().map_or_else(|| text.clone(), |text| Value::String(STANDARD.encode(text).into()));
        defaults::set(data, key, value);
    }
}
