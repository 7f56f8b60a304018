//! `flux-annotation`

use goyaml::path;
use kube_jobs::kubernetes::Job;
use text::Help;

use crate::{Check, Context, Diagnostic, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "flux-annotation",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Info,
    summary: "an annotation or label of Flux on a Job, which has no effect under Argo CD",
    why: "`kustomize.toolkit.fluxcd.io/force`, `prune`, `reconcile`, `ssa` and \
          `helm.toolkit.fluxcd.io/driftDetection` tell Flux's controllers what to do with a resource \
          (https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources). \
          Argo CD does not read them: a Job with `force: enabled` is not deleted and recreated when it changes, and \
          a Job with `prune: disabled` is pruned.\n\n\
          The level is info because the manifest may be used with both.",
    fix: "Write Argo CD's own setting. Instead of `force: enabled`: nothing with the plugin, or the sync options \
          `Force=true,Replace=true`. Instead of `prune: disabled`: the sync option `Prune=false`. Instead of \
          `reconcile: disabled`: `argocd.argoproj.io/hook: Skip`, or no manifest at all.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/",
    example: super::example!("flux-annotation")
        .note("If Flux applies the same manifest too, keep both annotations and ignore the finding."),
    check: Check::Objects(check),
};

/// The help if no change to the Job is wanted at all.
const SKIP: &str = "set `argocd.argoproj.io/hook: Skip` on the Job, so that Argo CD never applies it";

/// The help if a changed Job is to be created again.
const FORCE: &str = "set `argocd.argoproj.io/sync-options: Force=true,Replace=true` on the Job";

/// Key, value, and the help for Argo CD. An empty value stands for any other value; an empty help means that nothing is lost. Flux ignores the case
/// of the values (`strings.EqualFold` in `ssa/utils/match.go` of fluxcd/pkg).
const MEANINGS: [(&str, &str, &str); 12] = [
    ("kustomize.toolkit.fluxcd.io/force", "disabled", ""),
    ("kustomize.toolkit.fluxcd.io/force", "", FORCE),
    ("kustomize.toolkit.fluxcd.io/prune", "enabled", ""),
    ("kustomize.toolkit.fluxcd.io/prune", "", "set `argocd.argoproj.io/sync-options: Prune=false` on the Job"),
    ("kustomize.toolkit.fluxcd.io/reconcile", "enabled", ""),
    ("kustomize.toolkit.fluxcd.io/reconcile", "", SKIP),
    ("kustomize.toolkit.fluxcd.io/ssa", "override", ""),
    ("kustomize.toolkit.fluxcd.io/ssa", "ignore", SKIP),
    (
        "kustomize.toolkit.fluxcd.io/ssa",
        "merge",
        "set `argocd.argoproj.io/sync-options: ServerSideApply=true` on the Job, so that other controllers keep their fields",
    ),
    (
        "kustomize.toolkit.fluxcd.io/ssa",
        "",
        "remove it from the Job: Argo CD has no setting that creates a resource once and then leaves it alone",
    ),
    ("helm.toolkit.fluxcd.io/driftDetection", "enabled", ""),
    (
        "helm.toolkit.fluxcd.io/driftDetection",
        "",
        "list the fields of the Job that may differ under `ignoreDifferences` of the Application, or remove it",
    ),
];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    context.applied_jobs().flat_map(|(index, job)| of_job(index, job)).take(context.most).collect()
}

fn of_job(index: usize, job: &Job) -> Vec<Diagnostic> {
    let of = |list: &'static str| job.value().at(&["metadata", list]).and_then(|found| found.as_map());
    let entries = ["annotations", "labels"].into_iter().filter_map(|list| Some((list, of(list)?)));
    let entries = entries.flat_map(|(list, map)| map.iter().map(move |(key, value)| (list, key, value.as_text())));
    let found = entries.filter_map(|(list, key, value)| {
        let value = value?;
        let is_meant = |(known, meant, _): &(&str, &str, _)| {
            key == known && (meant.is_empty() || meant.eq_ignore_ascii_case(value))
        };
        let (_, _, help) = MEANINGS.into_iter().find(is_meant).filter(|(_, _, help)| !help.is_empty())?;
        let what = if list == "labels" { "label" } else { "annotation" };
        let message = format!("`{key}: {value}` is for Flux: Argo CD does not read this {what}, so it has no effect");
        let plugin = if help == FORCE { "the strategy `hash-name` gives a changed Job a new name" } else { "" };
        let help = Help::from(help).with_plugin(plugin);
        Some(Diagnostic::at(index, path!["metadata", list, key], message, help).at_key())
    });
    found.collect()
}
