//! `crd-from-hook`

use std::collections::BTreeSet;

use goyaml::path;
use kube_jobs::argocd;
use kube_jobs::kubernetes::{Job, Object, pod};

use crate::survey::sync_order::{self, Moment};
use crate::{Check, Context, Diagnostic, Level, Rule};

/// The sync option by which a sync does not check beforehand that the kind of an object is there.
const OPTION: &str = "SkipDryRunOnMissingResource=true";

pub(super) const RULE: Rule = Rule {
    id: "crd-from-hook",
    theme: super::Theme::Hooks,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a hook of a custom kind that an earlier hook Job installs: the first sync fails before any hook runs",
    why: "Before a sync runs anything, Argo CD asks the API server for the kind of each resource, hooks included. If one is not \
          there, the sync fails, and the Job that would install it never runs. It passes a missing kind only if the Application itself has \
          the CustomResourceDefinition, or with the sync option `SkipDryRunOnMissingResource=true`, on the object or on the Application; otherwise the \
          sync ends with `one or more synchronization tasks are not valid` (`getSyncTasks` in \
          `gitops-engine/pkg/sync/sync_context.go`; castai/helm-charts #1526). Clusters that have the kind already do not show the mistake.\n\n\
          The finding takes a hook Job for the one that installs the kind if its name has a word that begins with `crd`, and the \
          name or the image has a word of the API group.",
    fix: "Set `argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true` on the custom resource, or put the \
          CustomResourceDefinition into the source.",
    link: "https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#skip-dry-run-for-new-custom-resources-types",
    example: super::example!("crd-from-hook"),
    check: Check::Objects(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let installers: Vec<Installer<'_>> =
        context.hook_jobs().filter_map(|(index, job)| Installer::of(index, job)).collect();
    if installers.is_empty() || context.has_application_option(OPTION) {
        return Vec::new();
    }
    // The name of a CustomResourceDefinition ends in its group.
    let definitions = context.objects().filter(|(_, object)| object.kind() == "CustomResourceDefinition");
    let known: BTreeSet<&str> = definitions.filter_map(|(_, object)| Some(object.name()?.split_once('.')?.1)).collect();
    let custom = context.hooks().filter(|(_, hook)| is_custom(hook.group()) && !known.contains(hook.group()));
    let unsafe_ones = custom.filter(|(_, hook)| !hook.has_sync_option(OPTION));
    unsafe_ones.filter_map(|(index, hook)| of_hook(context, index, hook, &installers)).take(context.most).collect()
}

/// Whether an API group is one of a CustomResourceDefinition.
fn is_custom(group: &str) -> bool {
    group.contains('.') && !group.ends_with(".k8s.io")
}

fn of_hook(context: &Context<'_>, index: usize, hook: &Object, installers: &[Installer<'_>]) -> Option<Diagnostic> {
    let moment = sync_order::first(hook)?;
    let job = installers.iter().find(|job| job.moment < moment && job.installs(hook.group()))?;
    let (kind, place) = (hook.kind(), context.in_brackets(job.index));
    let message = format!(
        "if Job `{}`{place} installs the kind {kind}, the first sync fails before that Job runs: Argo CD looks for all kinds first",
        job.name
    );
    let help = format!("set `{}: {OPTION}` on the {kind}", argocd::SYNC_OPTIONS);
    Some(Diagnostic::at(index, path!["kind"], message, help).with_name_of(job.index))
}

/// A hook Job that looks as if it installed CustomResourceDefinitions.
struct Installer<'l> {
    index: usize,
    name: &'l str,
    images: Vec<&'l str>,
    moment: Moment,
}

impl<'l> Installer<'l> {
    fn of(index: usize, job: &'l Job) -> Option<Self> {
        let name = job.name()?;
        let is_one = name.split(['-', '.']).any(|word| word.starts_with("crd"));
        let images =
            pod::containers(job).into_iter().filter_map(|container| container.value.text_at(&["image"])).collect();
        Some(Self { index, name, images, moment: sync_order::first(job)? }).filter(|_| is_one)
    }

    /// Whether the name or an image has a word of the API group. A short word, or one that many groups have, says nothing.
    fn installs(&self, group: &str) -> bool {
        const COMMON: [&str; 6] = ["cloud", "config", "core", "operator", "apps", "kubernetes"];
        let has = |word: &str| self.name.contains(word) || self.images.iter().any(|image| image.contains(word));
        // Behind the last dot is the domain.
        let words = group.rsplit('.').skip(1);
        words.into_iter().any(|word| word.len() >= 4 && !COMMON.contains(&word) && has(word))
    }
}
