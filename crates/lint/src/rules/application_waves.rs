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
          (`gitops-engine/pkg/sync/sync_context.go`). So the waves of an app of apps only order how the Applications are created, a few \
          seconds apart: a database in an Application of wave 0 need not be there when that of wave 1 migrates it.\n\n\
          With the health check, a sync of the root waits. But a commit that changes only the sources of the children does not change the root, so nothing \
          is synced in its waves: each child starts at once (argo-cd #29649). Nor does the health of an Application contain its hooks, such as a migration.\n\n\
          The finding is reported once for each source. The health check can be in an `argocd-cm`, in `configs.cm` of the values of the chart `argo-cd`, or in an `ArgoCD`.",
    fix: "Add the health check for `argoproj.io/Application` to the ConfigMap `argocd-cm` (the link has its text). If it is there, and only \
          not in this repository, ignore the finding. Put what has to come in order at each change into one Application, or use the steps of an \
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
            "the wave of this Application counts only in a sync of what renders it: a commit that changes only its source, and that of one in {next}, starts both at once"
        );
        (
            message,
            "put what has to come in order into one Application, or use the steps of an ApplicationSet (`RollingSync`)",
        )
    } else {
        let message = format!(
            "the sync does not wait until this Application is healthy before it continues with {next}: Argo CD has no health check for Applications"
        );
        (
            message,
            "add the health check for `argoproj.io/Application` to `argocd-cm`; if it is there, and not in this repository, ignore this",
        )
    };
    let path = path!["metadata", "annotations", argocd::SYNC_WAVE];
    vec![Diagnostic::at(index, path, message, help)]
}
