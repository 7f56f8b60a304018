//! Reads one source of an Application: where its files are, and how Argo CD renders it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::{NoFolder, clean, folder_in, missing_submodules, of_submodule, small_file_in};
use goyaml::{Tree, Value};
use kube_jobs::argocd;
use rewrite::settings::{Unknown, typed};
use sha2::{Digest, Sha256};
use system::PathText;
use text::Place;

use super::references::{self, Referable};
use super::schema::SOURCE;
use super::{
    ApplicationSource, Checkout, ChosenBy, Elsewhere, Removal, RenderedBy, SkippedBecause, overrides, parameters,
};

/// What all sources of an Application share while they are read.
pub(super) struct Reading<'r> {
    pub(super) application: &'r argocd::Application,
    pub(super) checkout: &'r Checkout,
    pub(super) siblings: &'r Arc<Siblings>,
}

/// What a source can find out about the other sources of its Application.
#[derive(Debug)]
pub(super) struct Siblings {
    /// The sources that have a `ref`; `None` for an Application with a single `spec.source`.
    pub(super) referable: Option<Referable>,
    /// The checkout in which references are looked up.
    pub(super) checkout: Checkout,
}

/// The name of this plugin. A suffix after a dash is its version.
pub(super) const PLUGIN: &str = "argocd-jobs";

/// The maximum size of a file with overrides, in bytes.
pub const MAX_OVERRIDES: u64 = 1 << 20;

/// The blocks, in the order in which Argo CD's message lists them (`ExplicitType` in
/// `pkg/apis/application/v1alpha1/types.go`).
const BLOCKS: [&str; 4] = ["kustomize", "helm", "directory", "plugin"];

/// Reads a source, which has the types of the API. Returns `None` for a source that only other sources refer to.
pub(super) fn read(
    source: Value,
    reading: &Reading<'_>,
    place: Place,
) -> Result<Option<ApplicationSource>, SkippedBecause> {
    let text = |key: &str| source.text_at(&[key]).unwrap_or_default().to_owned();
    let (url, path, chart) = (text("repoURL"), text("path"), text("chart"));
    if reading.siblings.referable.is_some() && path.is_empty() && chart.is_empty() && !text("ref").is_empty() {
        return Ok(None);
    }
    if url.is_empty() || (path.is_empty() && chart.is_empty()) {
        return Err(SkippedBecause::NoSource);
    }
    let revision = text("targetRevision");
    let elsewhere = elsewhere(reading.checkout, [&url, &path, &chart, &revision])?;
    let root = elsewhere.as_ref().map_or(&reading.checkout.root, |elsewhere| &elsewhere.root);
    // The source is the whole chart; a `path` has no effect.
    let path = if chart.is_empty() { path } else { String::new() };
    if let Some(submodule) =
        missing_submodules(root).into_iter().find(|submodule| clean(Path::new(&path)).starts_with(submodule))
    {
        return Err(SkippedBecause::InSubmodule(Box::new(of_submodule(&submodule))));
    }
    let dir = folder_in(root, &path).map_err(|failure| match failure {
        NoFolder::Leaves => SkippedBecause::PathLeaves(path.clone()),
        NoFolder::Missing => SkippedBecause::NoSuchDirectory(path.clone()),
        NoFolder::Unreadable(error) => SkippedBecause::Unreadable { path: path.clone(), why: error.to_string() },
    })?;
    let application = argocd::Application {
        repo_url: Some(url),
        source_path: Some(path),
        target_revision: Some(revision).filter(|revision| !revision.is_empty()),
        ..reading.application.clone()
    };
    let mut files = Vec::new();
    for name in overrides::file_names(application.name.as_deref().unwrap_or_default()) {
        let path = dir.join(&name);
        let text = small_file_in(root, &path, MAX_OVERRIDES)
            .map_err(|error| SkippedBecause::Broken(format!("`{}`: {error}", path.shown())))?;
        files.extend(text.map(|text| (name, text)));
    }
    let written = parameters::without_empty_blocks(source);
    let siblings = Arc::clone(reading.siblings);
    let written = Written { source: written, siblings };
    let source = resolved(place, application, (dir, elsewhere), written, &files)?;
    Ok(Some(source))
}

/// Where the files of a source are, which can be a tag of this repository; `None` when they are in this checkout.
fn elsewhere(
    checkout: &Checkout,
    [url, path, chart, revision]: [&str; 4],
) -> Result<Option<Elsewhere>, SkippedBecause> {
    if !chart.is_empty() {
        return checkout.others.chart(url, chart, revision).map(Some);
    }
    if !checkout.is_repository(url) {
        return checkout.others.repository(url, revision).map(Some);
    }
    let tag = checkout.at_tag(revision);
    if tag.is_none() && checkout.branch.as_ref().is_some_and(|branch| !branch.is_reached(revision)) {
        return Err(SkippedBecause::AnotherRevision { revision: revision.to_owned(), dir: clean(Path::new(path)) });
    }
    Ok(tag)
}

/// A source as written in the manifest, without overrides.
#[derive(Clone, Debug)]
pub(super) struct Written {
    source: Value,
    siblings: Arc<Siblings>,
}

impl ApplicationSource {
    /// The names of the files in the folder that override fields of the source, in the order in which they are
    /// applied.
    pub fn overriding_files(&self) -> [String; 2] {
        overrides::file_names(self.name())
    }

    /// Whether both sources have the same content after overrides, in whichever files they are written.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.application == other.application
            && self.written.source == other.written.source
            && (&self.parameters, &self.native) == (&other.parameters, &other.native)
    }

    /// The SHA-256 of the source's content after overrides: equal for two sources exactly if the content is.
    pub fn fingerprint(&self) -> [u8; 32] {
        let Self { application, parameters, native, .. } = self;
        Sha256::digest(format!("{application:?} {parameters:?} {native:?} {:?}", self.written.source)).into()
    }

    /// Whether both sources have the same content before overrides, in an Application with as many sources.
    pub fn is_declared_like(&self, other: &Self) -> bool {
        self.application == other.application && self.of == other.of && self.written.source == other.written.source
    }

    /// Whether Argo CD looks for the manifests of both in its cache under the same key, but for the revision (`NewManifestKey` in
    /// `reposerver/cache/cache.go`). Neither the annotations nor the sync policy of the Application are in it.
    pub fn has_cached_manifests_of(&self, other: &Self) -> bool {
        let key = |source: &Self| (source.application.name.clone(), source.application.namespace.clone());
        key(self) == key(other) && self.written.source == other.written.source
    }

    /// The same source with other overrides, for example those of another revision: each file has its name and its
    /// text.
    pub fn laid_over(&self, files: &[(String, String)]) -> Result<Self, SkippedBecause> {
        let at = (self.dir.clone(), self.elsewhere.clone());
        let laid = resolved(self.place.clone(), self.application.clone(), at, self.written.clone(), files)?;
        Ok(Self { of: self.of, ..laid })
    }
}

/// The source after the overrides in `files`.
fn resolved(
    place: Place,
    application: argocd::Application,
    (dir, elsewhere): (PathBuf, Option<Elsewhere>),
    written: Written,
    files: &[(String, String)],
) -> Result<ApplicationSource, SkippedBecause> {
    let source = with_overrides(written.source.clone(), &dir, files)?;
    let explicit: Vec<&str> = BLOCKS.into_iter().filter(|block| source.at(&[block]).is_some()).collect();
    if let [_, _, ..] = explicit[..] {
        let blocks = explicit.join("` and `");
        return Err(SkippedBecause::Broken(format!("it has `{blocks}`, but Argo CD accepts only one of them")));
    }
    if source.is_true_at(&["directory", "disableExtensionFilter"]) {
        return Err(SkippedBecause::EveryExtension);
    }
    let by = match explicit.first() {
        Some(&"plugin") => of_plugin(&source)?,
        _ => RenderedBy::Native,
    };
    let Siblings { referable, checkout } = &*written.siblings;
    let references = match referable {
        Some(referable) if by == RenderedBy::Native => references::of_helm(&source, referable, checkout)?,
        _ => BTreeMap::new(),
    };
    let application = argocd::Application { is_native: by == RenderedBy::Native, ..application };
    let native = (by == RenderedBy::Native).then(|| parameters::of_native(&source));
    let (parameters, env) = (parameters::of_plugin(&source), parameters::env(&source));
    Ok(ApplicationSource {
        place,
        application,
        dir,
        elsewhere,
        by,
        parameters,
        native,
        env,
        references,
        set: None,
        generate_paths: None,
        removal: Removal::default(),
        chosen_by: ChosenBy::default(),
        of: 1,
        written,
    })
}

/// Who renders a source with a plugin. Ours is `argocd-jobs`, with or without a version, or one without a name, for which
/// Argo CD asks the plugins themselves; but not if it is given only what another plugin reads.
fn of_plugin(source: &Value) -> Result<RenderedBy, SkippedBecause> {
    let name = source.text_at(&["plugin", "name"]).unwrap_or_default();
    let is_ours = is_ours(name) && (!name.is_empty() || !parameters::is_for_another(source));
    if is_ours { Ok(RenderedBy::Plugin) } else { Err(SkippedBecause::OtherPlugin(name.to_owned())) }
}

/// Whether this is the name of this plugin.
pub(super) fn is_ours(name: &str) -> bool {
    name.is_empty() || name.strip_prefix(PLUGIN).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn with_overrides(mut source: Value, dir: &Path, files: &[(String, String)]) -> Result<Value, SkippedBecause> {
    for (name, text) in files {
        let broken = |why: String| SkippedBecause::Broken(format!("`{}`: {why}", dir.join(name).shown()));
        let mut tree = Tree::default();
        let document = tree.read(text).map_err(|error| broken(error.message))?;
        let Some(root) = document.root() else { continue };
        let patch = root.value().map_err(|error| broken(error.message))?;
        if patch != Value::Null {
            let patch = typed(patch, &SOURCE, Unknown::Dropped).map_err(|error| broken(error.text()))?;
            source = overrides::lay_over(source, patch);
        }
    }
    Ok(source)
}
