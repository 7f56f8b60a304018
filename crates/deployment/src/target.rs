//! One thing that is read: a path that was typed, a folder that was found, or the folder that an Application names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkout::repository_root;
use render::{KUSTOMIZATIONS, Renderer};
use rewrite::settings::{CliParameter, CliValue, SourceKind};
use system::{canonical, relative};
use text::listed;

use crate::applications::{ApplicationSource, Checkout};
use crate::folders::Folder;
use crate::pair::Pair;
use crate::run::VALUES_SET;
use crate::typed;

/// A source that is read.
#[derive(Clone, Debug)]
pub enum Target {
    /// Standard input.
    StandardInput,
    /// A path that was typed.
    Typed(PathBuf),
    /// A folder or a file, one of several.
    Folder(Folder),
    /// The folder of an Application's source, in this checkout.
    Application(Pair, Arc<Checkout>),
    /// The folder of a chart, with one of its value sets.
    ValueSet(Folder, ValueSet),
}

/// The most API versions in the name of a value set.
const NAMED: usize = 2;

/// Values with which a chart is rendered, in addition to its own `values.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// The name of the value set: the path of its file, below the chart if it is there.
    pub name: String,
    /// The entries of `helm-value-files`.
    pub files: Vec<String>,
    /// The API versions that a cluster is taken to have in addition to the versions of Kubernetes.
    pub api_versions: Vec<String>,
}

impl ValueSet {
    /// The set of one file. `entry` is that of `helm-value-files`, if it is not the name.
    pub fn of_file(name: &str, entry: Option<String>) -> Self {
        Self { name: name.to_owned(), files: vec![entry.unwrap_or_else(|| name.to_owned())], api_versions: Vec::new() }
    }

    /// The set without a file, for a cluster with these API versions. `own` is what the chart's own values are called.
    pub fn with_api_versions(own: &str, api_versions: Vec<String>) -> Self {
        let shown = api_versions.len().min(NAMED);
        let named = listed(&api_versions[..shown], api_versions.len() - shown);
        let noun = if api_versions.len() == 1 { "API version" } else { "API versions" };
        Self { name: format!("{own} with {noun} {named}"), files: Vec::new(), api_versions }
    }

    /// The parameters that it stands for.
    pub fn parameters(&self) -> Vec<CliParameter> {
        let mut parameters = Vec::new();
        if !self.files.is_empty() {
            let files = CliValue::List(self.files.clone());
            parameters.push(CliParameter::by_flag(VALUES_SET, "helm-value-files", files));
        }
        if !self.api_versions.is_empty() {
            let block = serde_json::json!({ "apiVersions": self.api_versions }).to_string();
            parameters.push(CliParameter::by_flag(VALUES_SET, "helm", block));
        }
        parameters
    }
}

impl Target {
    /// A path that was typed; `-` is standard input.
    pub fn typed(path: &str) -> Self {
        if path == "-" { Self::StandardInput } else { Self::Typed(PathBuf::from(path)) }
    }

    /// The path of the target, as people in the working directory write it.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::StandardInput => PathBuf::from("-"),
            Self::Typed(path) => path.clone(),
            Self::Folder(Folder { dir, files, is_file: true, .. }) => dir.join(&files[0]),
            Self::Folder(folder) | Self::ValueSet(folder, _) => folder.dir.clone(),
            Self::Application(pair, checkout) => dir_of(pair.source(), checkout),
        }
    }

    /// The folder of a chart, if that was typed or found.
    pub(crate) fn chart(&self) -> Option<Folder> {
        match self {
            Self::Folder(folder) if folder.renderer == Some(Renderer::Helm) => Some(folder.clone()),
            Self::Typed(path) if self.kind() == SourceKind::Helm.as_str() => Some(Folder {
                dir: path.clone(),
                renderer: Some(Renderer::Helm),
                files: Vec::new(),
                is_file: false,
                part_of: None,
            }),
            _ => None,
        }
    }

    /// The folders of the sources that use it, if it may be only a part of them; none for a source of its own.
    pub fn part_of(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Folder(folder) | Self::ValueSet(folder, _) => folder.part_of.clone(),
            Self::Application(Pair::Old(_), _) => Some(vec![self.path()]),
            _ => None,
        }
    }

    /// The source of an Application in both versions.
    pub fn pair(&self) -> Option<&Pair> {
        match self {
            Self::Application(pair, _) => Some(pair),
            _ => None,
        }
    }

    /// The source of an Application, as the new version declares it, or else the other version.
    pub fn source(&self) -> Option<&ApplicationSource> {
        self.pair().map(Pair::source)
    }

    /// The source of an Application that only the other version declares so.
    pub(crate) fn old_source(&self) -> Option<&ApplicationSource> {
        match self {
            Self::Application(Pair::Old(source), _) => Some(source),
            _ => None,
        }
    }

    /// Whether it is a source of an Application that is known to be in the new version only.
    pub fn is_new(&self) -> bool {
        self.pair().is_some_and(Pair::is_new)
    }

    /// Whether it is a source of an Application of the new version.
    pub fn is_application(&self) -> bool {
        self.pair().is_some_and(|pair| pair.in_new().is_some())
    }

    /// Whether its files are in another repository than its Application.
    pub fn is_elsewhere(&self) -> bool {
        self.source().is_some_and(|source| source.elsewhere.is_some())
    }

    /// The root of the repository that has its files.
    pub fn top(&self) -> Option<PathBuf> {
        let other = self.source().and_then(|source| source.elsewhere.as_ref());
        other.map(|other| other.root.clone()).or_else(|| repository_root(&self.path()).ok())
    }

    /// The name of its Application.
    pub fn application(&self) -> Option<&str> {
        self.source()?.application.name.as_deref()
    }

    /// The name of the ApplicationSet that makes its Application.
    pub fn set(&self) -> Option<String> {
        self.source()?.set.as_ref().map(|(policy, _)| policy.name.clone())
    }

    /// What renders it, for the table.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::StandardInput => typed::kind(None),
            Self::Folder(Folder { is_file: true, .. }) => "file",
            Self::Folder(folder) | Self::ValueSet(folder, _) => {
                folder.renderer.map_or(SourceKind::Directory, Renderer::source).as_str()
            }
            Self::Typed(_) | Self::Application(..) => typed::kind(Some(&self.path())),
        }
    }

    /// The file for which it is a source, below its directory; none when it is that file itself, or nothing is known.
    pub fn file(&self) -> Option<PathBuf> {
        let dir = self.path();
        match self {
            Self::ValueSet(..) | Self::Folder(Folder { renderer: Some(Renderer::Helm), .. }) => {
                Some(PathBuf::from("Chart.yaml"))
            }
            Self::Folder(Folder { renderer: Some(Renderer::Kustomize), .. }) => kustomization(&dir),
            Self::Folder(Folder { files, is_file: false, .. }) => files.first().cloned(),
            _ => None,
        }
    }
}

fn kustomization(dir: &Path) -> Option<PathBuf> {
    KUSTOMIZATIONS.into_iter().find(|name| dir.join(name).exists()).map(PathBuf::from)
}

/// The folder of a source, as people in the working directory write it.
pub(crate) fn dir_of(source: &ApplicationSource, checkout: &Checkout) -> PathBuf {
    let whole = source.elsewhere.as_ref().map_or(&checkout.root, |other| &other.root).join(&source.dir);
    let here = canonical(".").ok();
    here.and_then(|here| relative(&here, &whole)).unwrap_or(whole)
}
