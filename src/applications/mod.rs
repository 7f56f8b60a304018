//! Application manifests: which folder of this checkout each names, and how Argo CD renders it.
//!
//! Read as Argo CD reads them (3.5): `spec.sourceHydrator`, or else `spec.sources`, or else `spec.source`; the types of the API, and what it
//! does not know dropped; empty blocks as if they were not there (`NormalizeSource` in `util/argo/argo.go`); then what
//! `.argocd-source.yaml` in the folder lays over it. What cannot be rendered here is skipped, with its reason.

mod application;
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
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::argocd::{self, SyncPolicy, TargetBranch};
use crate::settings::{self, Settings};
use crate::text::Place;

pub use clusters::clusters;
pub use declaration::Declaration;
pub use elsewhere::{Elsewhere, Others};
pub use manifests::{may_have_applications, read, rendered};
pub use sets::{SetInputs, SetPolicy};
pub use skipped::{Skipped, SkippedBecause};
pub use source::MAX_OVERRIDES;

/// What a checkout is.
#[derive(Clone, Debug, Default)]
pub struct Checkout {
    /// Its root, absolute and without symlinks. No path of an Application leads out of it.
    pub root: PathBuf,
    /// The URLs of its repository. When there is none, every repository is taken for this one whose path is there.
    pub repository_urls: Vec<String>,
    /// The branch that a change is merged into, when two versions are compared: an Application at another revision does not get the change.
    pub branch: Option<TargetBranch>,
    /// Where the files of other repositories are.
    pub others: Others,
    /// What ApplicationSets can ask about.
    pub sets: SetInputs,
    /// The namespace that Argo CD runs in, when it is known: Applications of other namespaces have these before their names.
    pub argocd_namespace: Option<String>,
}

impl Checkout {
    /// Whether a URL is that of its repository.
    pub(crate) fn is_repository(&self, url: &str) -> bool {
        let own = &self.repository_urls;
        let is_assumed = own.is_empty() && !url.starts_with("oci://") && self.others.checkout(url).is_none();
        is_assumed || own.iter().any(|own| argocd::is_same_repository(own, url))
    }
}

/// What manifests declare.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// What can be rendered here, in the order of the manifests.
    pub sources: Vec<ApplicationSource>,
    /// What cannot, in the same order.
    pub skipped: Vec<Skipped>,
    /// The names of the ApplicationSets, also of those that are not expanded.
    pub sets: BTreeSet<String>,
    /// The URLs of repositories that were taken for this one because nobody has said which it is. Without passwords.
    pub assumed: BTreeSet<String>,
}

impl Declared {
    /// Keeps only what stands at a place that `keep` is true for.
    pub fn retain(&mut self, keep: impl Fn(&Place) -> bool) {
        self.sources.retain(|source| keep(&source.place));
        self.skipped.retain(|skipped| keep(&skipped.place));
    }
}

/// A source of an Application whose files are known.
#[derive(Clone, Debug)]
pub struct ApplicationSource {
    /// The place of the Application, or of this one of its several sources.
    pub place: Place,
    /// The Application as a plugin would get it, and its sync policy. What only a cluster or a commit can say is not there: the version
    /// of Kubernetes, the APIs, the revision.
    pub application: argocd::Application,
    /// The folder below the root of its files, without `.` and `..`; empty for the root.
    pub dir: PathBuf,
    /// Where its files are if they are not in this checkout.
    pub elsewhere: Option<Elsewhere>,
    /// Who renders it.
    pub by: RenderedBy,
    /// What `ARGOCD_APP_PARAMETERS` is for the plugin.
    pub parameters: Option<String>,
    /// The settings of the block of a source that Argo CD renders itself; none for the plugin.
    pub native: Option<Result<Settings, settings::Error>>,
    /// `plugin.env`: names without `ARGOCD_ENV_`, values as they are written.
    env: Vec<(String, String)>,
    /// The names of other sources (`ref`) whose files the source reads as `$name/…`, and where these are if they are not in this checkout.
    pub references: BTreeMap<String, Option<Elsewhere>>,
    /// The ApplicationSet that makes the Application, and whether parameters of it are placeholders, because the clusters are not known.
    pub set: Option<(Arc<SetPolicy>, bool)>,
    /// What becomes of the Application when nothing declares it any more.
    pub removal: Removal,
    written: source::Written,
}

/// What an Application says of its own removal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Whether its finalizers make Argo CD delete its resources with it.
    pub with_resources: bool,
    /// Whether the Application that renders it never prunes it (`Prune=false`).
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
    /// The folder below the root of this checkout; none if it is elsewhere.
    pub fn dir_here(&self) -> Option<&Path> {
        self.elsewhere.is_none().then_some(self.dir.as_path())
    }

    /// The sync policy.
    pub fn sync(&self) -> Option<&Arc<SyncPolicy>> {
        self.application.sync.as_ref()
    }

    /// The name of the Application, as a plugin gets it.
    pub fn name(&self) -> &str {
        self.application.name.as_deref().unwrap_or_default()
    }

    /// The variables of `plugin.env` as the plugin gets them, with the build environment of `application` put in (`getPluginParamEnvs` in
    /// `reposerver/repository/repository.go`).
    pub fn variables(&self, application: &argocd::Application) -> BTreeMap<String, String> {
        let variable = |(name, value): &(String, String)| {
            let whole = format!("ARGOCD_ENV_{name}={}", application.substitute_for_plugin(value));
            // A name can have the sign in it.
            let (name, value) = whole.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        self.env.iter().filter_map(variable).collect()
    }
}
