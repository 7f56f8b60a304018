//! `hook`: a hook with a fixed name, which Argo CD deletes and creates anew at every full sync.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync,
//!                                   argocd.argoproj.io/hook-delete-policy: BeforeHookCreation}}
//! ```
//! A Sync hook made of an ordinary Job gets the name `migrate-hook`: where `migrate` is live, Argo CD would delete it, take the
//! result of that for the hook's, and never run it.

use super::draft::Draft;
use super::hash_name::{REPLACING, suffixed};
use super::{AskedBy, Converts, Decision, KeepName, Options, Reason, Refusal, WrittenName};
use crate::argocd::{self, HookDeletePolicy, Phase};
use crate::kubernetes::HookSource;
use crate::kubernetes::name::MAX_JOB_NAME;
use crate::yaml::Value;

/// Notes the changes.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    written: &WrittenName,
) -> Result<(), Refusal> {
    let renamed = name(draft, decision, options, written)?;
    annotations(draft, decision, options);
    if renamed == Renamed::Yes {
        draft.remember(written);
    }
    time_to_live(draft, options, None);
    deadline(draft, options);
    Ok(())
}

/// Whether the hook is called otherwise than the Job it was made of.
#[derive(PartialEq, Eq)]
enum Renamed {
    Yes,
    No,
}

/// A hook keeps its name; a Helm hook without one too. A Job that becomes a hook gets the written one.
fn name(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    written: &WrittenName,
) -> Result<Renamed, Refusal> {
    let is_hook = !draft.job().phases().is_empty();
    if is_hook && (draft.job().name().is_some() || decision.reason == Reason::HelmHook) {
        return Ok(Renamed::No);
    }
    let phases = phases(draft, options);
    if !is_hook && phases.contains(&Phase::Sync) && options.keep_name == KeepName::No {
        let name = suffixed(draft, written, "-hook", MAX_JOB_NAME)?;
        draft.name(&name);
        return Ok(Renamed::Yes);
    }
    if written.is_given || draft.job().name().is_none() {
        let name = suffixed(draft, written, "", MAX_JOB_NAME)?;
        draft.name(&name);
    } else {
        draft.remove(&["metadata", "generateName"]);
    }
    Ok(Renamed::No)
}

/// Hook types, delete policies and sync-options, for the strategies that make hooks.
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

/// The Job's own phases win against every layer but its own annotation.
fn phases(draft: &Draft<'_>, options: &Options) -> Vec<Phase> {
    let own = draft.job().phases();
    match &options.hook {
        Some(asked) if asked.by == AskedBy::Job || own.is_empty() => asked.value.clone(),
        _ if own.is_empty() => vec![Phase::Sync],
        _ => own,
    }
}

/// What the annotation lacks. Without `BeforeHookCreation` a retry meets the failed Job; but no policy at all means just that, and
/// stays absent on a Job that is a hook already.
fn added_policies(draft: &Draft<'_>, decision: &Decision, options: &Options, is_new: bool) -> Vec<HookDeletePolicy> {
    let effective = draft.job().delete_policies();
    let asked = options.delete_policy.as_ref().filter(|asked| is_new || asked.by == AskedBy::Job);
    let mut added = asked.map(|asked| asked.value.clone()).unwrap_or_default();
    // Helm's annotation goes when the Job is converted, and its policies with it.
    if decision.converts == Converts::Yes {
        added.extend_from_slice(&effective);
    }
    let lacking = !effective.is_empty() && !effective.contains(&HookDeletePolicy::BeforeHookCreation);
    if is_new || lacking || !added.is_empty() {
        added.push(HookDeletePolicy::BeforeHookCreation);
    }
    added
}

/// Without one a hook can hold the sync for ever.
pub(super) fn deadline(draft: &mut Draft<'_>, options: &Options) {
    let path = ["spec", "activeDeadlineSeconds"];
    let has_own = draft.job().value().at(&path).is_some_and(|found| *found != Value::Null);
    if let Some(seconds) = options.deadline.filter(|_| !has_own) {
        draft.set(&path, Value::Int(seconds));
    }
}

/// The Job's own TTL wins against every layer but its own annotation.
pub(super) fn time_to_live(draft: &mut Draft<'_>, options: &Options, default: Option<i64>) {
    let path = ["spec", "ttlSecondsAfterFinished"];
    let has_own = draft.job().value().at(&path).is_some_and(|found| *found != Value::Null);
    let seconds = match &options.ttl {
        Some(asked) if asked.by == AskedBy::Job || !has_own => Some(asked.value),
        _ if has_own => None,
        _ => default,
    };
    if let Some(seconds) = seconds {
        draft.set(&path, Value::Int(seconds));
    }
}
