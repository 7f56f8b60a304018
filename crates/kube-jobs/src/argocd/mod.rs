//! Argo CD's own terms and how it reads them: annotations, hook types, delete policies, comma-separated lists.

mod broken_set;
mod fact;
mod git_url;
mod glob;
mod health;
mod ignored;
mod jq_path;
mod kube_version;
mod kustomize_options;
mod pruning;
mod reach;
mod refresh_paths;
mod schedule;
mod shipped;
mod substitution;
mod sync_policy;
mod version;

use std::collections::HashSet;
use std::sync::Arc;

use crate::kubernetes::Object;

pub use broken_set::BrokenSet;
pub use fact::{FACTS, Fact, FactRow};
pub use git_url::{is_same_repository, normalized_git_url};
pub use glob::Glob;
pub use health::{CustomChecks, Ready, Waits};
pub use ignored::{Compared, Ignored, IgnoredDifferences, Ignoring, unescaped};
pub use kube_version::{kube_version, minor_kube_version};
pub use kustomize_options::BuildOptions;
pub use pruning::Pruning;
pub use reach::TargetBranch;
pub use refresh_paths::{GeneratePaths, MANIFEST_GENERATE_PATHS, RefreshPaths, Uncovered};
pub use schedule::{go_duration, in_words, longest_pause};
pub use shipped::{SHIPPED, Shipped};
pub use substitution::BUILD_VARIABLES;
pub use sync_policy::{Arrival, Automated, DeletedBy, Gone, Retry, SyncPolicy, SyncWindows};
pub use version::Version;

/// `argocd.argoproj.io/hook`
pub const HOOK: &str = "argocd.argoproj.io/hook";
/// `argocd.argoproj.io/hook-delete-policy`
pub const HOOK_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
/// `argocd.argoproj.io/sync-options`
pub const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
/// The finalizers that make Argo CD delete the resources of an Application before the Application (`isPropagationPolicyFinalizer` in
/// `pkg/apis/application/v1alpha1/types.go`). People usually write the first.
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
/// The common prefix of all hook annotations of Helm.
pub const HELM_HOOK_PREFIX: &str = "helm.sh/hook";

/// Splits a comma-separated list as Argo CD does: trims items, drops empty and repeated ones (`gitops-engine/pkg/sync/resource/annotations.go`).
pub fn comma_list(text: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    text.split(',').map(str::trim).filter(|item| !item.is_empty() && seen.insert(*item)).collect()
}

/// Parses a sync wave as Argo CD does, with the rules of Go's `strconv.Atoi`: no white space, no decimal point
/// (`gitops-engine/pkg/sync/syncwaves/waves.go`).
pub fn wave(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A phase of a sync in which a hook can run. The phases are in the order in which they run (`gitops-engine/pkg/sync/common/types.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum Phase {
    /// Before anything else is applied.
    PreSync,
    /// Together with the manifests that are not hooks.
    Sync,
    /// After everything is applied and healthy.
    PostSync,
    /// When the sync has failed.
    SyncFail,
}

impl Phase {
    /// All phases, in the order in which they run.
    pub const ALL: [Self; 4] = [Self::PreSync, Self::Sync, Self::PostSync, Self::SyncFail];

    /// The name of the phase, as Argo CD spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreSync => "PreSync",
            Self::Sync => "Sync",
            Self::PostSync => "PostSync",
            Self::SyncFail => "SyncFail",
        }
    }

    /// The phase with exactly this name. None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }
}

/// A hook type that a sync knows. `PreDelete` and `PostDelete` are not among them: only `controller/hook.go` knows these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookType {
    /// Runs in a phase of a sync.
    Phase(Phase),
    /// The object is not applied.
    Skip,
}

impl HookType {
    /// Parses an item of `argocd.argoproj.io/hook`. None for a type that a sync does not know.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "Skip" { Some(Self::Skip) } else { Phase::parse(text).map(Self::Phase) }
    }

    /// Parses an item of `helm.sh/hook`. None for `test` and the rollback hooks (`gitops-engine/pkg/sync/hook/helm/type.go`).
    pub fn parse_helm(text: &str) -> Option<Self> {
        match text {
            "pre-install" | "pre-upgrade" => Some(Self::Phase(Phase::PreSync)),
            "post-install" | "post-upgrade" => Some(Self::Phase(Phase::PostSync)),
            _ => None,
        }
    }
}

/// A time of the deletion of an Application at which hooks run (`controller/hook.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Before its resources are deleted.
    Pre,
    /// After they are gone.
    Post,
}

impl Deletion {
    /// Both, in the order of a deletion.
    pub const ALL: [Self; 2] = [Self::Pre, Self::Post];

    /// The item of `argocd.argoproj.io/hook`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pre => "PreDelete",
            Self::Post => "PostDelete",
        }
    }

    /// The item of `helm.sh/hook`.
    pub const fn of_helm(self) -> &'static str {
        match self {
            Self::Pre => "pre-delete",
            Self::Post => "post-delete",
        }
    }
}

/// Items of `helm.sh/hook` that Helm knows but Argo CD never runs (`gitops-engine/pkg/sync/hook/helm/type.go`).
pub const HELM_HOOKS_WITHOUT_PHASE: [&str; 5] =
    ["test", "test-success", "test-failure", "pre-rollback", "post-rollback"];

/// The valid items of `helm.sh/hook-delete-policy`.
pub const HELM_DELETE_POLICIES: [&str; 3] = ["hook-succeeded", "hook-failed", "before-hook-creation"];

/// The facts about an Application and its cluster: what Argo CD passes to a plugin, and more from the Application's manifest. Unknown facts
/// are None or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Application {
    /// `ARGOCD_APP_NAME`. For an Application outside the control namespace `<namespace>_<name>`.
    pub name: Option<String>,
    /// `ARGOCD_APP_NAMESPACE`: the namespace of objects that name none.
    pub namespace: Option<String>,
    /// `ARGOCD_APP_SOURCE_REPO_URL`
    pub repo_url: Option<String>,
    /// `ARGOCD_APP_REVISION`
    pub revision: Option<String>,
    /// `ARGOCD_APP_SOURCE_PATH`. Empty for a chart of a Helm repository.
    pub source_path: Option<String>,
    /// `ARGOCD_APP_SOURCE_TARGET_REVISION`: the branch, tag or version in the Application.
    pub target_revision: Option<String>,
    /// `ARGOCD_APP_PROJECT_NAME` (Argo CD 3.0 and later).
    pub project: Option<String>,
    /// `KUBE_VERSION`, the version of the cluster. None in the source hydrator.
    pub kube_version: Option<String>,
    /// `KUBE_API_VERSIONS` of the cluster, as `group/version` and `group/version/Kind`. Empty in the source hydrator.
    pub api_versions: Vec<String>,
    /// The sync policy. Argo CD does not pass it to a plugin.
    pub sync: Option<Arc<SyncPolicy>>,
    /// The health checks of each `argocd-cm` in the repository. Argo CD does not pass them to a plugin.
    pub health_checks: Vec<CustomChecks>,
    /// True if Argo CD renders the Application itself, without a plugin.
    pub is_native: bool,
    /// True if the Application has `spec.sources` (`HasMultipleSources` in `pkg/apis/application/v1alpha1/types.go`). A plugin does not know it.
    pub has_several_sources: bool,
    /// True if it may have objects that are not here: a part was left out, or a source could not be read. A plugin does not know it.
    pub may_have_more: bool,
    /// The ApplicationSets among its objects for which Argo CD does not create all Applications. A plugin does not know them.
    pub broken_sets: Vec<BrokenSet>,
}

/// Why the name that Argo CD would build from a `generateName` is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGeneratedName {
    /// The repository is `oci://`, so the revision is `sha256:…`, and its first seven characters are part of the name.
    OciRepository,
    /// The first seven characters of the revision. At least one of them is not allowed in a name.
    Revision(String),
}

impl Application {
    /// Whether Argo CD can build a valid name from a `generateName` (`gitops-engine/pkg/sync/sync_context.go`), as far as a plugin knows. Unknown
    /// facts count as good. What is `oci://` has a digest as its revision, also if it is a chart; the revision of a chart in a registry that is
    /// named without `oci://` is its version (`runRepoOperation` in `reposerver/repository/repository.go`).
    pub fn generated_names(&self) -> Result<(), NoGeneratedName> {
        if self.repo_url.as_deref().is_some_and(|url| url.starts_with("oci://")) {
            return Err(NoGeneratedName::OciRepository);
        }
        let revision: String = self.revision.as_deref().unwrap_or("").chars().take(7).collect();
        let allowed = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '-');
        if revision.chars().all(allowed) { Ok(()) } else { Err(NoGeneratedName::Revision(revision)) }
    }

    /// Why the API server rejects the name that Argo CD builds for a hook of a sync. None for what is no such hook or has a name. The sync of an
    /// Application with several sources has no revision that could get into a name (`CompareAppState` in `controller/state.go`).
    pub fn generated_name_fault(&self, hook: &Object) -> Option<NoGeneratedName> {
        let is_built = hook.is_generated() && hook.is_hook() && !hook.phases().is_empty();
        self.generated_names().err().filter(|_| is_built && !self.has_several_sources)
    }
}

/// When Argo CD deletes a hook (`gitops-engine/pkg/sync/common/types.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookDeletePolicy {
    /// When the whole operation has succeeded.
    HookSucceeded,
    /// When the operation has failed.
    HookFailed,
    /// Before the hook is created again. This is the default.
    BeforeHookCreation,
}

impl HookDeletePolicy {
    /// All delete policies.
    pub const ALL: [Self; 3] = [Self::HookSucceeded, Self::HookFailed, Self::BeforeHookCreation];

    /// The name of the policy, as Argo CD spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HookSucceeded => "HookSucceeded",
            Self::HookFailed => "HookFailed",
            Self::BeforeHookCreation => "BeforeHookCreation",
        }
    }

    /// The policy with exactly this name. None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == text)
    }

    /// The policy with this name in Helm (`gitops-engine/pkg/sync/hook/helm/delete_policy.go`). None for any other text.
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
    use crate::kubernetes::Job;

    /// A row of a table in `testdata`: an input text, and the output or the error of Argo CD.
    #[derive(serde::Deserialize)]
    pub(crate) struct Row {
        pub(crate) r#in: String,
        pub(crate) out: String,
        #[serde(default)]
        pub(crate) error: String,
    }

    /// The rows of a table after its first `skipped` lines.
    pub(crate) fn rows(table: &str, skipped: usize) -> Vec<Row> {
        let rows: Vec<Row> =
            table.lines().skip(skipped).map(|line| serde_json::from_str(line).expect("a row")).collect();
        assert!(rows.len() > 30, "{} rows", rows.len());
        rows
    }

    #[test]
    fn only_a_hook_of_a_single_source_gets_the_revision_into_its_name() {
        let hook = |metadata: &str| Job::read(&format!("{{metadata: {{{metadata}}}}}")).unwrap();
        let generated = hook("generateName: a-, annotations: {helm.sh/hook: post-install}");
        let of = |url: &str, revision: &str, has_several_sources| {
            let (repo_url, revision) = (Some(url.to_owned()), Some(revision.to_owned()));
            Application { repo_url, revision, has_several_sources, ..Application::default() }
        };
        let oci = of("oci://registry.example.com/shop", "", false);
        assert_eq!(oci.generated_name_fault(&generated), Some(NoGeneratedName::OciRepository));
        let named = hook("name: a, generateName: a-, annotations: {helm.sh/hook: post-install}");
        for other in [named, hook("generateName: a-"), hook("generateName: a-, annotations: {helm.sh/hook: test}")] {
            assert_eq!(oci.generated_name_fault(&other), None);
        }
        let version = of("registry.example.com/charts", "1.2.3", false);
        assert_eq!(version.generated_name_fault(&generated), None);
        let with_build = of("registry.example.com/charts", "1.0.0+build", false);
        assert_eq!(with_build.generated_name_fault(&generated), Some(NoGeneratedName::Revision("1.0.0+b".to_owned())));
        assert_eq!(of("oci://registry.example.com/shop", "", true).generated_name_fault(&generated), None);
    }

    /// The Application for which the tables were made.
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
