//! `helm-install-and-upgrade`

use std::cell::LazyCell;

use goyaml::{Value, path};
use kube_jobs::argocd::{self, HELM_HOOK};
use kube_jobs::kubernetes::{HookSource, Object, pod};

use crate::dependencies::Dependencies;
use crate::survey::sync_order;
use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "helm-install-and-upgrade",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "Helm's install hooks and upgrade hooks run in the same sync",
    why: "Argo CD does not distinguish an install from an upgrade: `pre-install` and `pre-upgrade` are both PreSync, \
          `post-install` and `post-upgrade` are both PostSync (`gitops-engine/pkg/sync/hook/helm/type.go`). If a \
          chart has a hook for each, both run at every sync, side by side in one wave: the upgrade hook even when \
          there is nothing to upgrade yet, and the install hook again at every change (argo-cd #6456, #7536).",
    fix: "Keep the hook that does what every sync needs, and leave the other one out with a value of the chart, or \
          with `argocd.argoproj.io/hook: Skip`. If you need both, put them in different waves, and make sure that \
          each of them can run at any time.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks",
    example: super::example!("helm-install-and-upgrade").note("`migrate` now has to work on an empty database too."),
    check: Check::Objects(check),
};

const PRE_UPGRADE: &str = "pre-upgrade";

/// Pairs of Helm hooks that have the same phase in Argo CD: at installation, at upgrade.
pub(super) const PAIRS: [(&str, &str); 2] = [("pre-install", PRE_UPGRADE), ("post-install", "post-upgrade")];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    PAIRS.into_iter().flat_map(|pair| of_pair(pair, context)).collect()
}

fn of_pair((install, upgrade): (&str, &str), context: &Context<'_>) -> Vec<Diagnostic> {
    let installs: Vec<(usize, &Object)> =
        context.finishing_hooks().filter(|(_, hook)| is_only(hook, install, upgrade)).collect();
    let upgrades = context.finishing_hooks().filter(|(_, hook)| is_only(hook, upgrade, install));
    let dependencies = LazyCell::new(|| Dependencies::of(context));
    let found = upgrades.filter_map(|(index, hook)| {
        let path = path!["metadata", "annotations", HELM_HOOK];
        let others = installs.iter().filter(|(_, found)| is_other(found, hook, context));
        // Choose the same hook whatever the order of the manifests.
        let (other, installing) = others.min_by_key(|(index, hook)| (name(hook), context.place(*index, &path)))?;
        let name = name(installing);
        let place = context.place(*other, &path).map(|place| format!(" ({place})")).unwrap_or_default();
        let before = if upgrade == PRE_UPGRADE { before(hook, installing, &dependencies) } else { String::new() };
        let message = format!(
            "this `{upgrade}` hook runs at the first sync too, together with the `{install}` hook `{name}`{place}{before}"
        );
        let help = "leave one of the two hooks out with a value of the chart, or set `argocd.argoproj.io/hook: Skip` on it";
        Some(Diagnostic::at(index, path.clone(), message, help).with(*other, path))
    });
    found.collect()
}

fn name(hook: &Object) -> String {
    hook.name().or(hook.generate_name()).unwrap_or("").to_owned()
}

/// Whether an install hook is in the same namespace as an upgrade hook and does something else.
fn is_other(installing: &Object, upgrading: &Object, context: &Context<'_>) -> bool {
    let namespace = |hook| context.survey.namespace(hook);
    namespace(installing) == namespace(upgrading) && work(installing) != work(upgrading)
}

/// Whether an upgrade hook has an install hook of the same phase in its namespace. This rule then covers both.
pub(super) fn is_in_a_pair(upgrading: &Object, context: &Context<'_>) -> bool {
    let namespace = context.survey.namespace(upgrading);
    PAIRS.into_iter().any(|(install, upgrade)| {
        let is_pair = |hook: &Object| is_only(hook, install, upgrade) && context.survey.namespace(hook) == namespace;
        is_only(upgrading, upgrade, install) && context.finishing_hooks().any(|(_, hook)| is_pair(hook))
    })
}

/// Names the objects that do not exist yet when the hooks run, as the end of a sentence about the upgrade hook.
fn before(upgrading: &Object, installing: &Object, dependencies: &Dependencies<'_>) -> String {
    let late = |hook: &Object| {
        let needs = dependencies.needs(hook, sync_order::first(hook)?);
        needs.first().map(|need| need.late.object.described())
    };
    let needed = match (late(upgrading), late(installing)) {
        (Some(what), _) => format!(", and this {} needs {what}", upgrading.kind()),
        (None, Some(what)) => {
            format!(", and {} `{}` needs {what}", installing.kind(), installing.name().unwrap_or(""))
        }
        (None, None) => String::new(),
    };
    format!(", before anything of the Sync phase exists{needed}")
}

/// Whether Helm runs the hook before an upgrade, but not before an installation.
pub(super) fn is_for_upgrades_only(hook: &Object) -> bool {
    is_only(hook, PRE_UPGRADE, "pre-install")
}

/// The commands of the containers, or the `spec` of a hook without containers. Two hooks with equal commands are one task for installation and
/// upgrade, which Argo CD runs twice.
fn work(hook: &Object) -> (Vec<[Option<&Value>; 3]>, Option<&Value>) {
    let containers = pod::containers(hook).into_iter();
    let commands: Vec<_> =
        containers.map(|container| ["image", "command", "args"].map(|key| container.value.at(&[key]))).collect();
    let spec = if commands.is_empty() { hook.value().at(&["spec"]) } else { None };
    (commands, spec)
}

/// Whether a Helm hook has the type `one`, but not the type `other`.
pub(super) fn is_only(hook: &Object, one: &str, other: &str) -> bool {
    let items = hook.annotation(HELM_HOOK).map(argocd::comma_list).unwrap_or_default();
    hook.is_hook() && hook.hook_types().1 == HookSource::Helm && items.contains(&one) && !items.contains(&other)
}
