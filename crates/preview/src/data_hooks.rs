//! Hooks that hold data or settings, such as Secrets: Argo CD applies them at every sync and compares none of them, so a comparison shows those that
//! change.

use goyaml::path;
use kube_jobs::argocd::HookDeletePolicy;
use kube_jobs::kubernetes::{Object, Runs};
use lint::survey::{ObjectState, Side, sync_order};

use super::because::Because;
use super::comparison::Compared;
use super::live::{Leftover, Live};
use super::snapshot::{Snapshot, key_of};
use super::verdict::Verdict;
use super::{Kind, When, hook, pair};

/// Kinds whose new hooks are for other hooks, which a comparison shows.
const FOR_OTHERS: [&str; 7] =
    ["ClusterRole", "ClusterRoleBinding", "ConfigMap", "Role", "RoleBinding", "Secret", "ServiceAccount"];

/// The hooks of both versions that hold data and that differ. Not those that differ at every rendering, those that `jobs` use, because the rows of the
/// Jobs say so, and new ones that are for other hooks.
pub(super) fn changed(old: Snapshot<'_>, new: Snapshot<'_>, jobs: &[Compared]) -> Vec<Compared> {
    if new.gone().is_some() {
        return Vec::new();
    }
    let is_used = |hook: &Object| {
        let mut uses = jobs.iter().flat_map(|job| &job.uses);
        uses.any(|used| (used.kind, Some(used.name.as_str())) == (hook.kind(), hook.name()))
    };
    let [before, now] = [old, new].map(|version| version.by_key(|state| state.object().name().is_some()));
    let mut changed = Vec::new();
    for (index, state) in hooks(new).filter(|(index, _)| new.survey.differing(*index).is_empty()) {
        let hook = state.object();
        let known = before.get(&key_of(hook, new.survey)).copied();
        // Of several objects of one name Argo CD takes the last.
        let is_last = now.get(&key_of(hook, new.survey)).is_some_and(|last| std::ptr::eq(*last, state));
        if !is_last || is_used(hook) || known.is_none() && FOR_OTHERS.contains(&hook.kind()) {
            continue;
        }
        let verdict = verdict(known, state, new);
        changed.extend(verdict.and_then(|verdict| compared(index, hook, new, verdict)));
    }
    for (index, state) in hooks(old).filter(|(_, state)| !now.contains_key(&key_of(state.object(), old.survey))) {
        let leftover = match Live::of_object(state.object()) {
            Live::There | Live::Never => Leftover::Hook,
            Live::Deleted | Live::Expired(_) => Leftover::Nothing,
        };
        let gone = compared(index, state.object(), old, Verdict::Gone(leftover));
        changed.extend(gone.map(|gone| Compared { object: None, moment: None, ..gone }));
    }
    changed
}

/// The hooks of a sync that hold data.
fn hooks<'v>(version: Snapshot<'v>) -> impl Iterator<Item = (usize, &'v ObjectState)> {
    let is_one = |object: &Object| {
        object.is_hook() && object.runs() == Runs::Nothing && object.name().is_some() && !object.phases().is_empty()
    };
    version.survey.on(Side::Emitted).filter(move |(_, state)| is_one(state.object()))
}

/// None if it does not differ.
fn verdict(before: Option<&ObjectState>, now: &ObjectState, new: Snapshot<'_>) -> Option<Verdict> {
    let hook = now.object();
    let when = When::of_hook(hook, new.survey, new.argocd_version);
    let Some(before) = before else { return Some(Verdict::New(when)) };
    if !before.object().is_hook() {
        let changed = vec![Because::EverySync];
        return Some(Verdict::EverySync { when, changed, starts: false });
    }
    if before.compared == now.compared {
        return None;
    }
    let fields = pair::fields(hook::changed(before.object(), hook));
    let moved = pair::moved(before.object(), hook);
    let mut changed: Vec<Because> = fields.into_iter().chain(moved).collect();
    // Of most kinds, and of each Secret, only the digest is known.
    if changed.is_empty() {
        changed.push(Because::Content);
    }
    Some(match hook.is_new_each_time() || hook.delete_policies().contains(&HookDeletePolicy::HookSucceeded) {
        true => Verdict::EverySync { when, changed, starts: false },
        false => Verdict::DoesNotRun { when, changed },
    })
}

/// None of an object that `generate` adds.
fn compared(index: usize, hook: &Object, version: Snapshot<'_>, verdict: Verdict) -> Option<Compared> {
    let namespace = version.survey.namespace(hook);
    let name = hook.name().unwrap_or_default().to_owned();
    let place = version.survey.place(index, &path!["metadata", "name"])?;
    Some(Compared {
        object: Some(index),
        is_hook: true,
        namespace: Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty()),
        moment: sync_order::first(hook),
        ..Compared::new(Kind::of(hook), name, place, verdict)
    })
}
