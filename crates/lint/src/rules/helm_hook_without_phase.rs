//! `helm-hook-without-phase`

use kube_jobs::argocd;
use kube_jobs::kubernetes::Object;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-hook-without-phase",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Info,
    summary: "a Helm hook that Argo CD never runs: `pre-rollback`, `post-rollback`",
    why: "Argo CD renders charts with `helm template` and runs Helm's hooks itself. It has a phase for \
          `pre-install`, `pre-upgrade`, `post-install` and `post-upgrade`, and runs `pre-delete` and `post-delete` \
          when the Application is deleted. Resources with only other types are neither applied nor compared \
          (`gitops-engine/pkg/sync/hook/helm/type.go`). Hooks that only have \
          the type `test` are not reported: `helm test` runs them, and Argo CD is not expected to.",
    fix: "Nothing, if only Helm should run it. To let Argo CD run it, set `argocd.argoproj.io/hook` to a phase.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks",
    example: super::example!("helm-hook-without-phase")
        .note("Helm still runs the Job after a rollback; under Argo CD it runs after every sync."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let written = object.annotation(argocd::HELM_HOOK)?;
    let items = argocd::comma_list(written);
    let is_known = items.iter().all(|item| argocd::HELM_HOOKS_WITHOUT_PHASE.contains(item));
    // Nobody expects a sync to run a test.
    if object.is_helm_test() || !is_known || object.annotation(argocd::HOOK).is_some() {
        return None;
    }
    let message = format!("Argo CD has no phase for the Helm hook `{written}`: the {} is never applied", object.kind());
    let help =
        "if Argo CD should run it, set `argocd.argoproj.io/hook` to a phase; if only Helm should, leave it as it is";
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK, message, help))
}
