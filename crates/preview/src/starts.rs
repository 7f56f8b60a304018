//! Whether a sync starts: the objects that Argo CD compares, and how they differ between two versions.

use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::argocd::{Ignored, Phase};
use kube_jobs::kubernetes::{Object, fixed};
use lint::survey::sync_order::{self, Moment};
use lint::survey::{ObjectState, Side};
use rewrite::plan::is_trigger;
use serde::{Serialize, Serializer};

use super::ObjectName;
use super::by_application::ByApplication;
use super::live::{self, Leftover, Live};
use super::snapshot::{Key, Snapshot, key_of};
use super::stop::{Halt, Stop};

/// An object that makes the Application OutOfSync.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Start {
    /// The key of the object; none for the trigger.
    #[serde(skip)]
    pub(super) key: Option<Key>,
    /// The object; none for the trigger ConfigMap of the plugin.
    #[serde(serialize_with = "object_in_words")]
    pub object: Option<ObjectName>,
    /// How the object becomes OutOfSync.
    pub what: OutOfSync,
    /// Whether Argo CD may ignore that: what it ignores is unknown.
    #[serde(skip)]
    pub may_be_ignored: bool,
}

/// Serializes the name as one text.
fn object_in_words<S: Serializer>(object: &Option<ObjectName>, serializer: S) -> Result<S::Ok, S::Error> {
    match object {
        Some(object) => serializer.collect_str(object),
        None => serializer.serialize_str(TRIGGER),
    }
}

/// What the ConfigMap is called by which a changed hook starts a sync.
pub const TRIGGER: &str = "the trigger ConfigMap";

impl Start {
    /// Whether nobody has changed the object.
    pub fn is_random(&self) -> bool {
        matches!(self.what, OutOfSync::Random | OutOfSync::Dated)
    }

    /// Whether the change makes the object differ: one that is missing is so without it, too.
    pub fn is_of_the_change(&self) -> bool {
        !self.is_random() && self.what != OutOfSync::Missing
    }
}

/// How an object makes the Application OutOfSync, with the words for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum OutOfSync {
    /// Only the new version has it.
    #[serde(rename = "is new")]
    New,
    /// It differs between the versions.
    #[serde(rename = "changed")]
    Changed,
    /// Only the old version has it, and Argo CD may prune it.
    #[serde(rename = "is gone")]
    Gone,
    /// Only the old version has it, and Argo CD never prunes it.
    #[serde(rename = "is kept")]
    Kept,
    /// Both versions have it, and the cluster does not.
    #[serde(rename = "is missing")]
    Missing,
    /// Nobody has changed it, but it differs at every rendering.
    #[serde(rename = "differs at every rendering")]
    Random,
    /// Nobody has changed it, but it differs on another day.
    #[serde(rename = "differs on another day")]
    Dated,
}

/// The objects of two versions that a sync applies and that are not hooks. Of two with the same name Argo CD takes the last
/// (`DeduplicateTargetObjects` in `controller/state.go`).
pub(super) struct Ordinary<'v> {
    before: BTreeMap<Key, &'v ObjectState>,
    now: BTreeMap<Key, &'v ObjectState>,
    /// The live ones that only the old version has, which Argo CD prunes if it may.
    gone: BTreeMap<Key, &'v ObjectState>,
    /// The live hooks that are ordinary objects in the new version. As long as the live object is a hook, Argo CD takes an ordinary one of the
    /// same name for a hook too (`resState.Hook` in `controller/state.go`).
    pub(super) hooks: BTreeSet<Key>,
}

impl<'v> Ordinary<'v> {
    pub(super) fn of(old: Snapshot<'v>, new: Snapshot<'v>) -> Self {
        let is_ordinary = |object: &Object| !object.is_hook() && !object.is_skipped() && !is_trigger(object.value());
        let [before, now] = [old, new].map(|version| version.by_key(|state| is_ordinary(state.object())));
        let application = new.application();
        // An object with `hook: Skip` in the new version is not pruned either.
        let left = new.by_key(|state| !state.object().is_hook());
        let is_gone = |(key, state): &(&Key, &&ObjectState)| !left.contains_key(key) && is_there(state, application);
        let gone = before.iter().filter(is_gone).map(|(key, state)| (key.clone(), *state)).collect();
        let hooks = old.by_key(|state| Live::is_hook(state.object()) && is_there(state, application));
        let hooks = hooks.into_keys().filter(|key| now.contains_key(key)).collect();
        Self { before, now, gone, hooks }
    }

    /// Whether the new version has no ordinary object, the trigger included. Live hooks count as if they had to be pruned (`RequiresPruning` in
    /// `controller/state.go`), and so do objects that are kept (`Prune=false`, `IgnoreExtraneous`).
    pub(super) fn leaves_nothing(&self, new: Snapshot<'_>) -> bool {
        self.now.is_empty() && new.survey.plan.trigger.is_empty()
    }

    /// The object of the old version that has the name of a hook of the new one.
    pub(super) fn before(&self, hook: &Key) -> Option<&'v ObjectState> {
        self.before.get(hook).copied().filter(|state| state.object().name().is_some())
    }
}

/// The objects that differ at every rendering, and how.
fn random(version: Snapshot<'_>) -> BTreeMap<Key, OutOfSync> {
    let all = version.survey.on(Side::Emitted);
    all.filter_map(|(index, state)| Some((key_of(state.object(), version.survey), differs(index, version)?))).collect()
}

/// How an object differs although nobody has changed it.
fn differs(object: usize, version: Snapshot<'_>) -> Option<OutOfSync> {
    let found = version.survey.differing(object);
    let is_dated = found.iter().all(|differing| differing.is_dated);
    (!found.is_empty()).then_some(if is_dated { OutOfSync::Dated } else { OutOfSync::Random })
}

/// When a sync of the new version prunes live objects, one moment for each.
pub(super) fn when_pruned<'o>(gone: impl Iterator<Item = &'o Object> + Clone, new: Snapshot<'_>) -> Vec<Moment> {
    let application = new.application();
    let waves: BTreeSet<i64> = gone.clone().map(Object::wave).collect();
    // Pruning goes through the waves backwards, and with `PruneLast=true` comes after all of them (`getSyncTasks`).
    let backwards: BTreeMap<i64, i64> = waves.iter().copied().zip(waves.iter().rev().copied()).collect();
    let tasks = sync_order::tasks(new.survey, Side::Emitted);
    let applied = tasks.iter().filter(|task| task.phase == Phase::Sync).map(|task| task.wave);
    let last = applied.chain(waves.iter().copied()).fold(0, i64::max);
    let wave = |object: &Object| match application.prunes_last(object) {
        true => last.saturating_add(1),
        false => backwards.get(&object.wave()).copied().unwrap_or_default(),
    };
    gone.map(|object| Moment { phase: Phase::Sync, wave: wave(object) }).collect()
}

/// When a sync comes to the live objects that only the old version has, whether it may prune them or not.
pub(super) fn prunings<'o>(ordinary: &'o Ordinary<'_>, new: Snapshot<'_>) -> BTreeMap<&'o Key, Moment> {
    let gone = &ordinary.gone;
    if gone.is_empty() {
        return BTreeMap::new();
    }
    // A hook of its name that comes first deletes it, or makes a hook of it, which nothing prunes.
    let hooks = new.by_key(|state| state.object().is_hook());
    let is_left = |key: &Key, moment: &Moment| {
        let hook = hooks.get(key).and_then(|state| sync_order::first(state.object()));
        hook.is_none_or(|hook| hook >= *moment)
    };
    let moments = when_pruned(gone.values().map(|state| state.object()), new);
    gone.keys().zip(moments).filter(|(key, moment)| is_left(key, moment)).collect()
}

/// Where the sync waits until somebody confirms the pruning; none if it does not wait.
pub(super) fn confirmation(
    ordinary: &Ordinary<'_>,
    prunings: &BTreeMap<&Key, Moment>,
    application: ByApplication<'_>,
) -> Option<Stop> {
    let is_confirmed = |key: &Key| {
        let gone = ordinary.gone.get(key);
        gone.is_some_and(|state| Leftover::of_object(state.object(), application) == Leftover::Confirmed)
    };
    let moment = prunings.iter().filter(|(key, _)| is_confirmed(key)).map(|(_, moment)| *moment).min();
    moment.map(|moment| Stop { moment: Some(moment), why: Halt::Confirmation })
}

/// An object other than a Job that makes the sync fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The object.
    #[serde(serialize_with = "ObjectName::in_words")]
    pub object: ObjectName,
    /// The paths of the immutable fields that differ; none of an object with a `generateName` that is not a hook, which cannot be applied.
    pub fields: Vec<String>,
    /// Whether the sync of the old version fails likewise.
    #[serde(skip)]
    pub is_old: bool,
    /// When a sync applies it; none if it is in no phase.
    #[serde(skip)]
    pub moment: Option<Moment>,
}

impl Refused {
    /// Where it makes the sync fail.
    pub(super) fn stop(&self, application: ByApplication<'_>) -> Option<Stop> {
        if self.fields.is_empty() { Some(Stop::NOTHING) } else { Stop::by_update(self.moment, application) }
    }
}

/// The ordinary objects whose update the API server refuses, and those that cannot be applied. Hooks are not among them, because they are usually
/// deleted before they are applied.
pub(super) fn refused(ordinary: &Ordinary<'_>, new: Snapshot<'_>) -> Vec<Refused> {
    let application = new.application();
    let of_object = |(key, state): (&Key, &&ObjectState)| {
        let live = ordinary.before.get(key)?;
        if application.skips_unchanged() && live.is_same_for_argo_cd(state) {
            return None;
        }
        let fields = fixed::refused(&live.fixed, &state.fixed);
        // A server-side diff refuses the update before Argo CD deletes the object.
        let is_forced = application.forces(state.object(), live.object()) && !application.has_server_side_diff();
        let is_refused = !fields.is_empty() && !is_forced;
        let moment = sync_order::first(state.object());
        is_refused.then(|| Refused { object: ObjectName::of(key), fields, is_old: false, moment })
    };
    // Jobs are left out: they have rows of their own.
    let is_other = |state: &ObjectState| state.job().is_none() && is_nameless(state.object(), application);
    let nameless = ordinary.now.iter().filter(|(_, state)| is_other(state)).map(|(key, _)| {
        let is_old = ordinary.before.get(key).is_some_and(|known| is_other(known));
        Refused { object: ObjectName::of(key).generated(), fields: Vec::new(), is_old, moment: None }
    });
    ordinary.now.iter().filter_map(of_object).chain(nameless).collect()
}

/// Whether an object that is not a hook has a `generateName`, which `kubectl apply` rejects in the dry run before the sync.
pub(super) fn is_nameless(object: &Object, application: ByApplication<'_>) -> bool {
    let is_ordinary = !object.is_hook() && !object.is_skipped();
    is_ordinary && object.is_generated() && !application.replaces_live(object, object)
}

/// The ordinary objects that are new, changed or gone, and the trigger when a hook changed. Hooks themselves are not compared.
pub(super) fn starts(ordinary: &Ordinary<'_>, old: Snapshot<'_>, new: Snapshot<'_>) -> Vec<Start> {
    let application = new.application();
    let random = random(new);
    let start = |key: &Key, what| Start {
        key: Some(key.clone()),
        object: Some(ObjectName::of(key)),
        what,
        may_be_ignored: false,
    };
    let maybe = |may_be_ignored: bool, start: Start| Start { may_be_ignored, ..start };
    let mut starts: Vec<Start> = Vec::new();
    for (key, state) in &ordinary.now {
        let known = ordinary.before.get(key);
        let live = known.and_then(|known| Some(Live::of(known.job()?, application)));
        match known {
            None if ordinary.hooks.contains(key) => {}
            None => starts.push(start(key, OutOfSync::New)),
            // What is rejected in both versions is missing, but not because of the change.
            Some(known) if is_rejected(known, live, application) && known.is_same_for_argo_cd(state) => {}
            // No live object has a name that is generated for each.
            Some(known) if live.is_some_and(|live| live != Live::There) || known.object().is_generated() => {
                starts.push(start(key, OutOfSync::Missing))
            }
            Some(known) if !known.is_same_for_argo_cd(state) => {
                let is_seen = !application.misses_removals_from(known.object(), state.object())
                    || is_seen(known, state, application);
                let is_unknown = known.ignored().max(state.ignored()) == Ignored::Unknown;
                starts.extend(is_seen.then(|| maybe(is_unknown, start(key, OutOfSync::Changed))));
            }
            Some(_) => {
                let is_unknown = state.ignored() != Ignored::Nothing;
                starts.extend(random.get(key).map(|what| maybe(is_unknown, start(key, *what))));
            }
        }
    }
    for (key, state) in ordinary.gone.iter().filter(|(_, state)| !live::is_ignored(state.object())) {
        let is_kept = Leftover::of_object(state.object(), application) == Leftover::OutOfSync;
        starts.push(start(key, if is_kept { OutOfSync::Kept } else { OutOfSync::Gone }));
    }
    starts.extend(trigger(old, new));
    starts
}

/// Whether Argo CD sees a change of an object from which it misses removals; true where the survey does not know all that has changed.
fn is_seen(known: &ObjectState, state: &ObjectState, application: ByApplication<'_>) -> bool {
    let parts = |one: &ObjectState, other: &ObjectState| one.parts.iter().any(|part| !other.parts.contains(part));
    let is_known = known.job().is_some() || parts(known, state);
    !is_known || parts(state, known) || !application.seen(known.object(), state.object()).is_empty()
}

/// Whether there is an object for which Argo CD stores no sync status, and that it need not prune: a skipped one, an ordinary one whose live object
/// is a hook, or a hook of an earlier sync whose name is generated, which does not have the tracking of its own name.
pub(super) fn starts_to_prune(ordinary: &Ordinary<'_>, old: Snapshot<'_>, new: Snapshot<'_>) -> bool {
    let any = |version: Snapshot<'_>, is_meant: fn(&Object) -> bool| {
        version.survey.on(Side::Emitted).any(|(_, state)| is_meant(state.object()))
    };
    !ordinary.hooks.is_empty()
        || any(new, Object::is_skipped)
        || any(old, |object| object.name().is_none() && Live::is_hook(object))
}

/// Whether no sync has created an object that is in a phase. `live` is the state of a Job.
fn is_rejected(state: &ObjectState, live: Option<Live>, application: ByApplication<'_>) -> bool {
    let is_never = live == Some(Live::Never) && sync_order::phases(state.object()).is_ok();
    is_never || is_nameless(state.object(), application)
}

fn is_there(state: &ObjectState, application: ByApplication<'_>) -> bool {
    state.job().is_none_or(|job| Live::of(job, application) == Live::There)
}

/// The trigger, when it is new, changed or gone.
fn trigger(old: Snapshot<'_>, new: Snapshot<'_>) -> Option<Start> {
    let [before, now] = [old, new].map(|version| &version.survey.plan.trigger);
    let application = new.application();
    let hooks = new.survey.on(Side::Emitted).filter(|(_, state)| state.hook_digest.is_some());
    let random: BTreeSet<_> = hooks.filter_map(|(index, _)| differs(index, new)).collect();
    // Without hooks there is no trigger.
    let what = match (before.is_empty(), now.is_empty()) {
        (true, true) => return None,
        _ if before == now => *random.first()?,
        (true, _) => OutOfSync::New,
        (_, true) => OutOfSync::Gone,
        _ if application.misses_removals() && now.iter().all(|(key, digest)| before.get(key) == Some(digest)) => {
            return None;
        }
        _ => OutOfSync::Changed,
    };
    let triggers = [old, new].map(|version| {
        let mut states = version.survey.on(Side::Emitted).map(|(_, state)| state);
        states.find(|state| is_trigger(state.object().value()))
    });
    if let [Some(known), Some(state)] = triggers
        && known.is_same_for_argo_cd(state)
        && what == OutOfSync::Changed
    {
        return None;
    }
    let may_be_ignored = triggers[1].is_some_and(|state| state.ignored() == Ignored::Unknown);
    Some(Start { key: None, object: None, what, may_be_ignored })
}
