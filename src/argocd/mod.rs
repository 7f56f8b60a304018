//! Argo CD's words, spelled as there, and how it reads them: annotations, hook types, delete policies, comma-separated lists.

mod fact;
mod git_url;
mod glob;
mod health;
mod kube_version;
mod kustomize_options;
mod pruning;
mod reach;
mod substitution;
mod sync_policy;
mod version;

use std::collections::HashSet;
use std::sync::Arc;

pub use fact::{FACTS, Fact, FactRow};
pub use git_url::{is_same_repository, normalized_git_url, without_password};
pub use glob::Glob;
pub use health::has_health_check;
pub use kube_version::kube_version;
pub use kustomize_options::BuildOptions;
pub use pruning::Pruning;
pub use reach::TargetBranch;
pub use substitution::BUILD_VARIABLES;
pub use sync_policy::{Arrival, Automated, DeletedBy, Gone, IgnoredDifferences, SyncPolicy};
pub use version::Version;

/// `argocd.argoproj.io/hook`
pub const HOOK: &str = "argocd.argoproj.io/hook";
/// `argocd.argoproj.io/hook-delete-policy`
pub const HOOK_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
/// `argocd.argoproj.io/sync-options`
pub const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
/// The finalizers with which Argo CD deletes the resources of an Application before the Application (`isPropagationPolicyFinalizer` in
/// `pkg/apis/application/v1alpha1/types.go`); the first is the one that people write.
pub const RESOURCES_FINALIZERS: [&str; 3] = [
    "resources-finalizer.argocd.argoproj.io",
    "resources-finalizer.argocd.argoproj.io/foreground",
    "resources-finalizer.argocd.argoproj.io/background",
];
/// `argocd.argoproj.io/compare-options`
pub const COMPARE_OPTIONS: &str = "argocd.argoproj.io/compare-options";
/// `argocd.argoproj.io/ignore-differences` (Argo CD 3.6 and later)
pub const IGNORE_DIFFERENCES: &str = "argocd.argoproj.io/ignore-differences";
/// `argocd.argoproj.io/sync-wave`
pub const SYNC_WAVE: &str = "argocd.argoproj.io/sync-wave";
/// `helm.sh/hook`
pub const HELM_HOOK: &str = "helm.sh/hook";
/// `helm.sh/hook-delete-policy`
pub const HELM_HOOK_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
/// `helm.sh/hook-weight`
pub const HELM_HOOK_WEIGHT: &str = "helm.sh/hook-weight";
/// The prefix of all of Helm's hook annotations.
pub const HELM_HOOK_PREFIX: &str = "helm.sh/hook";

/// A comma-separated list as Argo CD splits it: items trimmed, empty ones dropped, none twice (`gitops-engine/pkg/sync/resource/annotations.go`).
pub fn comma_list(text: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    text.split(',').map(str::trim).filter(|item| !item.is_empty() && seen.insert(*item)).collect()
}

/// A sync wave as Argo CD reads it: what Go's `strconv.Atoi` takes, so no white space and no point
/// (`gitops-engine/pkg/sync/syncwaves/waves.go`).
pub fn wave(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A phase of a sync in which a hook can run, in the order in which they come (`gitops-engine/pkg/sync/common/types.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Before anything else is applied.
    PreSync,
    /// With the manifests.
    Sync,
    /// After everything is applied and healthy.
    PostSync,
    /// When the sync has failed.
    SyncFail,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PreSync, Self::Sync, Self::PostSync, Self::SyncFail];

    /// As Argo CD spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreSync => "PreSync",
            Self::Sync => "Sync",
            Self::PostSync => "PostSync",
            Self::SyncFail => "SyncFail",
        }
    }

    /// Exactly Argo CD's spelling, or nothing.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }
}

/// A hook type that a sync knows; `PreDelete` and `PostDelete` are not (only `controller/hook.go` knows them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookType {
    /// Runs in a phase of a sync.
    Phase(Phase),
    /// Is left out of the sync.
    Skip,
}

impl HookType {
    /// An item of `argocd.argoproj.io/hook`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "Skip" { Some(Self::Skip) } else { Phase::parse(text).map(Self::Phase) }
    }

    /// An item of `helm.sh/hook`; none for `test` and the rollback hooks (`gitops-engine/pkg/sync/hook/helm/type.go`).
    pub fn parse_helm(text: &str) -> Option<Self> {
        match text {
            "pre-install" | "pre-upgrade" => Some(Self::Phase(Phase::PreSync)),
            "post-install" | "post-upgrade" => Some(Self::Phase(Phase::PostSync)),
            _ => None,
        }
    }
}

/// Items of `argocd.argoproj.io/hook` that run when the Application is deleted (`controller/hook.go`).
pub const DELETE_HOOKS: [&str; 2] = ["PreDelete", "PostDelete"];
/// Items of `helm.sh/hook` that run when the Application is deleted.
pub const HELM_DELETE_HOOKS: [&str; 2] = ["pre-delete", "post-delete"];

/// Items of `helm.sh/hook` that Helm knows and Argo CD never runs (`gitops-engine/pkg/sync/hook/helm/type.go`).
pub const HELM_HOOKS_WITHOUT_PHASE: [&str; 5] =
    ["test", "test-success", "test-failure", "pre-rollback", "post-rollback"];

/// Items of `helm.sh/hook-delete-policy`.
pub const HELM_DELETE_POLICIES: [&str; 3] = ["hook-succeeded", "hook-failed", "before-hook-creation"];

/// What Argo CD says to a plugin about the Application and its cluster, and what else its manifest says. Of what is not known there is
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Application {
    /// `ARGOCD_APP_NAME`; outside the control namespace `<namespace>_<name>`.
    pub name: Option<String>,
    /// `ARGOCD_APP_NAMESPACE`: where objects without a namespace go.
    pub namespace: Option<String>,
    /// `ARGOCD_APP_SOURCE_REPO_URL`
    pub repo_url: Option<String>,
    /// `ARGOCD_APP_REVISION`
    pub revision: Option<String>,
    /// `ARGOCD_APP_SOURCE_PATH`: empty for a chart of a Helm repository.
    pub source_path: Option<String>,
    /// `ARGOCD_APP_SOURCE_TARGET_REVISION`: the branch, tag or version that the Application names.
    pub target_revision: Option<String>,
    /// `ARGOCD_APP_PROJECT_NAME` (Argo CD 3.0 and later).
    pub project: Option<String>,
    /// `KUBE_VERSION`: the cluster's; none in the source hydrator.
    pub kube_version: Option<String>,
    /// `KUBE_API_VERSIONS`: the cluster's, as `group/version` and `group/version/Kind`; none in the source hydrator.
    pub api_versions: Vec<String>,
    /// The sync policy, which Argo CD does not say to a plugin.
    pub sync: Option<Arc<SyncPolicy>>,
    /// True when Argo CD renders the Application itself, without a plugin.
    pub is_native: bool,
}

/// Why Argo CD would build an invalid name from a `generateName`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGeneratedName {
    /// The revision of an `oci://` repository is `sha256:…`, and its first seven characters go into the name.
    OciRepository,
    /// The first seven characters of the revision, which are not all allowed in a name.
    Revision(String),
}

impl Application {
    /// Whether Argo CD can build a name from a `generateName`, as far as can be known here
    /// (`gitops-engine/pkg/sync/sync_context.go`).
    pub fn generated_names(&self) -> Result<(), NoGeneratedName> {
        if self.repo_url.as_deref().is_some_and(|url| url.starts_with("oci://")) {
            return Err(NoGeneratedName::OciRepository);
        }
        let revision: String = self.revision.as_deref().unwrap_or("").chars().take(7).collect();
        let allowed = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '-');
        if revision.chars().all(allowed) { Ok(()) } else { Err(NoGeneratedName::Revision(revision)) }
    }
}

/// When Argo CD deletes a hook (`gitops-engine/pkg/sync/common/types.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookDeletePolicy {
    /// When the whole operation has succeeded.
    HookSucceeded,
    /// When the operation has failed.
    HookFailed,
    /// Before it is created again; also the default.
    BeforeHookCreation,
}

impl HookDeletePolicy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::HookSucceeded, Self::HookFailed, Self::BeforeHookCreation];

    /// As Argo CD spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HookSucceeded => "HookSucceeded",
            Self::HookFailed => "HookFailed",
            Self::BeforeHookCreation => "BeforeHookCreation",
        }
    }

    /// Exactly Argo CD's spelling, or nothing.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == text)
    }

    /// Helm's spelling (`gitops-engine/pkg/sync/hook/helm/delete_policy.go`).
    pub fn parse_helm(text: &str) -> Option<Self> {
        match text {
            "hook-succeeded" => Some(Self::HookSucceeded),
            "hook-failed" => Some(Self::HookFailed),
            "before-hook-creation" => Some(Self::BeforeHookCreation),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row of a table of `testdata/render/tables`: a text, and what Argo CD makes of it, or its error.
    #[derive(serde::Deserialize)]
    pub(crate) struct Row {
        pub(crate) r#in: String,
        pub(crate) out: String,
        #[serde(default)]
        pub(crate) error: String,
    }

    /// The rows of a table, without the first `skipped` lines.
    pub(crate) fn rows(table: &str, skipped: usize) -> Vec<Row> {
        let rows: Vec<Row> =
            table.lines().skip(skipped).map(|line| serde_json::from_str(line).expect("a row")).collect();
        assert!(rows.len() > 30, "{} rows", rows.len());
        rows
    }

    /// The Application of the tables.
    pub(crate) fn application() -> Application {
        let text = |value: &str| Some(value.to_owned());
        Application {
            name: text("team_shop"),
            namespace: text("prod"),
            repo_url: text("https://git.example.com/shop.git"),
            revision: text("0123456789abcdef"),
            source_path: text("charts/shop"),
            target_revision: text("main"),
            project: text("default"),
            ..Application::default()
        }
    }
}
