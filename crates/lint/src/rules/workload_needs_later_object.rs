//! `workload-needs-later-object`

use std::collections::BTreeSet;

use goyaml::Value;
use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;
use kube_jobs::kubernetes::pod::WORKLOADS;

use crate::claims::or_lower;
use crate::dependencies::{Dependencies, Dependency};
use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "workload-needs-later-object",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Error,
    summary: "a workload whose pods need an object of a later wave or phase: the first sync hangs or fails",
    why: "Argo CD starts the next wave, and the PostSync hooks, only when everything before is healthy \
          (`gitops-engine/pkg/sync/sync_context.go`). The pods of a Deployment, StatefulSet or DaemonSet do not start without their ServiceAccount, \
          ConfigMap, Secret or volume claim. If that object is applied in a later wave, or is a PostSync hook, the workload waits for it, and \
          the sync for the workload (loki #7237). With a StatefulSet or a DaemonSet the sync never ends. A Deployment is Degraded after its \
          `progressDeadlineSeconds` (10 minutes), and the sync fails.\n\n\
          Charts do this where a ServiceAccount or a ConfigMap is a `post-install` hook: without `--wait`, Helm creates it without waiting for the \
          workload. Once somebody has created the object by hand, later syncs succeed: the mistake shows up again where the Application is \
          installed from scratch.",
    fix: "Apply the object with the workload or before it: remove its hook annotation, and give it the same wave or a lower one. All resources of a \
          wave are created together, in the order of their kinds, so the same wave is enough. Give a volume claim the same wave: in a lower one \
          it may wait for its pod forever.",
    link: "https://github.com/grafana/loki/issues/7237",
    example: super::example!("workload-needs-later-object"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.has_one_moment() {
        return Vec::new();
    }
    let dependencies = Dependencies::of(context);
    let workloads = context.objects().filter(|(_, object)| is_awaited(object));
    workloads.flat_map(|(index, object)| of_workload(index, object, &dependencies, context)).collect()
}

/// Whether a sync waits for pods of the object.
fn is_awaited(object: &Object) -> bool {
    let is_without = object.value().at(&["spec", "replicas"]).and_then(Value::as_number) == Some(0);
    WORKLOADS.contains(&object.kind()) && !is_without && !object.value().is_true_at(&["spec", "paused"])
}

/// One diagnostic for each object that is applied too late, at its first reference.
fn of_workload(
    index: usize,
    object: &Object,
    dependencies: &Dependencies<'_>,
    context: &Context<'_>,
) -> Vec<Diagnostic> {
    let Some(begins) = sync_order::first(object) else { return Vec::new() };
    let mut reported = BTreeSet::new();
    let needs = dependencies.needs_to_start(object, begins);
    let needs = needs.into_iter().filter(|need| reported.insert(need.late.index));
    needs.map(|need| diagnostic(index, object, begins, &need, context)).collect()
}

fn diagnostic(
    index: usize,
    object: &Object,
    begins: Moment,
    need: &Dependency<'_>,
    context: &Context<'_>,
) -> Diagnostic {
    let (late, moment) = (need.late.object, need.late.moment);
    let kind = object.kind();
    let message = format!(
        "the {kind} {} is not applied until {moment}{}, and {moment} begins when the {kind} is healthy: the first sync never gets there",
        need.what,
        context.in_brackets(need.late.index)
    );
    let wave = format!("`{}: \"{}\"`{}", argocd::SYNC_WAVE, begins.wave, or_lower(late));
    let what = late.described();
    let help = match (late.is_hook(), late.wave() > begins.wave) {
        (true, true) => format!("remove the hook annotation from {what}, and set {wave} on it"),
        (true, false) => format!("remove the hook annotation from {what}, so that it is applied with the {kind}"),
        (false, _) => format!("set {wave} on {what}"),
    };
    Diagnostic::at(index, need.path.clone(), message, help).with_name_of(need.late.index)
}
