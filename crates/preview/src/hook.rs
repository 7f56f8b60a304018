//! Hooks that are not Jobs: when they run, and what happens to them from one version to the next. No strategy rewrites them.

use std::collections::BTreeMap;

use goyaml::{Step, Value};
use kube_jobs::kubernetes::{Difference, Object, differences, stored};
use lint::survey::{ObjectState, sync_order};

use super::because::Because;
use super::by_application::ByApplication;
use super::live::{Leftover, Live};
use super::pair::AfterPruning;
use super::snapshot::{Key, Snapshot, key_of};
use super::verdict::Verdict;
use super::{Runnable, When, pair};

/// The verdict on a hook. `before` is the object of its name in the old version, a hook or not.
pub(super) fn verdict(before: Option<&ObjectState>, now: &Runnable, new: Snapshot<'_>) -> Verdict {
    let state = new.emitted(now.object);
    let Some((known, state)) = before.zip(state) else { return Verdict::New(now.when.clone()) };
    let (before, hook) = (known.object(), state.object());
    let application = new.application();
    let when = now.when.clone();
    match AfterPruning::of((before, hook), application).filter(|_| pair::is_applied(&when)) {
        Some(AfterPruning::Trap) => return Verdict::Trapped(Vec::new()),
        Some(AfterPruning::Refused) => return Verdict::Collides(Vec::new()),
        Some(AfterPruning::Created) => return Verdict::RunsAgain(vec![Because::Pruned]),
        None => {}
    }
    match &when {
        When::EveryFullSync(_) if !hook.is_new_each_time() && Live::of_object(before) == Live::There => {
            // The survey keeps only the header of ordinary objects.
            if !before.is_hook() {
                return Verdict::DoesNotRun { changed: Vec::new(), when };
            }
            onto_the_live_one(before, hook, when)
        }
        _ if sync_order::phases(before).is_err() && pair::is_applied(&when) => Verdict::New(when),
        When::EveryFullSync(_) if !before.is_hook() => {
            let starts = new.survey.source(now.object).has_trigger() && known.hook_digest != state.hook_digest;
            Verdict::EverySync { when, changed: vec![Because::EverySync], starts }
        }
        _ if !before.is_hook() => Verdict::DoesNotRun { when, changed: Vec::new() },
        When::EveryFullSync(_) => {
            let starts = new.survey.source(now.object).has_trigger() && known.hook_digest != state.hook_digest;
            let fields = pair::fields(changed(before, hook));
            let was = When::of_hook(before, new.survey, new.argocd_version);
            let moved = pair::moved(before, hook).filter(|_| was.is_every_sync());
            let reason = pair::newly_every_sync(&when, &was, application);
            let changed = reason.into_iter().chain(fields).chain(moved).collect();
            Verdict::EverySync { when, changed, starts }
        }
        When::Once | When::OncePerName if Live::of_object(before) == Live::Never => Verdict::New(when),
        When::Once | When::OncePerName if Live::of_object(before) == Live::Deleted => {
            let fields = pair::fields(changed(before, hook));
            Verdict::RunsAgain([Because::DeletePolicy].into_iter().chain(fields).collect())
        }
        When::Once | When::OncePerName => onto_the_live_one(before, hook, when),
        _ => Verdict::DoesNotRun { changed: pair::fields(changed(before, hook)), when },
    }
}

/// The verdict on a hook that is applied to the hook that the last sync left. Of a Pod hardly anything may change, apart from what the API server
/// fills in (`ValidatePodUpdate` in `pkg/apis/core/validation/validation.go`).
fn onto_the_live_one(before: &Object, hook: &Object, when: When) -> Verdict {
    let may_change = |found: &Difference| match found.path.steps() {
        [_, Step::Key(field), ..] if ["activeDeadlineSeconds", "tolerations"].contains(&field.as_str()) => true,
        [.., Step::Item(_), Step::Key(field)] => field == "image",
        _ => false,
    };
    let is_pod = hook.kind() == "Pod" && hook.group().is_empty();
    let of_server = if is_pod { content(&stored(before), &stored(hook)) } else { Vec::new() };
    if of_server.iter().all(may_change) {
        return Verdict::DoesNotRun { changed: pair::fields(changed(before, hook)), when };
    }
    Verdict::Fails(pair::fields(of_server))
}

/// What changed, without `metadata` and `status`.
pub(super) fn changed(before: &Object, now: &Object) -> Vec<Difference> {
    content(before.value(), now.value())
}

/// The differences between two values of an object, without `metadata` and `status`.
fn content(before: &Value, now: &Value) -> Vec<Difference> {
    let is_content = |found: &Difference| !found.path.is_below("metadata") && !found.path.is_below("status");
    differences(before, now).into_iter().filter(is_content).collect()
}

/// What is left of a hook that the new version does not have; none if `new` has an object of its name.
pub(super) fn leftover(
    report: &Runnable,
    old: Snapshot<'_>,
    new: &BTreeMap<Key, &ObjectState>,
    application: ByApplication<'_>,
) -> Option<Leftover> {
    let hook = old.emitted(report.object)?.object();
    let is_there = hook.name().is_some() && new.contains_key(&key_of(hook, old.survey));
    (!is_there).then(|| Leftover::of(hook, Live::of_object(hook), application))
}
