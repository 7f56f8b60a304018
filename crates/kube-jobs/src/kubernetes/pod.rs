//! Pods in objects: the path of their spec, the objects they name, their containers.

use goyaml::{Path, Value};

use super::Object;

/// Kinds of Kubernetes and Argo Rollouts that keep pods running. Their images and Secrets are compared with those of Jobs.
pub const WORKLOADS: [&str; 4] = ["DaemonSet", "Deployment", "Rollout", "StatefulSet"];

/// The kinds of objects that a pod can name and cannot start without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "they are Kubernetes' own kinds")]
pub enum Needed {
    ServiceAccount,
    ConfigMap,
    Secret,
    PersistentVolumeClaim,
    SecretProviderClass,
    PriorityClass,
    RuntimeClass,
}

/// The name of another object in a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'o> {
    /// The path of the name, in the object that contains the pod.
    pub path: Path,
    /// The kind of the named object.
    pub needed: Needed,
    /// The name of the object.
    pub name: &'o str,
    /// `optional: true`: the pod starts without the object.
    pub is_optional: bool,
    /// Whether the content of the named object gets into a container.
    pub is_content: bool,
}

/// A container of a pod.
#[derive(Clone, Debug)]
pub struct Container<'o> {
    /// The path of the container, in the object that contains the pod.
    pub path: Path,
    /// Whether it is an init container, which must end before the others start.
    pub is_init: bool,
    /// The `Container` object.
    pub value: &'o Value,
}

impl<'o> Container<'o> {
    /// The texts of its command line: those of `command`, then those of `args`.
    pub fn words(&self) -> impl Iterator<Item = &'o str> + use<'o> {
        let value = self.value;
        ["command", "args"].into_iter().flat_map(|key| value.items_at(&[key])).filter_map(Value::as_text)
    }
}

/// Where containers name objects: the list, the path of the name in an item, and the kind of the object.
const IN_CONTAINERS: [(&str, &[&str], Needed); 4] = [
    ("env", &["valueFrom", "configMapKeyRef", "name"], Needed::ConfigMap),
    ("env", &["valueFrom", "secretKeyRef", "name"], Needed::Secret),
    ("envFrom", &["configMapRef", "name"], Needed::ConfigMap),
    ("envFrom", &["secretRef", "name"], Needed::Secret),
];

/// Where a volume, or a source of a projected volume, names the object that it contains.
const IN_SOURCES: [(&[&str], Needed); 2] =
    [(&["configMap", "name"], Needed::ConfigMap), (&["secret", "secretName"], Needed::Secret)];

/// Where a volume names any other object.
const IN_VOLUMES: [(&[&str], Needed); 3] = [
    (&["persistentVolumeClaim", "claimName"], Needed::PersistentVolumeClaim),
    (&["csi", "nodePublishSecretRef", "name"], Needed::Secret),
    (&["csi", "volumeAttributes", "secretProviderClass"], Needed::SecretProviderClass),
];

impl Needed {
    /// The kind of the object, as in its `kind`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::ServiceAccount => "ServiceAccount",
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::SecretProviderClass => "SecretProviderClass",
            Self::PriorityClass => "PriorityClass",
            Self::RuntimeClass => "RuntimeClass",
        }
    }

    /// The API group of the kind. Empty for the core group.
    pub fn group(self) -> &'static str {
        match self {
            Self::SecretProviderClass => "secrets-store.csi.x-k8s.io",
            Self::PriorityClass => "scheduling.k8s.io",
            Self::RuntimeClass => "node.k8s.io",
            _ => "",
        }
    }

    /// Whether objects of the kind are in a namespace.
    pub fn is_namespaced(self) -> bool {
        !matches!(self, Self::PriorityClass | Self::RuntimeClass)
    }
}

/// The path of the pod spec in an object. None for kinds without a pod.
pub fn spec_path(object: &Object) -> Option<&'static [&'static str]> {
    match (object.group(), object.kind()) {
        ("batch", "Job")
        | ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("argoproj.io", "Rollout") => Some(&["spec", "template", "spec"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        ("", "Pod") => Some(&["spec"]),
        _ => None,
    }
}

/// All containers of the object's pods, including init and ephemeral containers.
pub fn containers(object: &Object) -> Vec<Container<'_>> {
    let Some(pod) = Pod::of(object) else { return Vec::new() };
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    lists.into_iter().flat_map(|list| pod.containers(list)).collect()
}

/// All names of other objects in the object's pods, in no particular order.
pub fn references(object: &Object) -> Vec<Reference<'_>> {
    let Some(pod) = Pod::of(object) else { return Vec::new() };
    let mut found = pod.of_its_own();
    for container in containers(object) {
        for (list, keys, needed) in IN_CONTAINERS {
            found.extend(items(&container.path, container.value, list).filter_map(|(path, item)| {
                let (_, optional) = keys.split_last()?;
                reference(&path, item, keys, (needed, is_optional(item, optional)))
            }));
        }
    }
    for (path, volume) in items(&pod.path, pod.value, "volumes") {
        found.extend(IN_VOLUMES.into_iter().filter_map(|(keys, needed)| {
            let found = reference(&path, volume, keys, (needed, false))?;
            Some(Reference { is_content: false, ..found })
        }));
        found.extend(of_source(&path, volume));
        if let Some(projected) = volume.at(&["projected"]) {
            let path = path.with("projected");
            found.extend(items(&path, projected, "sources").flat_map(|(path, source)| of_source(&path, source)));
        }
    }
    found
}

/// A pod spec and its path.
struct Pod<'o> {
    path: Path,
    value: &'o Value,
}

impl<'o> Pod<'o> {
    fn of(object: &'o Object) -> Option<Self> {
        let path = spec_path(object)?;
        Some(Self { path: Path::of_keys(path), value: object.value().at(path)? })
    }

    fn containers(&self, list: &'static str) -> impl Iterator<Item = Container<'o>> + use<'o> {
        let is_init = list == "initContainers";
        items(&self.path, self.value, list).map(move |(path, value)| Container { path, is_init, value })
    }

    /// The names in the pod spec itself, outside of containers and volumes.
    fn of_its_own(&self) -> Vec<Reference<'o>> {
        let named = |keys: &[&str], needed| reference(&self.path, self.value, keys, (needed, false));
        // The old field `serviceAccount` counts only if the new one is not set.
        let account = named(&["serviceAccountName"], Needed::ServiceAccount)
            .or_else(|| named(&["serviceAccount"], Needed::ServiceAccount));
        let classes =
            [named(&["priorityClassName"], Needed::PriorityClass), named(&["runtimeClassName"], Needed::RuntimeClass)];
        let pull = items(&self.path, self.value, "imagePullSecrets")
            .filter_map(|(path, item)| reference(&path, item, &["name"], (Needed::Secret, false)));
        let all = account.into_iter().chain(classes.into_iter().flatten()).chain(pull);
        all.map(|found| Reference { is_content: false, ..found }).collect()
    }
}

/// The objects whose content a volume, or a source of a projected volume, contains.
fn of_source<'o>(path: &Path, source: &'o Value) -> Vec<Reference<'o>> {
    let found = IN_SOURCES.into_iter().filter_map(|(keys, needed)| {
        let optional = is_optional(source, &keys[..1]);
        // A projected source has `secret.name`, a volume `secret.secretName`.
        let other = ["secret", "name"];
        reference(path, source, keys, (needed, optional))
            .or_else(|| reference(path, source, &other, (needed, optional)).filter(|_| needed == Needed::Secret))
    });
    found.collect()
}

fn reference<'o>(path: &Path, value: &'o Value, keys: &[&str], what: (Needed, bool)) -> Option<Reference<'o>> {
    let name = value.text_at(keys).filter(|name| !name.is_empty())?;
    Some(Reference {
        path: path.join(&Path::of_keys(keys)),
        needed: what.0,
        name,
        is_optional: what.1,
        is_content: true,
    })
}

fn is_optional(value: &Value, path: &[&str]) -> bool {
    value.at(path).and_then(|value| value.at(&["optional"])) == Some(&Value::Bool(true))
}

fn items<'o>(path: &Path, value: &'o Value, list: &'static str) -> impl Iterator<Item = (Path, &'o Value)> + use<'o> {
    let path = path.with(list);
    let found = value.items_at(&[list]).iter().enumerate();
    found.map(move |(index, item)| (path.with(index), item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::Job;

    #[test]
    fn a_pod_names_what_it_cannot_begin_without() {
        let job = Job::read(
            "{apiVersion: batch/v1, kind: Job, spec: {template: {spec: {serviceAccount: a, imagePullSecrets: [{name: b}],
              initContainers: [{envFrom: [{secretRef: {name: c, optional: true}}]}],
              containers: [{env: [{name: X}, {name: Y, valueFrom: {configMapKeyRef: {name: d, key: k}}}]}],
              volumes: [{secret: {secretName: e}}, {projected: {sources: [{secret: {name: f}}, {configMap: {name: g}}]}},
                {persistentVolumeClaim: {claimName: h}}, {csi: {volumeAttributes: {secretProviderClass: i}}}]}}}}",
        ).unwrap();
        let found = references(&job);
        let shown: Vec<String> = found
            .iter()
            .map(|found| {
                format!(
                    "{} {} {}",
                    found.needed.kind(),
                    found.name,
                    found.path.steps()[3..].iter().cloned().collect::<Path>()
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "ServiceAccount a serviceAccount",
                "Secret b imagePullSecrets[0].name",
                "ConfigMap d containers[0].env[1].valueFrom.configMapKeyRef.name",
                "Secret c initContainers[0].envFrom[0].secretRef.name",
                "Secret e volumes[0].secret.secretName",
                "Secret f volumes[1].projected.sources[0].secret.name",
                "ConfigMap g volumes[1].projected.sources[1].configMap.name",
                "PersistentVolumeClaim h volumes[2].persistentVolumeClaim.claimName",
                "SecretProviderClass i volumes[3].csi.volumeAttributes.secretProviderClass",
            ]
        );
        let content: Vec<&str> = found.iter().filter(|found| found.is_content).map(|found| found.name).collect();
        assert_eq!(content, ["d", "c", "e", "f", "g"]);
        assert!(found.iter().all(|found| found.is_optional == (found.name == "c")));
    }
}
