//! Predicts whether the API server refuses a change of a Job with `field is immutable`.
//!
//! Follows the steps of a sync: the old manifest was applied and stored with its defaults, the new one is merged into the stored object, and the
//! immutable fields of the result are compared (`ValidateJobSpecUpdate` in `pkg/apis/batch/validation` of Kubernetes 1.37). `tests/suite/updates.rs`
//! compares the verdicts with those of Kubernetes' own code.
//!
//! Limits: only client-side apply is simulated. Changes that controllers, webhooks or older manifests made in the cluster are unknown, so a suspended
//! Job is assumed never to have started. A field that Kubernetes does not know counts as a change. Manifests are not checked for validity.

use goyaml::value::Map;
use goyaml::{PathSet, Value, path};

use super::merge::three_way;
use super::{Difference, Job, defaults, differences};
use crate::argocd;

/// The immutable fields of `spec`; `completions` may change in an Indexed Job. This list follows Kubernetes. The list in `crates/rewrite/src/hash.rs` is
/// another one, because it is frozen with version 1 of the hash.
const IMMUTABLE: [&str; 9] = [
    "backoffLimitPerIndex",
    "completionMode",
    "completions",
    "managedBy",
    "podFailurePolicy",
    "scheduling",
    "selector",
    "successPolicy",
    "template",
];
/// The one field of `scheduling` that may change: how many pods of a gang must be placed at once (`validateJobSchedulingUpdate`).
const ELASTIC: [&str; 5] = ["spec", "scheduling", "schedulingPolicy", "gang", "minCount"];
/// The fields of the template that may change while a Job is suspended and has not started. The node affinity may change too.
const SCHEDULING: [(&[&str], &str); 5] = [
    (&["template", "metadata"], "annotations"),
    (&["template", "metadata"], "labels"),
    (&["template", "spec"], "nodeSelector"),
    (&["template", "spec"], "schedulingGates"),
    (&["template", "spec"], "tolerations"),
];

/// Which part of the template of a suspended Job the cluster allows to change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuspendedTemplate {
    /// The fields for the scheduling of its pods: Kubernetes before 1.36, or an unknown version.
    #[default]
    Scheduling,
    /// Also the resources of its containers, since Kubernetes 1.36 (KEP-5440, `validatePodResourceUpdatesOnly`).
    Resources,
}

impl SuspendedTemplate {
    /// The rule of a cluster with this version, given as Argo CD gives it (`KUBE_VERSION`).
    pub fn of_cluster(kube_version: Option<&str>) -> Self {
        let version = kube_version.map(argocd::minor_kube_version).unwrap_or_default();
        if version >= (1, 36) { Self::Resources } else { Self::Scheduling }
    }
}

/// Why `kubectl apply`, and so a sync without this program, fails to change a live Job from `old` to `new`: the differences between the manifests in
/// immutable fields. Empty if the API server accepts the change.
///
/// A change that no line of the manifests shows is reported with the values of the API server: for example, removing `parallelism` sets
/// `completions` to 1.
pub fn refused(old: &Job, new: &Job, suspended: SuspendedTemplate) -> Vec<Difference> {
    let suspended = old.is_suspended().then_some(suspended);
    let of_server = of_server(defaults::created(old), spec_of(old), new, suspended);
    if of_server.is_empty() {
        return Vec::new();
    }
    as_written(old, new, of_server)
}

/// As [`refused`], for a live Job. `applied` is the manifest that was applied last. Without it, nothing counts as removed, as for `kubectl apply`. The values are
/// those of the API server, which can be secrets.
pub fn refused_live(live: &Job, applied: Option<&Job>, new: &Job, suspended: SuspendedTemplate) -> Vec<Difference> {
    let suspended = Some(suspended).filter(|rule| lets_template_change(live, *rule));
    of_server(defaults::stored(live), applied.and_then(spec_of), new, suspended)
}

/// Whether applying `new` to a live Job changes a field of it. Nothing counts as removed.
pub fn differs_live(live: &Job, new: &Job) -> bool {
    let mut merged = defaults::stored(live);
    let old = merged.clone();
    let empty = Value::Map(Map::default());
    three_way(None, spec_of(new).unwrap_or(&empty), &mut merged);
    defaults::complete(&mut merged);
    let differs = |key: &str| {
        let [old, new] = [live, new].map(|job| job.value().at(&["metadata", key]).and_then(Value::as_map));
        new.is_some_and(|new| new.iter().any(|(key, value)| old.and_then(|old| old.get(key)) != Some(value)))
    };
    old != merged || differs("labels") || differs("annotations")
}

/// Whether the template of a live Job may change (`validationOptionsForJob` in `pkg/registry/batch/job/strategy.go` of Kubernetes 1.34 and 1.36).
fn lets_template_change(live: &Job, rule: SuspendedTemplate) -> bool {
    let is_idle = || match rule {
        SuspendedTemplate::Scheduling => {
            live.value().at(&["status", "startTime"]).is_none_or(|time| *time == Value::Null)
        }
        SuspendedTemplate::Resources => {
            let active = live.value().at(&["status", "active"]).and_then(Value::as_number).unwrap_or_default();
            active == 0 && live.condition("Suspended").is_some()
        }
    };
    live.is_suspended() && is_idle()
}

/// The immutable fields in which a stored `spec` changes when `new` is applied after `old`. `suspended` says what may change of its template, if that
/// may.
fn of_server(mut live: Value, old: Option<&Value>, new: &Job, suspended: Option<SuspendedTemplate>) -> Vec<Difference> {
    let mut merged = live.clone();
    let empty = Value::Map(Map::default());
    three_way(old, spec_of(new).unwrap_or(&empty), &mut merged);
    defaults::complete(&mut merged);
    let is_manual = |spec: &Value| spec.is_true_at(&["manualSelector"]);
    // The API server then requires labels that only it generates, and they are missing (`validateGeneratedSelector`).
    let loses_labels = is_manual(&live) && !is_manual(&merged);
    if suspended.is_some() {
        allow_scheduling(&mut live, &merged);
    }
    if suspended == Some(SuspendedTemplate::Resources) {
        allow_resources(&mut live, &merged);
    }
    let mut found = immutable_differences(&live, &merged);
    if loses_labels {
        found.push(Difference {
            path: path!["spec", "manualSelector"],
            items: Vec::new(),
            old: Some(Value::Bool(true)),
            new: None,
        });
    }
    found
}

fn spec_of(job: &Job) -> Option<&Value> {
    job.value().at(&["spec"])
}

fn immutable_differences(live: &Value, merged: &Value) -> Vec<Difference> {
    let immutable = |spec: &Value| {
        let fields = IMMUTABLE.iter().filter_map(|key| Some(((*key).to_owned(), spec.at(&[key])?.clone())));
        Value::Map(Map::from_iter([("spec".to_owned(), Value::Map(fields.collect()))]))
    };
    let (mut old, mut new) = (immutable(live), immutable(merged));
    old.remove(&ELASTIC);
    new.remove(&ELASTIC);
    // Elastic Indexed Jobs: `completions` may change together with `parallelism` (`validateCompletions`).
    let completions = merged.at(&["completions"]);
    let is_elastic = merged.text_at(&["completionMode"]) == Some("Indexed")
        && completions.is_some()
        && completions == merged.at(&["parallelism"]);
    if is_elastic {
        copy(&old, &mut new, &["spec"], "completions");
    }
    differences(&old, &new)
}

/// Copies into `live` the fields of `merged` that may change (`validatePodTemplateUpdate`).
fn allow_scheduling(live: &mut Value, merged: &Value) {
    for (path, key) in SCHEDULING {
        copy(merged, live, path, key);
    }
    let affinity = ["template", "spec", "affinity"];
    match (live.at(&affinity).is_some(), merged.at(&affinity).is_some()) {
        (_, true) => {
            if live.at(&affinity).is_none() {
                insert(live, &affinity[..2], "affinity", Value::Map(Map::default()));
            }
            copy(merged, live, &affinity, "nodeAffinity");
        }
        (true, false) => {
            live.remove(&["template", "spec", "affinity", "nodeAffinity"]);
            if live.at(&affinity).and_then(Value::as_map).is_some_and(|map| map.is_empty()) {
                live.remove(&affinity);
            }
        }
        (false, false) => {}
    }
}

/// Copies into `live` the resources of the containers of `merged`, and the metadata of its template, which this rule does not compare
/// (`validatePodResourceUpdatesOnly` in `pkg/apis/batch/validation` of Kubernetes 1.36).
fn allow_resources(live: &mut Value, merged: &Value) {
    // Without metadata the generated labels are missing, which `validateGeneratedSelector` refuses.
    if merged.at(&["template", "metadata"]).is_some() {
        copy(merged, live, &["template"], "metadata");
    }
    for key in ["containers", "initContainers"] {
        let path = ["template", "spec", key];
        let Some(new) = merged.at(&path).and_then(Value::as_list) else { continue };
        let Some(old) = live.at(&path).and_then(Value::as_list).filter(|old| old.len() == new.len()) else { continue };
        let mut containers = old.to_vec();
        for (container, new) in containers.iter_mut().zip(new) {
            if container.text_at(&["name"]) == new.text_at(&["name"]) {
                copy(new, container, &[], "resources");
            }
        }
        insert(live, &path[..2], key, Value::List(containers.into()));
    }
}

/// Copies the entry `key` of the map at `path` from one value to another. Removes it if the source does not have it.
fn copy(from: &Value, to: &mut Value, path: &[&str], key: &str) {
    match from.at(path).and_then(|map| map.at(&[key])) {
        Some(value) => insert(to, path, key, value.clone()),
        None => to.remove(&[path, &[key]].concat()),
    }
}

/// Writes an entry into the map at `path`. Creates missing maps on the path.
fn insert(to: &mut Value, path: &[&str], key: &str, value: Value) {
    let Value::Map(map) = to else { return };
    match path {
        [] => {
            map.insert(key.into(), value);
        }
        [step, rest @ ..] => {
            if !map.contains_key(*step) {
                map.insert((*step).into(), Value::Map(Map::default()));
            }
            if let Some(next) = map.get_mut(*step) {
                insert(next, rest, key, value);
            }
        }
    }
}

/// The differences between the manifests that match a refused field, and those of the API server that match no line of the manifests.
fn as_written(old: &Job, new: &Job, of_server: Vec<Difference>) -> Vec<Difference> {
    let in_spec = |difference: &Difference| difference.path.is_below("spec");
    let written: Vec<Difference> = differences(old.value(), new.value()).into_iter().filter(in_spec).collect();
    let paths = |differences: &[Difference]| -> PathSet {
        differences.iter().map(|difference| difference.path.clone()).collect()
    };
    let (shown, refused) = (paths(&written), paths(&of_server));
    let unseen: Vec<Difference> = of_server.iter().filter(|server| !shown.leads_along(&server.path)).cloned().collect();
    let refused = written.iter().filter(|difference| refused.leads_along(&difference.path));
    let mut found: Vec<Difference> = refused.cloned().chain(unseen).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::Job;

    /// The refused fields for two Jobs with these fields in `spec`, next to a template with one container.
    fn told(old: &str, new: &str) -> Vec<String> {
        told_by(SuspendedTemplate::Scheduling, old, new)
    }

    fn told_by(suspended: SuspendedTemplate, old: &str, new: &str) -> Vec<String> {
        let job = |fields: &str| {
            let template = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'a:1'}]}}";
            let fields = if fields.contains("template:") { fields.to_owned() } else { format!("{template}, {fields}") };
            Job::read(&format!("{{metadata: {{name: j}}, spec: {{{fields}}}}}")).unwrap()
        };
        refused(&job(old), &job(new), suspended).iter().map(ToString::to_string).collect()
    }

    fn pod(fields: &str) -> String {
        format!("template: {{spec: {{restartPolicy: Never, {fields}}}}}")
    }

    #[test]
    fn what_is_immutable_is_refused_with_its_path() {
        let containers = |fields: &str| pod(&format!("containers: [{{name: c, {fields}}}]"));
        assert_eq!(
            told(&containers("image: 'a:1'"), &containers("image: 'a:2', env: [{name: A, value: x}]")),
            [
                "`env` of container `c` is added: `[{\"name\":\"A\",\"value\":\"x\"}]`",
                "image of container `c`: `a:1` → `a:2`",
            ]
        );
        assert_eq!(told("", "completionMode: NonIndexed"), [""; 0]);
        assert_eq!(told("", "managedBy: a/b"), ["`spec.managedBy` is added: `a/b`"]);
        for mutable in ["parallelism: 2", "suspend: true", "backoffLimit: 1", "ttlSecondsAfterFinished: 1"] {
            assert_eq!(told("completions: 1", &format!("completions: 1, {mutable}")), [""; 0], "{mutable}");
        }
    }

    #[test]
    fn of_the_scheduling_only_the_size_of_a_gang_may_change() {
        let gang = |fields: &str| format!("scheduling: {{schedulingPolicy: {{gang: {{{fields}}}}}}}");
        assert_eq!(told(&gang(""), &gang("minCount: 2")), [""; 0]);
        assert_eq!(told(&gang("minCount: 3"), &gang("minCount: 2")), [""; 0]);
        assert_eq!(told(&gang("minCount: 3"), "").len(), 1);
        assert_eq!(told("", &gang("minCount: 3")).len(), 1);
        assert_eq!(told(&gang("minCount: 3"), "scheduling: {schedulingPolicy: {basic: {}}}").len(), 2);
    }

    #[test]
    fn defaults_that_are_written_out_change_nothing() {
        let plain =
            pod("containers: [{name: c, image: 'a:1', ports: [{containerPort: 1}], resources: {limits: {cpu: 1}}}]");
        let written =
            pod("dnsPolicy: ClusterFirst, securityContext: {}, terminationGracePeriodSeconds: 30, tolerations: [], \
             containers: [{name: c, image: 'a:1', imagePullPolicy: IfNotPresent, command: [], \
             ports: [{containerPort: 1, protocol: TCP}], resources: {limits: {cpu: 1000m}}}]");
        assert_eq!(told(&plain, &written), [""; 0]);
        assert_eq!(told(&written, &plain), [""; 0]);
        let divided = |divisor: &str| {
            let field = format!("{{resource: limits.cpu, containerName: c{divisor}}}");
            pod(&format!(
                "containers: [{{name: c, image: a, env: [{{name: A, valueFrom: {{resourceFieldRef: {field}}}}}]}}]"
            ))
        };
        assert_eq!(told(&divided(""), &divided(", divisor: 0")), [""; 0]);
        assert_eq!(told(&divided(", divisor: '0'"), &divided("")), [""; 0]);
        assert_eq!(told(&divided(""), &divided(", divisor: 1m")).len(), 1);
        let other = written.replace("Seconds: 30", "Seconds: 31");
        let expected = "`spec.template.spec.terminationGracePeriodSeconds`: `30` → `31`";
        assert_eq!(told(&written, &other), [expected]);
    }

    #[test]
    fn what_no_line_shows_is_told_as_the_server_has_it() {
        assert_eq!(told("parallelism: 2", ""), ["`spec.completions` is added: `1`"]);
        assert_eq!(told("", "parallelism: 2"), [""; 0]);
        let with = |metadata: &str| {
            format!("template: {{{metadata} spec: {{restartPolicy: Never, containers: [{{name: c, image: a}}]}}}}")
        };
        assert_eq!(told(&with("metadata: {labels: {}},"), &with("metadata: {},")).len(), 1);
        assert_eq!(told(&with(""), &with("metadata: {labels: {}},")), [""; 0]);
    }

    #[test]
    fn completions_of_an_indexed_job_follow_its_parallelism() {
        let indexed =
            |number: u8, at_once: u8| format!("completionMode: Indexed, completions: {number}, parallelism: {at_once}");
        assert_eq!(told(&indexed(3, 3), &indexed(5, 5)), [""; 0]);
        assert_eq!(told(&indexed(3, 3), &indexed(5, 3)), ["`spec.completions`: `3` → `5`"]);
    }

    #[test]
    fn the_end_of_a_manual_selector_is_refused_and_a_manual_selector_that_stays_is_not() {
        let labelled = "template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: []}}";
        let manual = format!("manualSelector: true, selector: {{matchLabels: {{a: b}}}}, {labelled}");
        assert_eq!(told(&manual, &manual), [""; 0]);
        assert_eq!(
            told(&manual, labelled),
            [
                "`spec.manualSelector` is removed (it was `true`)",
                "`spec.selector` is removed (it was `{\"matchLabels\":{\"a\":\"b\"}}`)"
            ]
        );
    }

    #[test]
    fn a_suspended_job_may_have_other_resources_since_1_36() {
        let job = |suspend: bool, name: &str, cpu: u8, image: &str| {
            let container = format!("name: {name}, image: {image}, resources: {{limits: {{cpu: {cpu}}}}}");
            let spec = format!("{{restartPolicy: Never, containers: [{{{container}}}]}}");
            format!("suspend: {suspend}, template: {{metadata: {{name: t{cpu}}}, spec: {spec}}}")
        };
        let [old, new] = ["1.35.4", "v1.36.0-gke.100"].map(|version| SuspendedTemplate::of_cluster(Some(version)));
        let (before, after) = (job(true, "c", 1, "a"), job(true, "c", 2, "a"));
        assert_eq!((told_by(old, &before, &after).len(), told_by(new, &before, &after).len()), (2, 0));
        assert_eq!(told_by(new, &before, &job(true, "c", 2, "b")), ["image of container `c`: `a` → `b`"]);
        assert!(!told_by(new, &before, &job(true, "d", 2, "a")).is_empty());
        assert!(!told_by(new, &job(false, "c", 1, "a"), &after).is_empty());
        assert_eq!(SuspendedTemplate::of_cluster(None), SuspendedTemplate::Scheduling);
        assert_eq!(SuspendedTemplate::of_cluster(Some("x")), SuspendedTemplate::Scheduling);
    }

    #[test]
    fn a_suspended_job_may_be_scheduled_otherwise() {
        let job = |suspend: bool, disk: &str, image: &str| {
            let pod = pod(&format!("nodeSelector: {{disk: {disk}}}, containers: [{{name: c, image: {image}}}]"));
            format!("suspend: {suspend}, {pod}")
        };
        assert_eq!(told(&job(true, "a", "x"), &job(true, "b", "x")), [""; 0]);
        assert_eq!(told(&job(false, "a", "x"), &job(true, "b", "x")).len(), 1);
        assert_eq!(told(&job(true, "a", "v1"), &job(true, "b", "v2")), ["image of container `c`: `v1` → `v2`"]);
    }
}
