//! `application-waves`

use goyaml::path;
use kube_jobs::argocd::{self, Phase};
use kube_jobs::kubernetes::Object;

use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "application-waves",
    theme: super::Theme::Order,
    since: "0.1.0",
    level: Level::Info,
    summary: "sync waves between Applications, which order less than they seem to",
    why: "A sync waits for the objects of a wave until they are healthy. Since version 1.8, Argo CD has no health check for \
          `Application`, and takes an object without one for healthy as soon as it is applied \
          (`gitops-engine/pkg/sync/sync_context.go`). So the waves of an app of apps only order the creation of the Applications, a few \
          seconds apart: when the Application of wave 1 migrates its database, the one of wave 0 may not have created that database yet.\n\n\
          With the health check, a sync of the root waits; for a child that nobody syncs, forever. But a commit that changes only the sources of the \
          children does not change the root: the root is not synced, its waves do nothing, and each child starts at once (argo-cd #29649). And hooks, such as \
          a migration, do not count in the health of a child: the root goes on while they run.\n\n\
          The finding is reported once for each source. The health check can be in an `argocd-cm`, in `configs.cm` of the values of the chart `argo-cd`, or in an `ArgoCD`.",
    fix: "Add the health check for `argoproj.io/Application` to the ConfigMap `argocd-cm` (the link has its text). If the cluster has it, and only \
          this repository does not, ignore the finding. What has to be in order at each change belongs in one Application, or in the steps of an \
          ApplicationSet (`RollingSync`).",
    link: "https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#argocd-app",
    example: super::example!("application-waves"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_application = |object: &Object| object.group() == "argoproj.io" && object.kind() == "Application";
    // With the name, so that the order of the files does not decide.
    let mut found = Vec::new();
    let mut is_awaited = false;
    for (index, object) in context.ordinary_objects().filter(|(_, object)| is_application(object)) {
        is_awaited |= context.waits_for(object);
        found.push((Moment { phase: Phase::Sync, wave: object.wave() }, object.name(), object.namespace(), index));
    }
    let Some((first, .., index)) = found.into_iter().min() else { return Vec::new() };
    let tasks = sync_order::tasks(context.survey, context.side);
    let Some(next) =
        tasks.iter().map(|task| Moment { phase: task.phase, wave: task.wave }).find(|moment| *moment > first)
    else {
        return Vec::new();
    };
    if next.phase == Phase::SyncFail {
        return Vec::new();
    }
    let (message, help) = if is_awaited {
        let message = format!(
            "a sync of its root Application waits for this one before {next}, but a commit that changes only what the children deploy does not sync the root: each changed child with automated sync starts at once"
        );
        (
            message,
            "put what has to be in order into one Application, or use the steps of an ApplicationSet (`RollingSync`)",
        )
    } else {
        let message = format!(
            "the sync does not wait until this Application is healthy before it continues with {next}: Argo CD has no health check for Applications"
        );
        (
            message,
            "add the health check for `argoproj.io/Application` to `argocd-cm`; if the cluster has it, ignore this",
        )
    };
    let path = path!["metadata", "annotations", argocd::SYNC_WAVE];
    vec![Diagnostic::at(index, path, message, help)]
}
