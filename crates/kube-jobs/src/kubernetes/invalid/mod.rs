//! Why the API server refuses to create a Job: a field has the wrong type, a name is invalid, or the Job breaks one of the most common rules of
//! `ValidateJob` (`pkg/apis/batch/validation` and `pkg/apis/core/validation` in Kubernetes).
//!
//! The API server refuses every Job that is reported here (`interop/invalid_test.go`), but it has more rules. Limits: a mutating webhook could repair
//! such a Job. Texts with a placeholder of another tool are never reported.

mod name;
mod pod;
mod spec;
mod types;

use goyaml::{Path, Value, path};
use text::Help;

use super::Job;

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

/// The reasons why the API server refuses a Job. In a partial Job, such as a kustomize patch, only types are checked.
///
/// If a field has the wrong type, only wrong types are returned, because the API server does not validate such a Job.
pub fn of(job: &Job) -> Vec<Invalid> {
    let Some(spec) = job.value().at(&["spec"]) else { return Vec::new() };
    let read = types::read(path!["spec"], spec, "JobSpec");
    if !read.wrong_types.is_empty() || !is_whole(job) {
        return read.wrong_types;
    }
    let mut found = Found(read.wrong_values);
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
        of(&job).into_iter().map(|found| format!("{}: {}", found.path, found.what)).collect()
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
        assert!(of(&Job::read("{metadata: {name: J}, spec: {backoffLimit: -1}}").unwrap()).is_empty());
        assert_eq!(told("", "volumes: [{name: '{{ name }}'}]", "imagePullPolicy: $POLICY"), [""; 0]);
    }

    #[test]
    fn a_name_is_judged_with_what_is_appended_to_it() {
        let told = |metadata: &str, spec: &str| {
            let job = Job::read(&format!(
                "{{metadata: {{{metadata}}}, spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: a}}]}}}}{spec}}}}}"
            )).unwrap();
            of(&job).into_iter().map(|found| found.what).collect::<Vec<_>>()
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
