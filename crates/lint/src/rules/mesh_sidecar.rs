//! `mesh-sidecar`

use std::collections::HashMap;

use goyaml::{Path, Value, path};
use kube_jobs::kubernetes::{Job, Object, pod};

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "mesh-sidecar",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Job in a service mesh whose proxy does not end: the Job never completes, and the sync waits for it",
    why: "Istio and Linkerd add a proxy container to each pod of a namespace that asks for it. As an ordinary container, the proxy keeps running when \
          the work of a Job is done. The Job never completes, and a sync that waits for it never ends (k8s-monitoring-helm #1969, \
          containerized-data-importer #2948).\n\n\
          As a native sidecar (an init container with `restartPolicy: Always`, possible since Kubernetes 1.29), the proxy ends when the work is done. That is the \
          default of Istio since 1.27 if all nodes have Kubernetes 1.33 (`detectNativeSidecar` in `pkg/kube/inject/webhook.go`), and of Linkerd since \
          2.20 (https://linkerd.io/2/features/native-sidecars); in older versions an annotation asks for it. Only the cluster knows these versions.\n\n\
          There is a finding only if the output has a Namespace or a pod template that asks for a proxy, and not if a command of the Job ends \
          the proxy (`quitquitquit`, `linkerd-await`).",
    fix: "If the Job does not need the mesh, leave its pods out: set the label `sidecar.istio.io/inject: \"false\"`, or the annotation \
          `linkerd.io/inject: disabled`, on the pod template. If it does, make the proxy a native sidecar: set the annotation \
          `sidecar.istio.io/nativeSidecar: \"true\"` (Istio 1.24 or later) or `config.beta.linkerd.io/proxy-enable-native-sidecar: \"true\"` there. Where \
          the mesh does that by default, ignore the finding.",
    link: "https://github.com/grafana/k8s-monitoring-helm/issues/1969",
    example: super::example!("mesh-sidecar"),
    check: Check::Objects(check),
};

/// How a mesh is asked for a proxy, and how a pod is left out.
struct Mesh {
    name: &'static str,
    /// Whether a Namespace has labels or annotations that decide.
    list: &'static str,
    /// The labels or annotations of a Namespace that ask for a proxy in all its pods, with the values that do. The first that is set decides.
    of_namespaces: &'static [(&'static str, &'static [&'static str])],
    /// The label or annotation of a pod that decides for it.
    of_pods: &'static str,
    asks: &'static [&'static str],
    leaves_out: &'static str,
    /// Annotations that make the proxy a native sidecar.
    native: &'static [&'static str],
    /// The help line: how to leave a pod out.
    help: &'static str,
}

const MESHES: [Mesh; 2] = [
    Mesh {
        name: "Istio",
        list: "labels",
        of_namespaces: &[("istio-injection", &["enabled"]), ("istio.io/rev", &[])],
        of_pods: "sidecar.istio.io/inject",
        asks: &["true"],
        leaves_out: "false",
        native: &["sidecar.istio.io/nativeSidecar"],
        help: "set the label `sidecar.istio.io/inject: \"false\"` on the pod template; ignore this with Istio 1.27 or later on Kubernetes 1.33 or later: there the proxy ends by itself",
    },
    Mesh {
        name: "Linkerd",
        list: "annotations",
        of_namespaces: &[("linkerd.io/inject", &["enabled", "ingress"])],
        of_pods: "linkerd.io/inject",
        asks: &["enabled", "ingress"],
        leaves_out: "disabled",
        native: &[
            "config.linkerd.io/proxy-enable-native-sidecar",
            "config.beta.linkerd.io/proxy-enable-native-sidecar",
            "config.alpha.linkerd.io/proxy-enable-native-sidecar",
        ],
        help: "set the annotation `linkerd.io/inject: disabled` on the pod template, or `config.beta.linkerd.io/proxy-enable-native-sidecar: \"true\"`; ignore this with Linkerd 2.20 or later: there the proxy ends by itself",
    },
];

/// Parts of a command line that end the proxy.
const ENDS: [&str; 5] = ["quitquitquit", "linkerd-await", "pilot-agent", ":4191/shutdown", "scuttle"];

/// Where the pod template of a Job has its labels and annotations.
const TEMPLATE: [&str; 3] = ["spec", "template", "metadata"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_namespace = |object: &Object| (object.group(), object.kind()) == ("", "Namespace");
    let mut namespaces: HashMap<&str, (usize, &Object)> = HashMap::new();
    for (index, object) in context.objects().filter(|(_, object)| is_namespace(object)) {
        let Some(name) = object.name() else { continue };
        // The first by place: the order of the manifests must not matter.
        let place = |index: usize| context.place(index, &path!["metadata", "name"]);
        let first = namespaces.entry(name).or_insert((index, object));
        if place(index) < place(first.0) {
            *first = (index, object);
        }
    }
    let jobs =
        context.applied_jobs().filter(|(_, job)| !job.is_suspended() && !is_on_host(job) && !ends_the_proxy(job));
    jobs.filter_map(|(index, job)| of_job(index, job, &namespaces, context)).collect()
}

fn of_job(
    index: usize,
    job: &Job,
    namespaces: &HashMap<&str, (usize, &Object)>,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    let template = job.value().at(&TEMPLATE);
    let namespace = namespaces.get(context.survey.namespace(job)).copied();
    let own = namespace.and_then(|(_, namespace)| namespace.value().at(&["metadata"]));
    MESHES.iter().find_map(|mesh| {
        let decided = template.and_then(|metadata| text(metadata, mesh.of_pods));
        let is_native = |metadata: &Value| mesh.native.iter().any(|key| text(metadata, key) == Some("true"));
        if decided == Some(mesh.leaves_out) || template.into_iter().chain(own).any(is_native) {
            return None;
        }
        if decided.is_some_and(|value| mesh.asks.contains(&value)) {
            let message = format!("the pods of the Job ask for the proxy of {}, which keeps running when the work is done: the Job never completes", mesh.name);
            return Some(Diagnostic::at(index, Path::of_keys(&TEMPLATE), message, mesh.help).at_key());
        }
        let (asking, object) = namespace?;
        let value = |key| own.and_then(|metadata| metadata.text_at(&[mesh.list, key]));
        let decides = mesh.of_namespaces.iter().find_map(|(key, values)| Some((value(key)?, values)));
        decides.is_some_and(|(value, values)| values.is_empty() || values.contains(&value)).then(|| {
            let message = format!(
                "{}{} asks {} for a proxy in the pods of the Job, which keeps running when the work is done: the Job never completes",
                object.described(),
                context.in_brackets(asking),
                mesh.name
            );
            Diagnostic::on_name(index, message, mesh.help).with_name_of(asking)
        })
    })
}

/// The label or annotation `key`.
fn text<'o>(metadata: &'o Value, key: &str) -> Option<&'o str> {
    ["labels", "annotations"].into_iter().find_map(|list| metadata.text_at(&[list, key]))
}

/// Whether its pods have the network of their node. Neither mesh gives them a proxy.
fn is_on_host(job: &Job) -> bool {
    job.value().is_true_at(&["spec", "template", "spec", "hostNetwork"])
}

/// Whether a command line of the Job ends the proxy.
fn ends_the_proxy(job: &Job) -> bool {
    pod::containers(job)
        .iter()
        .any(|container| container.words().any(|word| ENDS.iter().any(|part| word.contains(part))))
}
