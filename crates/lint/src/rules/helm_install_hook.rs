//! `helm-install-hook`

use std::collections::BTreeSet;

use kube_jobs::argocd::HELM_HOOK;
use kube_jobs::kubernetes::Object;

use super::helm_install_and_upgrade::{PAIRS, is_only};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-install-hook",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Helm hook for the installation only, which Argo CD runs at every sync",
    why: "Helm runs `pre-install` and `post-install` hooks once, when a release is installed. Argo CD does not distinguish an installation from an \
          upgrade: it runs them as PreSync and PostSync hooks at every sync (`gitops-engine/pkg/sync/hook/helm/type.go`). A Job that \
          creates a Secret then fails at the second sync, because the Secret exists, or it replaces a Secret that is in use (wireguard-chart #46).\n\n\
          If the output also has a hook for upgrades in the same phase, the finding is `helm-install-and-upgrade`.",
    fix: "Make sure that the hook does no harm when it runs again (`kubectl apply` in place of `kubectl create`). Or make it an ordinary Job, which \
          runs once: remove the hook annotation.",
    link: "https://github.com/bryopsida/wireguard-chart/pull/46",
    example: super::example!("helm-install-hook").note("The Job now has to succeed when the Secret exists."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut upgraded = BTreeSet::new();
    for (_, hook) in context.finishing_hooks() {
        let pairs = PAIRS.into_iter().filter(|(install, upgrade)| is_only(hook, upgrade, install));
        upgraded.extend(pairs.map(|(_, upgrade)| (context.survey.namespace(hook), upgrade)));
    }
    context.finishing_hooks().filter_map(|(index, object)| of_hook(index, object, &upgraded, context)).collect()
}

/// `upgraded` has the namespaces with a hook for upgrades only, and its type.
fn of_hook(
    index: usize,
    object: &Object,
    upgraded: &BTreeSet<(&str, &str)>,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    // With a type of either pair, Helm runs it at every upgrade, too.
    let is_once = |install| PAIRS.into_iter().all(|(_, upgrade)| is_only(object, install, upgrade));
    let (install, upgrade) = PAIRS.into_iter().find(|(install, _)| is_once(install))?;
    if upgraded.contains(&(context.survey.namespace(object), upgrade)) {
        return None;
    }
    let kind = object.kind();
    let message = format!("Helm runs this `{install}` hook once, at the installation; Argo CD runs it at every sync");
    let help = format!(
        "make sure that the {kind} does no harm when it runs again, or remove the hook annotation: an ordinary {kind} runs once"
    );
    Some(Diagnostic::on_annotation(index, HELM_HOOK, message, help).at_word(install))
}
