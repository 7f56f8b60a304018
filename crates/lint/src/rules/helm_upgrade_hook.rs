//! `helm-upgrade-hook`

use kube_jobs::argocd::{self, HELM_HOOK};
use kube_jobs::kubernetes::Object;

use super::helm_install_and_upgrade::{PAIRS, is_in_a_pair, is_only};
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-upgrade-hook",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a Helm hook for upgrades only, which Argo CD also runs at the first sync",
    why: "Helm runs `pre-upgrade` and `post-upgrade` hooks only when a release exists already. Argo CD does not \
          distinguish an upgrade from an installation: it runs them as PreSync and PostSync hooks at every sync, the \
          first one too (`gitops-engine/pkg/sync/hook/helm/type.go`). A `pre-upgrade` hook then runs before anything \
          of the application exists. GitLab's chart could not be installed with Argo CD for this reason \
          (gitlab-org/charts/gitlab #2979).\n\n\
          If the output also has a hook for installations in the same phase, the finding is \
          `helm-install-and-upgrade`.",
    fix: "Make sure that the hook succeeds when there is nothing to upgrade yet, or leave it out with a value of the \
          chart or with `argocd.argoproj.io/hook: Skip`.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks",
    example: super::example!("helm-upgrade-hook").note("`migrate` now has to work on an empty database too."),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.finishing_hooks().filter_map(|(index, object)| of_hook(index, object, context)).collect()
}

fn of_hook(index: usize, object: &Object, context: &Context<'_>) -> Option<Diagnostic> {
    let (install, upgrade) = PAIRS.into_iter().find(|(install, upgrade)| is_only(object, upgrade, install))?;
    if is_in_a_pair(object, context) {
        return None;
    }
    let items = object.annotation(HELM_HOOK).map(argocd::comma_list).unwrap_or_default();
    let before = if upgrade == "pre-upgrade" { ", before anything of the Sync phase exists" } else { "" };
    // A hook that also has a type of the other phase runs twice in each sync.
    let again = match (upgrade, items.contains(&"post-install"), items.contains(&"pre-install")) {
        ("pre-upgrade", true, _) => ", and once more after it, as `post-install`",
        ("post-upgrade", _, true) => ", and also before it, as `pre-install`",
        _ => "",
    };
    let message = format!("Argo CD runs this `{upgrade}` hook at the first sync too{before}{again}");
    let help = format!(
        "make sure that the {} succeeds at an installation, as a `{install}` hook has to, or leave it out with a value of the \
         chart or `argocd.argoproj.io/hook: Skip`",
        object.kind()
    );
    Some(Diagnostic::on_annotation(index, HELM_HOOK, message, help).at_word(upgrade))
}
