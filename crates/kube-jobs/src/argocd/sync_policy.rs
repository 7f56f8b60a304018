//! The sync policy of an Application: whether syncs start automatically, their options, and the fields that are not compared.

use serde::Serialize;

use super::{Fact, IgnoredDifferences, Uncovered, Version};

/// `spec.syncPolicy` of an Application (`SyncPolicy` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPolicy {
    /// `automated`. None if it has `enabled: false` (`IsAutomatedSyncEnabled`).
    pub automated: Option<Automated>,
    /// How a failed sync is tried again. None if it is not.
    pub retry: Option<Retry>,
    /// How a change of the Application itself arrives in the cluster.
    pub arrival: Arrival,
    /// What the source reads and the annotation `argocd.argoproj.io/manifest-generate-paths` leaves out. None if it leaves out nothing that is known.
    pub uncovered: Option<Uncovered>,
    /// The sync windows of the project. None if they never prevent a sync of the Application.
    pub windows: Option<SyncWindows>,
    /// `syncOptions`, exactly as written: Argo CD compares them letter by letter (`HasOption`).
    pub options: Vec<String>,
    /// `ServerSideDiff=…` in the compare options of the Application. None if it is not set.
    pub server_side_diff: Option<bool>,
    /// `spec.ignoreDifferences`, and what Argo CD ignores in all Applications.
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

/// How a changed declaration of an Application arrives in the cluster, if another Application renders it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Whether the change adds the Application.
    pub is_new: bool,
    /// The paths of the annotation `argocd.argoproj.io/manifest-generate-paths`, if the change touches none of them: Argo CD keeps the old manifests.
    pub kept_out: Option<Vec<String>>,
    /// What deletes the Application. None if the change does not remove it.
    pub gone: Option<Gone>,
    /// The ApplicationSet that starts the syncs of the Application in steps (`RollingSync`). None if there is none.
    pub rolling: Option<String>,
    /// The Application above it that somebody must sync first, because it has no automated sync policy.
    pub after: Option<String>,
    /// The root, or the folder with the file, that brings the changed Application, if nothing is known to apply it. None if something is.
    pub with_root: Option<String>,
}

/// How an Application is deleted that is not declared any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gone {
    /// Who deletes it.
    #[serde(flatten)]
    pub by: DeletedBy,
    /// Whether its resources are deleted with it. They are if it has a finalizer for that (`CascadedDeletion` in
    /// `pkg/apis/application/v1alpha1/types.go`).
    pub with_resources: bool,
    /// Whether Git still has the Application's folder, from which Argo CD renders the hooks that it runs at the deletion (`executeHooks` in
    /// `controller/hook.go`).
    pub has_folder: bool,
}

/// Who deletes an Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "deletedBy", content = "name", rename_all = "lowercase")]
pub enum DeletedBy {
    /// The controller of ApplicationSets, because this ApplicationSet does not generate it any more (`deleteInCluster` in
    /// `applicationset/controllers/applicationset_controller.go`).
    #[serde(rename = "application-set")]
    Set(String),
    /// The next automated sync of this Application, because it prunes.
    Sync(String),
    /// A manual sync of this Application with prune, because its policy does not prune.
    #[serde(rename = "sync-with-prune")]
    Pruning(String),
    /// The deletion of this Application, which renders it.
    #[serde(rename = "application")]
    With(String),
    /// Unknown: the tool that applied its declaration deletes it if that tool prunes.
    Unknown,
}

/// `spec.syncPolicy.automated`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Automated {
    /// `prune`: an automated sync deletes objects that were removed from the source.
    pub prune: bool,
    /// `selfHeal`: a change in the cluster starts a sync, too.
    pub self_heal: bool,
    /// `allowEmpty`: an automated sync prunes even if no object is left.
    pub allow_empty: bool,
}

/// `spec.syncPolicy.retry`, or what an automated sync has without it (`autoSync` in `controller/appcontroller.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often a failed sync is tried again. None for ever (a negative `limit`).
    pub limit: Option<u32>,
    /// `refresh`: a retry takes the newest commit, not that of the failed sync.
    pub refresh: bool,
    /// The pauses before all retries together, in seconds. Of no use without a limit.
    pub pauses: u64,
}

impl Retry {
    /// `limit` retries, with pauses of `duration` seconds times `factor` to the power of the number of the retry, and at most `longest` seconds if
    /// that is not 0 (`NextRetryAt` in `pkg/apis/application/v1alpha1/types.go`). The number is that of the retry, from 1: the controller counts it
    /// before it waits (`processRequestedAppOperation` in `controller/appcontroller.go`). None for a limit of 0.
    pub fn new(limit: i64, refresh: bool, (duration, factor, longest): (f64, f64, f64)) -> Option<Self> {
        // More than these are a pause that nobody sits out.
        const COUNTED: i64 = 10_000;
        let pause = |number: i64| {
            let pause = duration * factor.powi(i32::try_from(number).unwrap_or(i32::MAX));
            if longest > 0.0 { pause.min(longest) } else { pause }
        };
        let pauses: f64 = (1..=limit.min(COUNTED)).map(pause).sum();
        let limit = if limit < 0 { None } else { Some(u32::try_from(limit).unwrap_or(u32::MAX)) };
        // A float that does not fit becomes the nearest number that does.
        (limit != Some(0)).then_some(Self { limit, refresh, pauses: pauses as u64 })
    }

    /// That of an automated sync whose policy says nothing about retries.
    pub fn by_default() -> Option<Self> {
        Self::new(5, false, Self::PAUSES)
    }

    /// The duration, the factor and the longest pause by default (`application_defaults.go`).
    pub const PAUSES: (f64, f64, f64) = (5.0, 2.0, 180.0);
}

impl SyncPolicy {
    /// Whether the Application has exactly this sync option, such as `Replace=true`.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|found| found == option)
    }

    /// Whether Argo CD uses server-side apply for an object with these sync options of its own (`shouldUseServerSideApply` in
    /// `gitops-engine/pkg/sync/sync_context.go`).
    pub fn applies_on_server(application: Option<&Self>, own: &[&str]) -> bool {
        const ON: &str = "ServerSideApply=true";
        let is_on = application.is_some_and(|policy| policy.has_option(ON)) || own.contains(&ON);
        is_on && !own.contains(&"ServerSideApply=false")
    }

    /// Whether an automated sync does not start if it would delete every object (`bAllNeedPrune` in
    /// `controller/appcontroller.go`).
    pub fn keeps_something(&self) -> bool {
        let is_kept = |automated: &Automated| automated.prune && !automated.allow_empty;
        self.automated.as_ref().is_some_and(is_kept)
    }

    /// Whether this version of Argo CD compares the Application with server-side diff (`shouldUseServerSideDiff` in `controller/state.go`). Ignores
    /// the flag of the controller that turns it on for all Applications.
    pub fn uses_server_side_diff(&self, version: Version) -> bool {
        let by_apply = version.has(Fact::ApplyTurnsDiffOn) && self.has_option("ServerSideApply=true");
        self.server_side_diff.unwrap_or(by_apply)
    }
}
