//! `helm-install-and-upgrade`

use crate::argocd::{self, HELM_HOOK};
use crate::finding::{Check, Context, Diagnostic, Level, Rule};
use crate::kubernetes::{HookSource, Job, pod};
use crate::path;
use crate::yaml::Value;

pub(super) const RULE: Rule = Rule {
    id: "helm-install-and-upgrade",
    level: Level::Warning,
    summary: "what Helm runs at an installation and what it runs at an upgrade run in one sync",
    why: "Argo CD knows no difference between an installation and an upgrade: `pre-install` and `pre-upgrade` are both PreSync, \
          `post-install` and `post-upgrade` both PostSync (`gitops-engine/pkg/sync/hook/helm/type.go`). Of a chart that has a Job for \
          each, both run at every sync, side by side in one wave: the one for upgrades when there is nothing to upgrade yet, the one \
          for the installation again at every change (argo-cd #6456, #7536).",
    fix: "Keep the one that does what every sync needs, and leave the other out with a value of the chart, or with \
          `argocd.argoproj.io/hook: Skip`. Where both are needed, give them different waves, and see that each can run at any time.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-hooks",
    check: Check::Objects(check),
};

/// Pairs of Helm hooks that are one phase in Argo CD: at installation, at upgrade.
const PAIRS: [(&str, &str); 2] = [("pre-install", "pre-upgrade"), ("post-install", "post-upgrade")];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    PAIRS.into_iter().flat_map(|pair| of_pair(pair, context)).collect()
}

fn of_pair((install, upgrade): (&str, &str), context: &Context<'_>) -> Vec<Diagnostic> {
    let installs: Vec<(usize, &Job)> = context.jobs().filter(|(_, job)| is_only(job, install, upgrade)).collect();
    let upgrades = context.jobs().filter(|(_, job)| is_only(job, upgrade, install));
    let found = upgrades.filter_map(|(index, job)| {
        let namespace = context.survey.namespace(job);
        let other = |found: &Job| context.survey.namespace(found) == namespace && work(found) != work(job);
        let (other, installing) = installs.iter().find(|(_, found)| other(found))?;
        let name = installing.name().or(installing.generate_name()).unwrap_or("");
        let path = path!["metadata", "annotations", HELM_HOOK];
        let place = context.place(*other, &path).map(|place| format!(": {place}")).unwrap_or_default();
        let message = format!("this `{upgrade}` hook and the `{install}` hook `{name}` run in one sync{place}");
        let help = "leave one of them out, or give it the annotation `argocd.argoproj.io/hook: Skip`";
        Some(Diagnostic::at(index, path.clone(), message, help).with(*other, path))
    });
    found.collect()
}

/// The commands of the containers: two hooks with equal commands are one task for installation and
/// upgrade, which Argo CD runs twice.
fn work(job: &Job) -> Vec<[Option<&Value>; 3]> {
    let containers = pod::containers(job).into_iter();
    containers.map(|container| ["image", "command", "args"].map(|key| container.value.at(&[key]))).collect()
}

/// True for a Job that is a Helm hook of the first type and not of the second.
fn is_only(job: &Job, one: &str, other: &str) -> bool {
    let items = job.annotation(HELM_HOOK).map(argocd::comma_list).unwrap_or_default();
    job.is_hook() && job.hook_types().1 == HookSource::Helm && items.contains(&one) && !items.contains(&other)
}
