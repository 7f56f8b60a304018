//! `hook`: a hook with a fixed name, which Argo CD deletes and creates again at every sync.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync,
//!                                   argocd.argoproj.io/hook-delete-policy: BeforeHookCreation}}
//! ```
//! A Sync hook made of an ordinary Job gets the name `migrate-hook`. If a Job `migrate` were live under the same name, Argo CD would delete it, take
//! the result of the deletion for that of the hook, and never run the hook.

use goyaml::{Path, Value, path};
use kube_jobs::argocd::{self, HookDeletePolicy, Phase};
use kube_jobs::kubernetes::HookSource;
use kube_jobs::kubernetes::name::MAX_JOB_NAME;

use super::draft::Draft;
use super::hash_name::{REPLACING, suffixed};
use super::{
    ChosenBy, Converts, Decision, InputName, KeepName, Options, Reason, Refusal, Row, Strategy, StrategyChoice,
};

pub(super) const ROW: Row = Row {
    id: "hook",
    choice: StrategyChoice::Strategy(Strategy::Hook),
    writes: "`argocd.argoproj.io/hook: <phase>` (default `Sync`), `argocd.argoproj.io/hook-delete-policy` with \
             `BeforeHookCreation`, and a fixed `metadata.name`",
    runs: "at every sync, never concurrently",
    serves: "Jobs that a sync must wait for: PreSync, Sync, PostSync, SyncFail",
    limits: &[
        "It runs at every sync, but a commit that changes only a hook does not start one, because Argo CD does not compare hooks. The trigger ConfigMap fixes that.",
        "An ordinary Job that becomes a Sync hook is renamed to `<name>-hook`. If the Job were live under the same name, Argo CD would delete it, use the result of that deletion as the result of the hook, and report success, usually without running anything. `keep-name` keeps the name, for Applications that were never live. PreSync, PostSync and SyncFail hooks keep their names.",
        "Argo CD can report a failed hook in the last wave of a sync as successful. This happens if the previous run succeeded and its Job was deleted at once, because Argo CD still sees the old Job for a moment (seen with Argo CD 3.2.11, in two of ten runs). It does not affect PreSync hooks, nor Jobs whose name changes, as under `hash-name` and `generate-name`.",
        "A retry of a failed sync runs a failed hook again since Argo CD 3.3.15, 3.4.9, 3.5.3 and 3.6; before, it only deleted the hook, and the next sync ran it.",
    ],
};

/// Adds the changes to the draft.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    input: &InputName,
) -> Result<(), Refusal> {
    let renamed = name(draft, decision, options, input)?;
    annotations(draft, decision, options);
    if renamed == Renamed::Yes {
        draft.remember(input);
    }
    time_to_live(draft, options, None);
    deadline(draft, options);
    Ok(())
}

/// Whether the hook's name differs from that of the Job that it was made of.
#[derive(PartialEq, Eq)]
enum Renamed {
    Yes,
    No,
}

/// Sets the name. A hook keeps its name, and a Helm hook may stay without one. A Job that becomes a hook gets the input name.
fn name(draft: &mut Draft<'_>, decision: &Decision, options: &Options, input: &InputName) -> Result<Renamed, Refusal> {
    let is_hook = !draft.job().phases().is_empty();
    if is_hook && (draft.job().name().is_some() || decision.reason == Reason::HelmHook) {
        return Ok(Renamed::No);
    }
    let phases = phases(draft, options);
    if !is_hook && phases.contains(&Phase::Sync) && options.keep_name == KeepName::No {
        let name = suffixed(draft, input, "-hook", MAX_JOB_NAME)?;
        draft.name(&name);
        return Ok(Renamed::Yes);
    }
    if input.is_given || draft.job().name().is_none() {
        let name = suffixed(draft, input, "", MAX_JOB_NAME)?;
        draft.name(&name);
    } else {
        draft.remove(path!["metadata", "generateName"]);
    }
    Ok(Renamed::No)
}

/// Sets hook types, delete policies and sync options, for `hook` and `generate-name`.
pub(super) fn annotations(draft: &mut Draft<'_>, decision: &Decision, options: &Options) {
    let job = draft.job();
    let own = job.phases();
    let phases = phases(draft, options);
    let translates = decision.converts == Converts::Yes && job.hook_types().1 == HookSource::Helm;
    if own != phases || translates {
        let list: Vec<&str> = phases.iter().map(|phase| phase.as_str()).collect();
        draft.annotate(argocd::HOOK, &list.join(","));
    }
    let is_new = own.is_empty() || translates;
    draft.delete_policies(&added_policies(draft, decision, options, is_new));
    draft.sync_options(&REPLACING, &[]);
    draft.remove_helm_hook(decision.converts);
}

/// The phases of the hook. The Job's own phases win over all settings except its own `argocd-jobs/*` annotation.
fn phases(draft: &Draft<'_>, options: &Options) -> Vec<Phase> {
    let own = draft.job().phases();
    match &options.hook {
        Some(choice) if choice.by == ChosenBy::Job || own.is_empty() => choice.value.clone(),
        _ if own.is_empty() => vec![Phase::Sync],
        _ => own,
    }
}

/// The delete policies to add. Without `BeforeHookCreation` a retry finds the failed Job. An absent annotation means `BeforeHookCreation` too, so a
/// Job that is already a hook needs no annotation.
fn added_policies(draft: &Draft<'_>, decision: &Decision, options: &Options, is_new: bool) -> Vec<HookDeletePolicy> {
    let effective = draft.job().delete_policies();
    let choice = options.delete_policy.as_ref().filter(|choice| is_new || choice.by == ChosenBy::Job);
    let mut added = choice.map(|choice| choice.value.clone()).unwrap_or_default();
    // Converting the Job removes Helm's annotation, and its policies with it.
    if decision.converts == Converts::Yes {
        added.extend_from_slice(&effective);
    }
    let lacking = !effective.is_empty() && !effective.contains(&HookDeletePolicy::BeforeHookCreation);
    if is_new || lacking || !added.is_empty() {
        added.push(HookDeletePolicy::BeforeHookCreation);
    }
    added
}

/// Sets a deadline if the Job has none: without a deadline a hook can block the sync forever.
pub(super) fn deadline(draft: &mut Draft<'_>, options: &Options) {
    let path = ["spec", "activeDeadlineSeconds"];
    let has_own = draft.job().value().has(&path);
    if let Some(seconds) = options.deadline.filter(|_| !has_own) {
        draft.set(Path::of_keys(&path), Value::Int(seconds));
    }
}

/// Sets the TTL. The Job's own TTL wins over all settings except its own `argocd-jobs/*` annotation.
pub(super) fn time_to_live(draft: &mut Draft<'_>, options: &Options, default: Option<i64>) {
    let path = ["spec", "ttlSecondsAfterFinished"];
    let has_own = draft.job().value().has(&path);
    let seconds = match &options.ttl {
        Some(choice) if choice.by == ChosenBy::Job || !has_own => Some(choice.value),
        _ if has_own => None,
        _ => default,
    };
    if let Some(seconds) = seconds {
        draft.set(Path::of_keys(&path), Value::Int(seconds));
    }
}
