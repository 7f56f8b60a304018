//! Expands the ApplicationSets of a checkout: finds the clusters and files that their generators read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use applicationset::{Cluster, Counted, Expansion, Problem, Repositories, Unread, World, expand, read_yaml};
use checkout::{Tools, small_file_in};
use goyaml::Node;
use kube_jobs::argocd::BrokenSet;
use serde_json::Value as Json;
use source::tracked_files;
use text::visible;
use walkdir::WalkDir;

use super::clusters::{self, to_json};
use super::skipped::shortened;
use super::{Checkout, SkippedBecause};

/// The maximum number of files in a repository that a generator reads.
const MAX_FILES: usize = 500_000;

/// The maximum size of a file that a generator reads, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// What the generators of ApplicationSets can read.
#[derive(Clone, Debug, Default)]
pub struct SetInputs {
    /// The clusters that Argo CD knows; `None` when the user did not list them.
    pub clusters: Option<Arc<[Cluster]>>,
    /// The minor version of Argo CD 3.
    pub minor: u16,
    /// The programs with which the files of the checkout are listed (git).
    tools: Tools,
    /// The files of each repository, by its root. Filled when a generator first needs them.
    files: Arc<Mutex<Listings>>,
    /// The clusters that Secrets in the checkout describe. Filled when an ApplicationSet first needs them.
    in_checkout: Arc<OnceLock<Vec<Cluster>>>,
}

/// The paths of the files of each repository, by its root; `None` when they cannot be listed.
type Listings = BTreeMap<PathBuf, Option<Arc<[String]>>>;

impl SetInputs {
    /// Inputs with these clusters, for this minor version of Argo CD 3.
    pub fn new(clusters: Option<Arc<[Cluster]>>, minor: u16, tools: Tools) -> Self {
        Self { clusters, minor, tools, ..Self::default() }
    }

    /// The same clusters and version for another checkout, whose files have not been listed.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        Self::new(self.clusters.clone(), self.minor, self.tools.clone())
    }

    /// The number of clusters taken from Secrets in the checkout, because the user did not list the clusters.
    pub fn assumed_clusters(&self) -> usize {
        self.in_checkout.get().map_or(0, Vec::len)
    }

    /// The paths of the files of the repository with this root; `None` when they cannot be listed.
    fn files(&self, root: &Path) -> Option<Arc<[String]>> {
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(root.to_owned()).or_insert_with(|| files(root, &self.tools).map(Into::into)).clone()
    }

    /// The clusters; true when they come from Secrets in the checkout, so that there may be others.
    fn clusters(&self, root: &Path) -> (Option<&[Cluster]>, bool) {
        if let Some(named) = &self.clusters {
            return (Some(named), false);
        }
        let found = self.in_checkout.get_or_init(|| clusters::in_files(root, &self.files(root).unwrap_or_default()));
        (Some(found.as_slice()).filter(|found| !found.is_empty()), !found.is_empty())
    }
}

/// An ApplicationSet, and what it does when its Applications change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPolicy {
    /// The name of the set.
    pub name: String,
    /// `applicationsSync: create-only` or `create-delete`: existing Applications are not updated
    /// (`applicationset/utils/policy.go`).
    pub updates_nothing: bool,
    /// `applicationsSync: create-only` or `create-update`: no Application is deleted.
    pub deletes_nothing: bool,
    /// `strategy.type: RollingSync`: automated sync is off, and the ApplicationSet starts the syncs step by step.
    pub is_rolling: bool,
}

/// An expanded ApplicationSet.
pub(super) struct Made {
    pub(super) policy: SetPolicy,
    pub(super) expansion: Expansion,
}

/// Expands the ApplicationSet in `node`; the error is the reason why that is impossible.
pub(super) fn made(node: Node<'_>, checkout: &Checkout) -> Result<Made, SkippedBecause> {
    let value = node.value().map_err(SkippedBecause::of_syntax)?;
    let set = to_json(&value).map_err(SkippedBecause::Broken)?;
    let repositories = InCheckout(checkout);
    let asks_for_clusters = set["spec"]["generators"].to_string().contains("\"clusters\":");
    let (clusters, is_assumed) = match asks_for_clusters {
        true => checkout.sets.clusters(&checkout.root),
        false => (None, false),
    };
    let world = World { clusters, repositories: &repositories, minor: checkout.sets.minor };
    let text = |path: &str| set.pointer(path).and_then(Json::as_str).unwrap_or_default();
    let policy = SetPolicy {
        name: text("/metadata/name").to_owned(),
        updates_nothing: matches!(text("/spec/syncPolicy/applicationsSync"), "create-only" | "create-delete"),
        deletes_nothing: matches!(text("/spec/syncPolicy/applicationsSync"), "create-only" | "create-update"),
        is_rolling: text("/spec/strategy/type") == "RollingSync",
    };
    let mut expansion = expand(&set, &world);
    expansion.applications.iter_mut().for_each(|generated| generated.is_assumed |= is_assumed);
    // The ApplicationSet is for clusters that have no Secret in the checkout.
    if is_assumed && expansion.applications.is_empty() && expansion.problems.is_empty() {
        expansion.problems.push(Counted { problem: Problem::Clusters, elements: 0 });
    }
    Ok(Made { policy, expansion })
}

/// The repositories that git generators read: that of the checkout, whose revisions `Checkout::branch` decides,
/// and others that are available or fetched.
struct InCheckout<'c>(&'c Checkout);

impl InCheckout<'_> {
    /// The root of a repository at a revision; `None` when it is not available.
    fn root(&self, url: &str, revision: &str) -> Option<PathBuf> {
        let Checkout { root, branch, others, .. } = self.0;
        if !self.0.is_repository(url) {
            return others.repository(url, revision).ok().map(|elsewhere| elsewhere.root);
        }
        branch.as_ref().is_none_or(|branch| branch.is_reached(revision)).then(|| root.clone())
    }
}

impl Repositories for InCheckout<'_> {
    fn files(&self, url: &str, revision: &str) -> Option<Arc<[String]>> {
        self.0.sets.files(&self.root(url, revision)?)
    }

    fn value(&self, url: &str, revision: &str, path: &str) -> Result<Json, Unread> {
        // Git tracks the file, so that Argo CD reads it, in whatever way it is out of reach here.
        let not_known = |why: &str| Unread::NotKnown(why.to_owned());
        let root = self.root(url, revision).ok_or_else(|| not_known("its repository is not at hand"))?;
        let text = small_file_in(&root, Path::new(path), MAX_FILE).map_err(|error| not_known(&error.to_string()))?;
        let text =
            text.ok_or_else(|| not_known("it is not in this checkout, which has only a part of the repository"))?;
        read_yaml(&text)
    }
}

/// The paths of the files of a checkout, sorted; `None` when there are too many. In a repository only tracked files
/// count: Argo CD reads a clone, and lists its files with `git ls-files` (`LsFiles` in `util/git/client.go`).
fn files(root: &Path, tools: &Tools) -> Option<Vec<String>> {
    match tracked_files(root, tools) {
        Some(tracked) => Some(tracked).filter(|tracked| tracked.len() <= MAX_FILES),
        None => files_on_disk(root),
    }
}

/// The paths of all files below a directory, sorted; `None` when one of them cannot be read, or when there are too
/// many.
fn files_on_disk(root: &Path) -> Option<Vec<String>> {
    let walk = WalkDir::new(root).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    let mut found = Vec::new();
    for entry in walk {
        let entry = entry.ok()?;
        if entry.file_type().is_dir() {
            continue;
        }
        let below = entry.path().strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        found.push(below);
        if found.len() > MAX_FILES {
            return None;
        }
    }
    found.sort_unstable();
    Some(found)
}

/// The reason for a problem of an ApplicationSet. `is_left_alone` is the field of [`Expansion`].
pub(super) fn skipped(problem: Problem, is_left_alone: bool) -> SkippedBecause {
    match problem {
        Problem::Repository(url, _) => SkippedBecause::AnotherRepository(url),
        Problem::Failed(message) if is_left_alone => SkippedBecause::BrokenSet(format!(
            "Argo CD cannot make one of its Applications, and leaves all of them as they are: {message}"
        )),
        Problem::Failed(message) => SkippedBecause::BrokenSet(message),
        Problem::Asks(generator) => SkippedBecause::NotExpanded(format!("its generator `{generator}` asks a service")),
        Problem::Clusters => SkippedBecause::NeedsClusters,
        Problem::Function(name) => SkippedBecause::NotExpanded(match name.split_once(" of ") {
            Some((function, with)) => format!("its template calls `{function}` with {with}, which is not known here"),
            None if name.starts_with("the ") => format!("its template has {name}, which is not known here"),
            None => format!("the template function `{name}` is not known here"),
        }),
        Problem::NotKnown(message) | Problem::TooLarge(message) => SkippedBecause::NotExpanded(message),
    }
}

/// What Argo CD says of a problem of the ApplicationSet that begins at `offset`; none if the problem is not one of Argo
/// CD. `is_left_alone` is the field of [`Expansion`].
pub(super) fn broken(counted: &Counted, is_left_alone: bool, offset: usize) -> Option<BrokenSet> {
    let Problem::Failed(message) = &counted.problem else { return None };
    Some(BrokenSet {
        manifest: 0,
        offset,
        cause: shortened(&visible(message)),
        elements: counted.elements,
        makes_nothing: is_left_alone,
    })
}
