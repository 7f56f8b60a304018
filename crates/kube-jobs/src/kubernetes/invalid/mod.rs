//! Why the API server refuses to create a Job: a field has the wrong type, a name is invalid, or the Job breaks one of the most common rules of
//! `ValidateJob` (`pkg/apis/batch/validation` and `pkg/apis/core/validation` in Kubernetes).
//!
//! The API server refuses every Job that is reported here (`interop/invalid_test.go`), but it has more rules. Limits: a mutating webhook could repair
//! such a Job. Texts with a placeholder of another tool are never reported.

mod name;
mod pod;
mod spec;
mod types;

pub(super) use types::prune;

use goyaml::{Path, Step, Value, path};
use text::Help;

use super::{Job, Object};
use crate::argocd::{self, SyncPolicy};

/// One reason why the API server refuses a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The path of the field, even if the Job does not have it.
    pub path: Path,
    /// The start of the message: lower case, the user's words in backticks.
    pub what: String,
    /// What to do about it.
    pub help: Help,
}

/// How a Job comes to the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Whether an Application applies it as it is. Otherwise a Job without an image can be a patch that another tool applies first.
    pub is_final: bool,
    /// Whether server-side apply is used, which refuses unknown fields, and several items of a list with one key. Client-side apply drops both.
    pub on_server: bool,
}

impl Arrival {
    /// How a Job of this Application is applied.
    pub fn of(job: &Object, application: &argocd::Application) -> Self {
        const REPLACE: &str = "Replace=true";
        let (sync, own) = (application.sync.as_deref(), job.items(argocd::SYNC_OPTIONS));
        let is_replaced = own.contains(&REPLACE) || sync.is_some_and(|sync| sync.has_option(REPLACE));
        let on_server = SyncPolicy::applies_on_server(sync, &own) && !is_replaced;
        let may_have_more_fields = types::are_older_than(application.kube_version.as_deref());
        Self { is_final: sync.is_some(), on_server: on_server && !may_have_more_fields }
    }
}

/// The path of the containers of a Job.
pub const CONTAINERS: [&str; 4] = ["spec", "template", "spec", "containers"];

/// The reasons why the API server refuses a Job. In a partial Job, such as a kustomize patch, only types are checked.
///
/// If a field has the wrong type, only wrong types are returned, because the API server does not validate such a Job.
pub fn of(job: &Job, arrival: Arrival) -> Vec<Invalid> {
    let none = Value::Null;
    let spec = job.value().at(&["spec"]).unwrap_or(&none);
    let read = types::read(path!["spec"], spec, "JobSpec");
    if !read.wrong_types.is_empty() || !arrival.is_final && !is_whole(job) {
        return read.wrong_types;
    }
    if job.value().at(&CONTAINERS).is_none_or(Value::is_empty) {
        let what = "the Job has no containers";
        return vec![Invalid { path: Path::of_keys(&CONTAINERS), what: what.into(), help: "add a container".into() }];
    }
    let mut found = Found(read.wrong_values);
    if arrival.on_server {
        found.0.extend(refused_on_server(job, read.on_server));
    }
    name::judge(job, &mut found);
    for (map, judge) in types::MAPS {
        judge(&path!["metadata", map], job.value().at(&["metadata", map]), &mut found);
    }
    spec::judge(job, spec, &mut found);
    if let Some(pod) = spec.at(&["template", "spec"]) {
        pod::judge(&path!["spec", "template", "spec"], pod, &mut found);
    }
    found.0
}

/// Whether a Job has a field that the types of Kubernetes do not have, or a value of another type. Client-side apply drops such a field, so that it
/// counts only with server-side apply.
pub fn breaks_types(job: &Job, arrival: Arrival) -> bool {
    let read = types::read(path!["spec"], job.value().at(&["spec"]).unwrap_or(&Value::Null), "JobSpec");
    !read.wrong_types.is_empty() || arrival.on_server && !refused_on_server(job, read.on_server).is_empty()
}

/// What only server-side apply refuses in a Job, after `of_spec`, what it refuses in the `spec`.
fn refused_on_server(job: &Job, of_spec: Vec<Invalid>) -> Vec<Invalid> {
    let known = ["apiVersion", "kind", "metadata", "spec", "status"];
    let mut found = Found(Vec::new());
    let unknown = job.value().as_map().into_iter().flatten().map(|(key, _)| key);
    unknown.filter(|key| !known.contains(&key.as_str())).for_each(|key| found.add_unknown(path![key], None));
    let metadata = job.value().at(&["metadata"]).unwrap_or(&Value::Null);
    found.0.extend(types::read(path!["metadata"], metadata, "ObjectMeta").on_server);
    found.0.extend(of_spec);
    found.0
}

/// Whether the API server keeps the field of a Job at this path: it drops fields of the `spec` that Kubernetes does not have.
pub fn is_kept(path: &Path) -> bool {
    match path.steps() {
        [Step::Key(key), rest @ ..] if key == "spec" => types::has_path(rest, "JobSpec"),
        _ => true,
    }
}

/// Whether a container has an image, which only patches lack.
fn is_whole(job: &Job) -> bool {
    let containers = job.value().at(&["spec", "template", "spec", "containers"]).and_then(Value::as_list);
    containers.unwrap_or_default().iter().any(|container| container.at(&["image"]).is_some())
}

/// Whether a text may have a placeholder that another tool replaces later.
fn has_placeholder(text: &str) -> bool {
    text.contains(['$', '{', '<'])
}

/// A whole number as the API server reads it in a 32-bit field: server-side apply keeps the lowest 32 bits of a larger number.
fn int32(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    let low = number.rem_euclid(1 << 32);
    Some(if low > i64::from(i32::MAX) { low - (1 << 32) } else { low })
}

/// The reasons found so far.
struct Found(Vec<Invalid>);

impl Found {
    fn add(&mut self, path: Path, what: impl Into<String>, help: impl Into<Help>) {
        self.0.push(Invalid { path, what: what.into(), help: help.into() });
    }

    /// Adds a field that Kubernetes does not have; `like` is one that it has.
    fn add_unknown(&mut self, path: Path, like: Option<&str>) {
        let help = match like {
            Some(like) => format!("write `{like}`"),
            None => format!("remove `{path}`"),
        };
        self.add(
            path.clone(),
            format!("Kubernetes has no field `{path}`, and server-side apply takes no unknown field"),
            help,
        );
    }
}

/// The value of a field. None if it is absent or null, which mean the same to the API server.
fn set<'v>(value: &'v Value, field: &str) -> Option<&'v Value> {
    value.at(&[field]).filter(|value| **value != Value::Null)
}

/// The items of the list in `field`, each with its path.
fn items<'v>(path: &Path, value: &'v Value, field: &'static str) -> impl Iterator<Item = (Path, &'v Value)> + use<'v> {
    let path = path.with(field);
    let items = value.items_at(&[field]);
    items.iter().enumerate().map(move |(index, item)| (path.with(index), item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::Job;

    /// The messages for a Job with these fields in its `spec`, its pod and its container.
    fn told(spec: &str, pod: &str, container: &str) -> Vec<String> {
        let comma = |fields: &str| if fields.is_empty() { String::new() } else { format!(", {fields}") };
        let (spec, container) = (comma(spec), comma(container));
        let policy = if pod.contains("restartPolicy") { "" } else { "restartPolicy: Never, " };
        let pod = format!("{policy}{pod}{}", if pod.is_empty() { "" } else { ", " });
        let job = Job::read(&format!(
            "{{metadata: {{name: j}}, spec: {{template: {{spec: {{{pod}containers: [{{name: c, image: a{container}}}]}}}}{spec}}}}}"
        )).unwrap();
        of(&job, Arrival::default()).into_iter().map(|found| format!("{}: {}", found.path, found.what)).collect()
    }

    #[test]
    fn a_job_that_the_api_server_takes_has_nothing_wrong() {
        assert_eq!(told("", "", ""), [""; 0]);
        let spec = "backoffLimit: 3, completions: 2, completionMode: Indexed, backoffLimitPerIndex: 1, unknown: [1], \
                    podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1, 2]}}]}";
        let pod = "volumes: [{name: v}, {name: w, secret: {secretName: s}}], initContainers: [{name: i, image: a}], nodeSelector: {a.b/c: D_1}";
        let container = "volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}], \
                         env: [{name: A, value: ''}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}], \
                         ports: [{containerPort: 80}], resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 0.5, memory: 1.1e9}}, \
                         livenessProbe: {httpGet: {port: web}}";
        assert_eq!(told(spec, pod, container), [""; 0]);
    }

    #[test]
    fn a_field_of_another_type_is_named() {
        assert_eq!(
            told("backoffLimit: '3'", "", "env: [{name: A, value: 1}]"),
            [
                "spec.backoffLimit: `spec.backoffLimit` is a string, not a whole number",
                "spec.template.spec.containers[0].env[0].value: \
                 `spec.template.spec.containers[0].env[0].value` is a number, not a string",
            ]
        );
        for (container, count) in [
            ("command: sh", 1),
            ("command: [1]", 1),
            ("command: [null]", 0),
            ("tty: 'true'", 1),
            ("env: {A: b}", 1),
            ("resources: {limits: {cpu: 1}}", 0),
            ("resources: {limits: {cpu: true}}", 1),
            ("resources: {limits: {memory: 512MB}}", 1),
            ("resources: {limits: {memory: 1 Gi}}", 1),
            ("ports: [{containerPort: 80.5}]", 1),
            ("ports: [{containerPort: 3000000000}]", 1),
            ("ports: [{containerPort: '${PORT}'}]", 0),
            ("livenessProbe: {httpGet: {port: true}}", 1),
        ] {
            assert_eq!(told("", "", container).len(), count, "{container}");
        }
    }

    #[test]
    fn a_number_above_32_bits_is_judged_as_server_side_apply_keeps_it() {
        let codes = |values: &str| {
            format!(
                "podFailurePolicy: {{rules: [{{action: FailJob, onExitCodes: {{operator: In, values: {values}}}}}]}}"
            )
        };
        for (spec, count) in [
            (codes("[2147483648, 2]"), 0),
            (codes("[3, 2147483650]"), 1),
            (codes("[4294967296]"), 1),
            ("backoffLimit: 4294967297".to_owned(), 0),
            ("backoffLimit: -4294967295".to_owned(), 0),
            ("backoffLimit: 2147483648".to_owned(), 1),
            ("activeDeadlineSeconds: 2147483648".to_owned(), 0),
            ("completionMode: Indexed, completions: 1, parallelism: 4294967297".to_owned(), 0),
        ] {
            assert_eq!(told(&spec, "", "").len(), count, "{spec}");
        }
    }

    #[test]
    fn each_rule_is_named_once() {
        for (spec, pod, container) in [
            ("backoffLimit: -1", "", ""),
            ("completionMode: Sorted", "", ""),
            ("completionMode: Indexed, parallelism: 2", "", ""),
            ("backoffLimitPerIndex: 1", "", ""),
            ("podReplacementPolicy: Never", "", ""),
            ("podFailurePolicy: {rules: [{action: Fail, onPodConditions: [{type: a}]}]}", "", ""),
            ("podFailurePolicy: {rules: [{action: FailJob}]}", "", ""),
            ("podFailurePolicy: {rules: []}", "restartPolicy: OnFailure", ""),
            ("successPolicy: {rules: []}, completionMode: Indexed, completions: 1", "", ""),
            ("manualSelector: true", "", ""),
            ("manualSelector: true, selector: {matchLabels: {a: b}}", "", ""),
            ("selector: {matchLabels: {a: b}}", "", ""),
            ("", "restartPolicy: Always", ""),
            ("", "restartPolicy: ''", ""),
            ("", "volumes: [{name: v}, {name: v}]", ""),
            ("", "volumes: [{name: V}]", ""),
            ("", "volumes: [{name: v, emptyDir: {}, secret: {secretName: s}}]", ""),
            ("", "volumes: [{name: v, secret: {}}]", ""),
            ("", "initContainers: [{name: c, image: a}]", ""),
            ("", "initContainers: [{name: i}]", ""),
            ("", "nodeSelector: {'a b': c}", ""),
            ("", "activeDeadlineSeconds: 0", ""),
            ("", "", "volumeMounts: [{name: v, mountPath: /v}]"),
            ("", "", "imagePullPolicy: always"),
            ("", "", "env: [{name: '', value: x}]"),
            ("", "", "env: [{name: A=B, value: x}]"),
            ("", "", "env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
            ("", "", "env: [{name: A, valueFrom: {}}]"),
            ("", "", "ports: [{containerPort: 70000}]"),
            ("", "", "resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}"),
            ("", "", "resources: {limits: {cpu: -1}}"),
            ("", "", "livenessProbe: {httpGet: {port: 0}}"),
        ] {
            let found = told(spec, pod, container);
            assert_eq!(found.len(), 1, "{spec} {pod} {container}: {found:?}");
        }
    }

    #[test]
    fn a_patch_and_a_placeholder_are_not_judged() {
        let patch = Job::read("{metadata: {name: J}, spec: {backoffLimit: -1}}").unwrap();
        assert!(of(&patch, Arrival::default()).is_empty());
        assert_eq!(told("", "volumes: [{name: '{{ name }}'}]", "imagePullPolicy: $POLICY"), [""; 0]);
    }

    #[test]
    fn what_an_application_applies_as_it_is_needs_an_image() {
        let is_final = Arrival { is_final: true, on_server: false };
        for (spec, what) in [
            (
                "template: {spec: {restartPolicy: Never, containers: [{name: c}]}}",
                "`spec.template.spec.containers[0]` has no `image`",
            ),
            ("template: {spec: {restartPolicy: Never, containers: []}}", "the Job has no containers"),
            ("parallelism: 2", "the Job has no containers"),
        ] {
            let job = Job::read(&format!("{{metadata: {{name: j}}, spec: {{{spec}}}}}")).unwrap();
            assert!(of(&job, Arrival::default()).is_empty(), "{spec}");
            let found: Vec<String> = of(&job, is_final).into_iter().map(|found| found.what).collect();
            assert_eq!(found, [what], "{spec}");
        }
    }

    #[test]
    fn server_side_apply_refuses_unknown_fields_and_two_items_of_one_key() {
        let container = |fields: &str| {
            format!("template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: a, {fields}}}]}}}}")
        };
        for (metadata, spec, path) in [
            ("", container("imagepullpolicy: Always"), "spec.template.spec.containers[0].imagepullpolicy"),
            ("", container("") + ", retries: 3", "spec.retries"),
            ("", container("") + ", retries: null", "spec.retries"),
            (", nam: x", container(""), "metadata.nam"),
            (
                "",
                container("env: [{name: A, value: '1'}, {name: A, value: '2'}]"),
                "spec.template.spec.containers[0].env[1]",
            ),
            (
                "",
                container("ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]"),
                "spec.template.spec.containers[0].ports[1]",
            ),
        ] {
            let job = Job::read(&format!("{{metadata: {{name: j{metadata}}}, spec: {{{spec}}}}}")).unwrap();
            assert!(of(&job, Arrival::default()).is_empty(), "{spec}");
            let found = of(&job, Arrival { is_final: false, on_server: true });
            assert_eq!(found.iter().map(|found| found.path.to_string()).collect::<Vec<_>>(), [path], "{spec}");
        }
        let spec =
            container("ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}], env: [{name: A}, {name: B}]");
        let job = Job::read(&format!("{{metadata: {{name: j}}, spec: {{{spec}}}}}")).unwrap();
        assert!(of(&job, Arrival { is_final: false, on_server: true }).is_empty());
    }

    #[test]
    fn a_field_that_kubernetes_does_not_have_is_not_kept() {
        for (path, is_known) in [
            (path!["spec", "template", "spec", "containers", 0_usize, "image"], true),
            (path!["spec", "template", "spec", "nodeSelector", "any"], true),
            (path!["spec", "template", "spec", "restartpolicy"], false),
            (path!["spec", "template", "spec", "containers", 0_usize, "env", 1_usize, "valu"], false),
            (path!["metadata", "any"], true),
        ] {
            assert_eq!(is_kept(&path), is_known, "{path}");
        }
    }

    #[test]
    fn a_name_is_judged_with_what_is_appended_to_it() {
        let told = |metadata: &str, spec: &str| {
            let job = Job::read(&format!(
                "{{metadata: {{{metadata}}}, spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: a}}]}}}}{spec}}}}}"
            )).unwrap();
            of(&job, Arrival::default()).into_iter().map(|found| found.what).collect::<Vec<_>>()
        };
        let long = |length: usize| format!("name: {}", "a".repeat(length));
        assert_eq!(told(&long(63), ""), [""; 0]);
        assert_eq!(told(&long(64), ""), ["the name has 64 bytes, and a Job's name can have at most 63"]);
        assert_eq!(told(&long(62), ", completionMode: Indexed").len(), 1);
        assert_eq!(told(&long(61), ", completionMode: Indexed"), [""; 0]);
        assert_eq!(told(&long(61), ", completionMode: Indexed, completions: 11").len(), 1);
        assert_eq!(told("name: a.b", ""), [""; 0]);
        assert_eq!(told("name: a.b", ", completionMode: Indexed, completions: 0"), [""; 0]);
        assert_eq!(
            told("name: a.b", ", completionMode: Indexed, completions: 2"),
            ["the name of an Indexed Job has a `.`, and its pods use it as their host name"]
        );
        assert_eq!(told("name: Foo", ""), ["the name `Foo` has capital letters"]);
        assert_eq!(told("name: a, namespace: a.b", ""), ["the namespace `a.b` has the character `.`"]);
        let hook = format!("generateName: {}-, annotations: {{argocd.argoproj.io/hook: PreSync}}", "a".repeat(40));
        assert_eq!(told(&hook, "").len(), 1);
    }
}
