//! The sync policy of an Application: whether Argo CD starts a sync by itself, with which options, and what it compares.

use super::{Fact, Version};

/// `spec.syncPolicy` of an Application (`SyncPolicy` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPolicy {
    /// `automated`, unless it is switched off by `enabled: false` (`IsAutomatedSyncEnabled`).
    pub automated: Option<Automated>,
    /// How a change of the Application itself arrives in the cluster.
    pub arrival: Arrival,
    /// `syncOptions`, as they are written: Argo CD compares them letter by letter (`HasOption`).
    pub options: Vec<String>,
    /// `ServerSideDiff=…` in the compare options of the Application.
    pub server_side_diff: Option<bool>,
    /// `spec.ignoreDifferences`, as far as it names fields.
    pub ignored: Vec<IgnoredDifferences>,
}

/// Fields of some objects that Argo CD does not compare (`ResourceIgnoreDifferences` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredDifferences {
    /// A glob of API groups.
    pub group: String,
    /// A glob of kinds.
    pub kind: String,
    /// A name; empty for all.
    pub name: String,
    /// A namespace; empty for all.
    pub namespace: String,
    /// JSON pointers.
    pub pointers: Vec<String>,
}

/// How a change of what declares an Application arrives in the cluster, when another Application renders it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The change brings the Application.
    pub is_new: bool,
    /// What becomes of the Application, if the change removes it.
    pub gone: Option<Gone>,
    /// The ApplicationSet that starts the syncs of the Application step by step (`RollingSync`).
    pub rolling: Option<String>,
    /// The Application above that somebody has to sync before, because it has no automated sync policy.
    pub after: Option<String>,
}

/// What becomes of an Application that nothing declares any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// What deletes it.
    pub by: DeletedBy,
    /// Whether its resources are deleted with it, because it has the finalizer for that (`CascadedDeletion` in
    /// `pkg/apis/application/v1alpha1/types.go`).
    pub with_resources: bool,
    /// Whether Git still has its folder, from which Argo CD renders the hooks that it runs when it deletes the Application
    /// (`executeHooks` in `controller/hook.go`).
    pub has_folder: bool,
}

/// What deletes an Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletedBy {
    /// The controller of ApplicationSets: this one no longer makes it (`deleteInCluster` in
    /// `applicationset/controllers/applicationset_controller.go`).
    Set(String),
    /// The next automated sync of this Application, which prunes.
    Sync(String),
    /// A sync of this Application in which somebody prunes: its policy does not.
    Pruning(String),
    /// The deletion of this Application, which renders it.
    With(String),
    /// Whatever applied what declared it, if that prunes.
    Unknown,
}

/// `spec.syncPolicy.automated`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Automated {
    /// `prune`: what is gone from the source is deleted.
    pub prune: bool,
    /// `selfHeal`: a change in the cluster starts a sync, too.
    pub self_heal: bool,
    /// `allowEmpty`: prunes even when nothing is left.
    pub allow_empty: bool,
}

impl SyncPolicy {
    /// Whether the Application has this sync option, such as `Replace=true`.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|found| found == option)
    }

    /// Whether this version of Argo CD compares the Application with server-side diff, unless the controller does so for all
    /// (`shouldUseServerSideDiff` in `controller/state.go`).
    pub fn uses_server_side_diff(&self, version: Version) -> bool {
        let by_apply = version.has(Fact::ApplyTurnsDiffOn) && self.has_option("ServerSideApply=true");
        self.server_side_diff.unwrap_or(by_apply)
    }
}
