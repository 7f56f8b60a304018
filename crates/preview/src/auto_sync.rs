//! Whether a sync starts by itself when the new version is merged.

use kube_jobs::argocd::SyncWindows;

use super::{Comparison, Halt, OutOfSync, Start};

/// Whether a sync of the Application starts by itself, as far as the Application is known (`autoSync` in `controller/appcontroller.go`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AutoSync {
    /// The sync starts by itself.
    Starts,
    /// It does, as with every commit or with the first commit of a day: everything that differs also differs without the change.
    Anyway,
    /// It does if the Application has automated sync: its policy is unknown.
    IfAutomated,
    /// It does if the Application has automated sync, and then at every commit: everything that differs also differs without the change.
    IfAutomatedAnyway,
    /// It does if the Application has automated sync with `prune`, because there is only something to prune.
    IfPruned,
    /// It does after somebody has synced this Application, which renders this one.
    After(String),
    /// It does if something applies this root or folder, which declares the new or changed Application. Nothing is known to apply it.
    WithRoot(String),
    /// This ApplicationSet starts it in one of its steps (`RollingSync`).
    ByStep(String),
    /// It does so when the sync windows of a project allow it.
    InWindows(Box<AutoSync>, String),
    /// It does so unless what has changed is ignored, which is unknown.
    UnlessIgnored(Box<AutoSync>),
    /// It does not: somebody has to start it.
    Manual,
    /// It does not: the sync windows never allow it, for this reason.
    NotAllowed(String),
    /// It does not: the change touches none of these paths of the annotation `argocd.argoproj.io/manifest-generate-paths`, and Argo CD keeps the old
    /// manifests.
    KeptOut(Vec<String>),
    /// It does not: there is only something to prune, and automated `prune` is off.
    PruneOff,
    /// It does not: it would delete everything that the Application has, and `allowEmpty` is off.
    AllowEmptyOff,
    /// It does not: the comparison fails, because the API server refuses a change in its dry run (`ServerSideDiff=true`).
    ComparisonFails,
    /// It does not: nothing has changed that Argo CD compares.
    NothingChanged,
    /// The change removes the Application.
    Gone,
}

impl AutoSync {
    /// Whether a sync starts, or may start, unless somebody has to start it in this Application.
    pub fn may_start(&self) -> bool {
        matches!(
            self,
            Self::Starts
                | Self::Anyway
                | Self::IfAutomated
                | Self::IfAutomatedAnyway
                | Self::IfPruned
                | Self::After(_)
                | Self::WithRoot(_)
                | Self::ByStep(_)
                | Self::InWindows(..)
                | Self::UnlessIgnored(_)
        )
    }
}

impl Comparison {
    /// Whether a sync starts by itself.
    pub fn auto_sync(&self) -> AutoSync {
        let at_any_time = match self.auto_sync_at_any_time() {
            then if then.may_start() && self.starts.iter().all(|start| start.may_be_ignored) => {
                AutoSync::UnlessIgnored(Box::new(then))
            }
            then => then,
        };
        let windows = self.sync.as_ref().and_then(|sync| sync.windows.clone());
        match windows.filter(|_| at_any_time.may_start()) {
            None => at_any_time,
            Some(SyncWindows { never: Some(why), .. }) => AutoSync::NotAllowed(why),
            Some(SyncWindows { project, .. }) => AutoSync::InWindows(Box::new(at_any_time), project),
        }
    }

    /// Whether a sync would start by itself without sync windows.
    fn auto_sync_at_any_time(&self) -> AutoSync {
        let arrival = self.sync.as_ref().map(|sync| sync.arrival.clone()).unwrap_or_default();
        let policy = self.sync.as_ref().map(|sync| sync.automated);
        let keeps_one = self.sync.as_ref().is_some_and(|sync| sync.keeps_something());
        // The controller of ApplicationSets starts its syncs itself, whatever they delete.
        let is_refused = self.deletes_all && keeps_one && arrival.rolling.is_none();
        let is_pruned = |start: &Start| matches!(start.what, OutOfSync::Gone | OutOfSync::Kept);
        let is_only_pruned = self.starts.iter().all(is_pruned) && !self.starts_to_prune;
        match policy.flatten().map(|automated| automated.prune) {
            _ if arrival.gone.is_some() => AutoSync::Gone,
            _ if !self.is_untouched() && arrival.kept_out.is_some() => {
                AutoSync::KeptOut(arrival.kept_out.unwrap_or_default())
            }
            _ if policy == Some(None) && arrival.rolling.is_none() => AutoSync::Manual,
            _ if self.starts.is_empty() => AutoSync::NothingChanged,
            _ if self.stop.is_some_and(|stop| stop.why == Halt::Comparison) => AutoSync::ComparisonFails,
            _ if is_refused => AutoSync::AllowEmptyOff,
            Some(false) if is_only_pruned => AutoSync::PruneOff,
            None if is_only_pruned => AutoSync::IfPruned,
            prune => match (arrival.rolling, arrival.after, arrival.with_root) {
                (Some(set), ..) => AutoSync::ByStep(set),
                (None, Some(above), _) => AutoSync::After(above),
                (None, None, Some(root)) => AutoSync::WithRoot(root),
                (None, None, None) => match (prune.is_none(), self.starts.iter().all(Start::is_random)) {
                    (true, false) => AutoSync::IfAutomated,
                    (true, true) => AutoSync::IfAutomatedAnyway,
                    (false, false) => AutoSync::Starts,
                    (false, true) => AutoSync::Anyway,
                },
            },
        }
    }
}
