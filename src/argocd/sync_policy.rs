//! The sync policy of an Application: whether syncs start automatically, their options, and the fields that are not compared.

use super::{Fact, Version};

/// `spec.syncPolicy` of an Application (`SyncPolicy` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPolicy {
    /// `automated`. None if it has `enabled: false` (`IsAutomatedSyncEnabled`).
    pub automated: Option<Automated>,
    /// How a change of the Application itself arrives in the cluster.
    pub arrival: Arrival,
    /// The sync windows of the project. None if they never prevent a sync of the Application.
    pub windows: Option<SyncWindows>,
    /// `syncOptions`, exactly as written: Argo CD compares them letter by letter (`HasOption`).
    pub options: Vec<String>,
    /// `ServerSideDiff=…` in the compare options of the Application. None if it is not set.
    pub server_side_diff: Option<bool>,
    /// The entries of `spec.ignoreDifferences` that name fields.
    pub ignored: Vec<IgnoredDifferences>,
}

/// The sync windows of an AppProject that apply to an Application (`SyncWindows` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncWindows {
    /// The name of the project.
    pub project: String,
    /// Why no automated sync can ever start. None if one starts when the windows allow it.
    pub never: Option<String>,
    /// The windows in words, as whole sentences.
    pub text: String,
}

/// Fields of some objects that Argo CD does not compare (`ResourceIgnoreDifferences` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredDifferences {
    /// A glob for API groups.
    pub group: String,
    /// A glob for kinds.
    pub kind: String,
    /// The name of an object. Empty for all names.
    pub name: String,
    /// A namespace. Empty for all namespaces.
    pub namespace: String,
    /// The fields, as JSON pointers.
    pub pointers: Vec<String>,
}

/// How a changed declaration of an Application arrives in the cluster, if another Application renders it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Whether the change adds the Application.
    pub is_new: bool,
    /// What deletes the Application. None if the change does not remove it.
    pub gone: Option<Gone>,
    /// The ApplicationSet that starts the syncs of the Application in steps (`RollingSync`). None if there is none.
    pub rolling: Option<String>,
    /// The Application above it that somebody must sync first, because it has no automated sync policy.
    pub after: Option<String>,
}

/// How an Application is deleted that is not declared any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Who deletes it.
    pub by: DeletedBy,
    /// Whether its resources are deleted with it. They are if it has a finalizer for that (`CascadedDeletion` in
    /// `pkg/apis/application/v1alpha1/types.go`).
    pub with_resources: bool,
    /// Whether Git still has the Application's folder, from which Argo CD renders the hooks that it runs at the deletion (`executeHooks` in
    /// `controller/hook.go`).
    pub has_folder: bool,
}

/// Who deletes an Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletedBy {
    /// The controller of ApplicationSets, because this ApplicationSet does not generate it any more (`deleteInCluster` in
    /// `applicationset/controllers/applicationset_controller.go`).
    Set(String),
    /// The next automated sync of this Application, because it prunes.
    Sync(String),
    /// A manual sync of this Application with prune, because its policy does not prune.
    Pruning(String),
    /// The deletion of this Application, which renders it.
    With(String),
    /// Unknown: the tool that applied its declaration deletes it if that tool prunes.
    Unknown,
}

/// `spec.syncPolicy.automated`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Automated {
    /// `prune`: an automated sync deletes objects that were removed from the source.
    pub prune: bool,
    /// `selfHeal`: a change in the cluster starts a sync, too.
    pub self_heal: bool,
    /// `allowEmpty`: an automated sync prunes even if no object is left.
    pub allow_empty: bool,
}

impl SyncPolicy {
    /// Whether the Application has exactly this sync option, such as `Replace=true`.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|found| found == option)
    }

    /// Whether this version of Argo CD compares the Application with server-side diff (`shouldUseServerSideDiff` in `controller/state.go`). Ignores
    /// the flag of the controller that turns it on for all Applications.
    pub fn uses_server_side_diff(&self, version: Version) -> bool {
        let by_apply = version.has(Fact::ApplyTurnsDiffOn) && self.has_option("ServerSideApply=true");
        self.server_side_diff.unwrap_or(by_apply)
    }
}
