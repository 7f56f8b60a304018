//! `helm-hook-without-phase`

use crate::argocd;
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::Object;

pub(super) const RULE: Rule = Rule {
    id: "helm-hook-without-phase",
    level: Level::Info,
    summary: "a Helm hook that Argo CD never runs: `test`, `pre-rollback`, `post-rollback`",
    why: "Argo CD renders charts with `helm template` and runs Helm's hooks by itself. It has a phase for \
          `pre-install`, `pre-upgrade`, `post-install` and `post-upgrade`, and runs `pre-delete` and `post-delete` \
          when the Application is deleted. It neither applies nor compares what has other types only \
          (`gitops-engine/pkg/sync/hook/helm/type.go`). Of tests that is what one wants: `helm test` runs them.",
    fix: "Nothing, when only Helm shall run it. To have Argo CD run it, set `argocd.argoproj.io/hook` to a phase.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks",
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.objects().filter_map(|(index, object)| of_object(index, object)).collect()
}

fn of_object(index: usize, object: &Object) -> Option<Diagnostic> {
    let written = object.annotation(argocd::HELM_HOOK)?;
    let items = argocd::comma_list(written);
    let is_known = items.iter().all(|item| argocd::HELM_HOOKS_WITHOUT_PHASE.contains(item));
    if items.is_empty() || !is_known || object.annotation(argocd::HOOK).is_some() {
        return None;
    }
    let message = format!("Argo CD has no phase for the Helm hook `{written}`: the {} is never applied", object.kind());
    let help =
        "leave it if only Helm shall run it; else set `argocd.argoproj.io/hook` to the phase in which it shall run";
    Some(Diagnostic::on_annotation(index, argocd::HELM_HOOK, message, help))
}
