//! Reads manifests of Applications: which folder of this checkout each of them names, and how Argo CD renders it.
//!
//! They are read as Argo CD 3.5 does: `spec.sourceHydrator`, or else `spec.sources`, or else `spec.source`. Fields
//! have the types of the API, unknown fields are dropped, and empty blocks count as missing (`NormalizeSource` in
//! `util/argo/argo.go`). Then `.argocd-source.yaml` in the folder overrides fields of the source. A source that
//! cannot be rendered here is skipped, with the reason.

mod adopt;
mod application;
mod argocd_cm;
mod clusters;
mod declaration;
mod elsewhere;
mod manifests;
mod overrides;
mod parameters;
mod references;
mod schema;
mod sets;
mod skipped;
mod source;
mod sync_windows;
mod tags;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube_jobs::argocd::{self, BrokenSet, GeneratePaths, SyncPolicy, TargetBranch};
use rewrite::settings::{self, Settings};
use text::{Origin, Place};

pub use adopt::{Adopted, NotAdopted, adopt};
pub use argocd_cm::{argocd_cms, ignored, may_be_argocd_cm};
pub(crate) use argocd_cm::{build_options, may_have_build_options};
pub use clusters::clusters;
pub use declaration::Declaration;
pub use elsewhere::{Elsewhere, Others};
pub use manifests::{is_template_of_applications, may_have_applications, mentions_applications, read, rendered};
pub use sets::{SetInputs, SetPolicy};
pub use skipped::{Skipped, SkippedBecause};
pub use source::MAX_OVERRIDES;
pub use sync_windows::{ChosenBy, Projects, may_have_projects};
pub use tags::Tags;

/// A checkout, and what is known about its repository.
#[derive(Clone, Debug, Default)]
pub struct Checkout {
    /// The root: an absolute path without symlinks. No path of an Application may lead out of it.
    pub root: PathBuf,
    /// The URLs of its repository. If the list is empty, every repository whose path exists here is assumed to be
    /// this one.
    pub repository_urls: Vec<String>,
    /// The branch that a change is merged into, when two versions are compared. An Application at another revision
    /// does not get the change.
    pub branch: Option<TargetBranch>,
    /// The tags of its repository, when two versions are compared.
    pub tags: Option<Tags>,
    /// Where to get the files of other repositories and charts.
    pub others: Others,
    /// What the generators of ApplicationSets can read.
    pub sets: SetInputs,
    /// The namespace in which Argo CD runs, when it is known. The names of Applications in other namespaces get their
    /// namespace as a prefix.
    pub argocd_namespace: Option<String>,
}

impl Checkout {
    /// The files of this repository at a revision that no change reaches, if it is a tag that is here.
    pub(super) fn at_tag(&self, revision: &str) -> Option<Elsewhere> {
        let is_reached = self.branch.as_ref().is_none_or(|branch| branch.is_reached(revision));
        self.tags.as_ref().filter(|_| !is_reached)?.at(revision)
    }

    /// Whether this is the URL of the checkout's repository, or is assumed to be.
    pub(crate) fn is_repository(&self, url: &str) -> bool {
        let own = &self.repository_urls;
        let is_assumed = own.is_empty() && !url.starts_with("oci://") && self.others.checkout(url).is_none();
        is_assumed || own.iter().any(|own| argocd::is_same_repository(own, url))
    }
}

/// The result of reading manifests.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The sources that can be rendered here, in the order of the manifests.
    pub sources: Vec<ApplicationSource>,
    /// The sources and Applications that cannot be rendered here, in the order of the manifests.
    pub skipped: Vec<Skipped>,
    /// The ApplicationSets for which Argo CD does not create all Applications. They are among the skipped, too.
    pub broken_sets: Vec<BrokenSet>,
    /// The names of all ApplicationSets, including those that are not expanded.
    pub sets: BTreeSet<String>,
    /// The URLs, without passwords, of repositories that were assumed to be this one, because the user did not name
    /// its URL.
    pub assumed: BTreeSet<String>,
}

impl Declared {
    /// The names of the Applications, also of those that cannot be rendered.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(ApplicationSource::name).chain(self.skipped.iter().map(|skipped| skipped.name.as_str()))
    }

    /// Leaves out the sources that a change moves to another revision of this repository: at most one of the two is the branch that it is merged into,
    /// and the base is at that branch. From a tag that is here, `HEAD` is that branch. Only if its name is unknown.
    pub(crate) fn leave_out_moved(&mut self, old: &Self, checkout: &Checkout) {
        if !matches!(checkout.branch, Some(TargetBranch::Unknown(_))) {
            return;
        }
        let is_own = |source: &&ApplicationSource| {
            let url = source.application.repo_url.as_deref().unwrap_or_default();
            source.elsewhere.is_none() || checkout.is_repository(url)
        };
        let mut revisions: BTreeMap<&str, BTreeSet<(&str, bool)>> = BTreeMap::new();
        for source in old.sources.iter().filter(is_own) {
            revisions.entry(source.name()).or_default().insert((source.revision(), source.elsewhere.is_some()));
        }
        let is_moved = |source: &ApplicationSource| {
            let before = revisions.get(source.name()).filter(|_| source.elsewhere.is_none());
            let now = source.revision();
            let is_like = |(revision, is_tag): &(&str, bool)| *revision == now || *is_tag && now == "HEAD";
            before.is_some_and(|before| !before.iter().any(is_like))
        };
        let (moved, left) = std::mem::take(&mut self.sources).into_iter().partition(is_moved);
        self.sources = left;
        self.skipped.extend(Vec::into_iter(moved).map(|source: ApplicationSource| Skipped {
            place: source.place.clone(),
            name: source.name().to_owned(),
            why: SkippedBecause::AnotherRevision { revision: source.revision().to_owned(), dir: source.dir.clone() },
            declaration: Some(Arc::new(Declaration::of_source(&source))),
            removal: source.removal,
            set: source.set.map(|(set, _)| set),
        }));
    }

    /// Keeps only the entries whose place `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&Place) -> bool) {
        self.sources.retain(|source| keep(&source.place));
        self.skipped.retain(|skipped| keep(&skipped.place));
    }
}

/// A source of an Application, ready to be rendered.
#[derive(Clone, Debug)]
pub struct ApplicationSource {
    /// The place of the Application, or of this source when the Application has several.
    pub place: Place,
    /// The Application as a plugin sees it, with its sync policy. Facts that only a cluster or a commit has are
    /// missing: the version of Kubernetes, the APIs, the revision.
    pub application: argocd::Application,
    /// The folder of the source relative to the root, without `.` and `..`; empty for the root itself.
    pub dir: PathBuf,
    /// Where the files are; `None` when they are in this checkout.
    pub elsewhere: Option<Elsewhere>,
    /// Who renders the source.
    pub by: RenderedBy,
    /// The value of `ARGOCD_APP_PARAMETERS` for the plugin.
    pub parameters: Option<String>,
    /// The settings from the block of a source that Argo CD renders itself; `None` for the plugin.
    pub native: Option<Result<Settings, settings::Error>>,
    /// The entries of `plugin.env`: names without `ARGOCD_ENV_`, and values in which variables are not yet replaced.
    env: Vec<(String, String)>,
    /// The names of other sources (`ref`) whose files this source reads as `$name/…`. Each has the place of its
    /// files, or `None` when they are in this checkout.
    pub references: BTreeMap<String, Option<Elsewhere>>,
    /// The ApplicationSet that generates the Application; true when some parameters are placeholders because the
    /// clusters are unknown.
    pub set: Option<(Arc<SetPolicy>, bool)>,
    /// Which files a commit has to change for Argo CD to render it. None if any file will do.
    pub generate_paths: Option<GeneratePaths>,
    /// What happens to the Application when no manifest declares it any more.
    pub removal: Removal,
    /// What the sync windows of its project can choose it by.
    pub chosen_by: ChosenBy,
    /// How many sources its Application has.
    of: usize,
    written: source::Written,
}

/// What distinguishes one Application from another: its name, and what declares it. Two files can have an Application of one name, for two clusters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ApplicationId {
    /// The name of the Application.
    pub(crate) name: String,
    origin: Origin,
}

/// What happens when an Application is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Whether a finalizer makes Argo CD delete the Application's resources, too.
    pub with_resources: bool,
    /// Whether `Prune=false` keeps the parent Application from pruning it.
    pub is_kept: bool,
}

/// Who renders a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderedBy {
    /// This plugin.
    Plugin,
    /// Argo CD itself.
    Native,
}

impl ApplicationSource {
    /// The folder relative to the root of this checkout; `None` when the source is outside of it.
    pub fn dir_here(&self) -> Option<&Path> {
        self.elsewhere.is_none().then_some(self.dir.as_path())
    }

    /// Where its folder is in the checkout with this root: also the folder of another repository or of a chart that the user has there.
    pub fn folder_in(&self, root: &Path) -> Option<PathBuf> {
        let of_others = self.elsewhere.as_ref().map(|elsewhere| elsewhere.root.as_path());
        let folder = of_others.unwrap_or(root).join(&self.dir);
        folder.starts_with(root).then_some(folder)
    }

    /// The folder in the checkout with this root that need not be read for itself, because this source is. If two versions are compared, none of another
    /// repository or of a chart: the change is only here.
    pub(crate) fn settles(&self, root: &Path, is_compared: bool) -> Option<PathBuf> {
        self.folder_in(root).filter(|_| !is_compared || self.elsewhere.is_none())
    }

    /// The Application.
    pub(crate) fn id(&self) -> ApplicationId {
        ApplicationId { name: self.name().to_owned(), origin: self.place.origin.clone() }
    }

    /// The sync policy of the Application.
    pub fn sync(&self) -> Option<&Arc<SyncPolicy>> {
        self.application.sync.as_ref()
    }

    /// The name of the Application, as a plugin sees it.
    pub fn name(&self) -> &str {
        self.application.name.as_deref().unwrap_or_default()
    }

    /// The branch, tag or commit that it reads; `HEAD` for the default branch.
    pub fn revision(&self) -> &str {
        let revision = self.application.target_revision.as_deref().unwrap_or("HEAD");
        revision.strip_prefix("refs/heads/").unwrap_or(revision)
    }

    /// The variables of `plugin.env` as the plugin gets them. Variables of the build environment in the values are
    /// replaced as for `application` (`getPluginParamEnvs` in `reposerver/repository/repository.go`).
    pub fn variables(&self, application: &argocd::Application) -> BTreeMap<String, String> {
        let variable = |(name, value): &(String, String)| {
            let whole = format!("ARGOCD_ENV_{name}={}", application.substitute_for_plugin(value));
            // The name in the manifest may contain a `=` itself.
            let (name, value) = whole.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        self.env.iter().filter_map(variable).collect()
    }
}
