//! What the sync options of an Application and of an object decide about one object.

use std::borrow::Cow;

use goyaml::Step;
use kube_jobs::argocd::{self, Application, Fact, Ignoring, Pruning, SyncPolicy, Version};
use kube_jobs::kubernetes::{Difference, Job, Object, differences, immutability, invalid};
use lint::survey::Survey;

/// The sync option by which objects are replaced.
pub(super) const REPLACE: &str = "Replace=true";
/// The sync option by which objects are deleted and created again.
pub(super) const FORCE: &str = "Force=true";
/// The sync option that turns on server-side apply.
const ON_SERVER: &str = "ServerSideApply=true";

/// The lists of a Job whose items Kubernetes merges one by one (`patchStrategy` in `k8s.io/api/core/v1/types.go`).
const MERGED: [&str; 12] = [
    "containers",
    "env",
    "ephemeralContainers",
    "finalizers",
    "hostAliases",
    "imagePullSecrets",
    "initContainers",
    "ports",
    "topologySpreadConstraints",
    "volumeDevices",
    "volumeMounts",
    "volumes",
];

/// The sync options of the Application, which apply to all its objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByApplication<'s> {
    application: &'s Application,
    sync: Option<&'s SyncPolicy>,
    ignoring: Ignoring<'s>,
    pub(super) version: Version,
}

impl<'s> ByApplication<'s> {
    /// Takes the options from the Application of the survey; none if it is unknown.
    pub(super) fn of(survey: &'s Survey<'_>, version: Version) -> Self {
        let application = survey.application;
        let ignoring = Ignoring::of(application, version);
        Self { application, sync: application.sync.as_deref(), ignoring, version }
    }

    /// Whether the Application has this sync option.
    fn has(self, option: &str) -> bool {
        self.sync.is_some_and(|sync| sync.has_option(option))
    }

    /// Whether Argo CD replaces the objects (`Replace=true`).
    pub(super) fn replaces(self) -> bool {
        self.has(REPLACE)
    }

    /// Whether Argo CD compares the objects by a dry run on the API server.
    pub(super) fn has_server_side_diff(self) -> bool {
        self.sync.is_some_and(|sync| sync.uses_server_side_diff(self.version))
    }

    /// Whether Argo CD uses server-side apply for the object.
    fn applies_on_server(self, object: &Object) -> bool {
        SyncPolicy::applies_on_server(self.sync, &object.items(argocd::SYNC_OPTIONS))
    }

    /// Whether the API server refuses to create the Job.
    pub(super) fn is_invalid(self, job: &Job) -> bool {
        !invalid::of(job, invalid::Arrival::of(job, self.application)).is_empty()
    }

    /// Whether Argo CD cannot compare an invalid Job with a live one, so that no sync starts: the API server refuses the dry run of a server-side
    /// diff. Before `Fact::ApplyTurnsDiffOn`, Argo CD compares what is applied on the server by the types of Kubernetes (`structuredMergeDiff` in
    /// `gitops-engine/pkg/diff/diff.go`).
    pub(super) fn cannot_compare(self, job: &Job) -> bool {
        let is_by_types = self.applies_on_server(job) && !self.version.has(Fact::ApplyTurnsDiffOn);
        let breaks_types = || invalid::breaks_types(job, invalid::Arrival::of(job, self.application));
        if self.has_server_side_diff() { self.is_invalid(job) } else { is_by_types && breaks_types() }
    }

    /// Whether the object has a sync option, or the live object has it and this Argo CD reads it there (`Fact::LiveSyncOptions`).
    fn has_either(self, option: &str, object: &Object, live: &Object) -> bool {
        object.has_sync_option(option) || self.version.has(Fact::LiveSyncOptions) && live.has_sync_option(option)
    }

    /// Whether Argo CD replaces the live object (`Replace=true`).
    pub(super) fn replaces_live(self, object: &Object, live: &Object) -> bool {
        self.replaces() || self.has_either(REPLACE, object, live)
    }

    /// Whether Argo CD does not see what is only removed from an object without sync options of its own, such as the trigger.
    pub(super) fn misses_removals(self) -> bool {
        let is_on_server = self.has(ON_SERVER);
        self.replaces() || self.misses_removals_of(is_on_server, is_on_server)
    }

    /// Whether Argo CD does not see what is only removed from a live object.
    pub(super) fn misses_removals_from(self, live: &Object, object: &Object) -> bool {
        // `kubectl replace` does not record what it has applied.
        self.replaces_live(live, live)
            || self.misses_removals_of(self.applies_on_server(live), self.applies_on_server(object))
    }

    /// Whether removals are missed of an object, by whether server-side apply was used for it and is now. A dry run of server-side apply removes only
    /// what server-side apply has set (`serverSideDiff` in `gitops-engine/pkg/diff/diff.go`), and server-side apply does not record what it has
    /// applied for a comparison on the client (`TwoWayDiff`). Before `Fact::ApplyTurnsDiffOn`, what is applied on the server is compared by its
    /// managed fields.
    fn misses_removals_of(self, was_on_server: bool, is_on_server: bool) -> bool {
        match self.has_server_side_diff() {
            true => !was_on_server,
            false => was_on_server && (!is_on_server || self.version.has(Fact::ApplyTurnsDiffOn)),
        }
    }

    /// What Argo CD sees that differs from a live object. Where it misses removals, they are seen in a list that is replaced as a whole.
    pub(super) fn seen(self, live: &Object, object: &Object) -> Vec<Difference> {
        let is_item = |steps: &[Step]| match steps {
            [Step::Key(list), Step::Item(_)] => !MERGED.contains(&list.as_str()),
            _ => false,
        };
        let is_seen = |found: &Difference| found.new.is_some() || found.path.steps().windows(2).any(is_item);
        if live.value() == object.value()
            || !self.ignoring.compared(live).is_changed_by(&self.ignoring.compared(object))
        {
            return Vec::new();
        }
        let [was, is] = [live, object].map(|one| self.ignoring.without_ignored(one).0);
        let mut all = differences(&was, &is);
        all.retain(|found| !self.misses_removals_from(live, object) || is_seen(found));
        all
    }

    /// Whether applying the Job changes a field of a live one that does not record what was applied. What is ignored does not count.
    pub(super) fn differs_live(self, live: &Job, new: &Job) -> bool {
        let [live, new] = [live, new].map(|job| Job::new(self.ignoring.without_ignored(job).0.into_owned()));
        immutability::differs_live(&live, &new)
    }

    /// The Job that a sync applies to the live one. A server-side diff refuses the Job of the source before that.
    pub(super) fn applied<'j>(self, new: &'j Job, live: &Job) -> Cow<'j, Job> {
        let is_patched = !new.is_hook() && !self.has_server_side_diff();
        let applied = is_patched.then(|| self.ignoring.applied(new, live)).flatten();
        applied.map_or(Cow::Borrowed(new), |value| Cow::Owned(Job::new(value)))
    }

    /// Whether `Force=true` makes Argo CD delete and create the live object: with `Replace=true` always, otherwise if its update is refused.
    /// With server-side apply, `Force=true` has no effect without `Replace=true`.
    pub(super) fn forces(self, object: &Object, live: &Object) -> bool {
        let is_possible = self.replaces_live(object, live) || !self.applies_on_server(object);
        self.has_either(FORCE, object, live) && is_possible
    }

    /// Whether kubectl rejects the sync options of the object, even if it does not exist yet.
    pub(super) fn cannot_force(self, object: &Object) -> bool {
        let is_rejected = object.has_sync_option(FORCE) && !self.forces(object, object);
        is_rejected && !self.version.has(Fact::ForceIsIgnored)
    }

    /// Whether Argo CD creates an object again by itself, at any time, when it is gone from the cluster (`selfHeal`); it does not compare hooks.
    pub(super) fn heals(self, object: &Object) -> bool {
        let automated = self.sync.filter(|sync| sync.windows.is_none()).and_then(|sync| sync.automated.as_ref());
        automated.is_some_and(|automated| automated.self_heal) && !object.is_hook()
    }

    /// Whether Argo CD applies an object only if it is OutOfSync. Hooks are always applied.
    pub(super) fn skips_unchanged(self) -> bool {
        self.has("ApplyOutOfSyncOnly=true")
    }

    /// Whether a sync skips an object that is there, because Argo CD sees no difference (`filterOutOfSyncTasks` in
    /// `gitops-engine/pkg/sync/sync_context.go`).
    pub(super) fn skips(self, live: &Object, object: &Object) -> bool {
        self.skips_unchanged() && !object.is_hook() && self.seen(live, object).is_empty()
    }

    /// What happens to the object when it is not in the source any more.
    pub(super) fn pruning(self, object: &Object) -> Pruning {
        Pruning::of(&object.items(argocd::SYNC_OPTIONS), self.sync, self.version)
    }

    /// Whether its automated syncs prune; none if that is unknown.
    pub(super) fn prunes(self) -> Option<bool> {
        Some(self.sync?.automated.as_ref().is_some_and(|automated| automated.prune))
    }

    /// Whether a sync deletes the object when it is not in the source any more. A sync that somebody starts is taken to prune.
    pub(super) fn deletes(self, object: &Object) -> bool {
        let automated = self.sync.and_then(|sync| sync.automated.as_ref());
        automated.is_none_or(|automated| automated.prune) && self.pruning(object) == Pruning::On
    }

    /// Whether Argo CD prunes the object after all waves.
    pub(super) fn prunes_last(self, object: &Object) -> bool {
        let option = "PruneLast=true";
        self.has(option) || object.has_sync_option(option)
    }
}
