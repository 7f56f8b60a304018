//! One thing that is read: a path that was typed, a folder that was found, or the folder that an Application names.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use argocd_jobs::applications::{ApplicationSource, Checkout};
use argocd_jobs::folders::{self, Folder};
use argocd_jobs::settings::SourceKind;
use argocd_jobs::source::{KUSTOMIZATIONS, Renderer, repository_root};
use argocd_jobs::system::canonical;

/// What is read.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Standard input.
    StandardInput,
    /// A path that was typed.
    Typed(PathBuf),
    /// A folder or a file, one of several.
    Folder(Folder),
    /// The folder of an Application's source, in this checkout, and what the base has of it.
    Application(Box<ApplicationSource>, Arc<Checkout>, InBase),
    /// A source of an Application of the base, as the base has it; the change removes or alters the Application.
    ApplicationOfBase(Box<ApplicationSource>, Arc<Checkout>),
}

/// What the version that `--base` names has of an Application's source.
#[derive(Clone, Debug)]
pub(super) enum InBase {
    /// What the Application's own file says in that version.
    InItsFile,
    /// This source.
    As(Box<ApplicationSource>),
    /// Nothing: the Application is new.
    Nowhere,
}

impl Target {
    /// A path that was typed; `-` is standard input.
    pub(super) fn typed(path: &str) -> Self {
        if path == "-" { Self::StandardInput } else { Self::Typed(PathBuf::from(path)) }
    }

    /// Its path, as people in the working directory write it.
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::StandardInput => PathBuf::from("-"),
            Self::Typed(path) => path.clone(),
            Self::Folder(Folder { dir, files, is_file: true, .. }) => dir.join(&files[0]),
            Self::Folder(folder) => folder.dir.clone(),
            Self::Application(source, checkout, _) | Self::ApplicationOfBase(source, checkout) => {
                dir_of(source, checkout)
            }
        }
    }

    /// The folders of the sources that use it, if it may be only a part of them; none for a source of its own.
    pub(super) fn part_of(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Folder(folder) => folder.part_of.clone(),
            Self::ApplicationOfBase(..) => Some(vec![self.path()]),
            _ => None,
        }
    }

    /// The source of an Application.
    pub(super) fn source(&self) -> Option<&ApplicationSource> {
        match self {
            Self::Application(source, ..) | Self::ApplicationOfBase(source, _) => Some(source),
            _ => None,
        }
    }

    /// Whether it is a source of an Application of the new version.
    pub(super) fn is_application(&self) -> bool {
        matches!(self, Self::Application(..))
    }

    /// Whether its files are in another repository than those of its Application.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.source().is_some_and(|source| source.elsewhere.is_some())
    }

    /// The root of the repository that has its files.
    pub(super) fn top(&self) -> Option<PathBuf> {
        let other = self.source().and_then(|source| source.elsewhere.as_ref());
        other.map(|other| other.root.clone()).or_else(|| repository_root(&self.path()).ok())
    }

    /// The name of its Application.
    pub(super) fn application(&self) -> Option<&str> {
        self.source()?.application.name.as_deref()
    }

    /// The name of the ApplicationSet that makes its Application.
    pub(super) fn set(&self) -> Option<String> {
        self.source()?.set.as_ref().map(|(policy, _)| policy.name.clone())
    }

    /// What renders it, for the table.
    pub(super) fn kind(&self) -> &'static str {
        if let Self::Folder(Folder { is_file: true, .. }) = self {
            return "file";
        }
        let renderer = match self {
            Self::StandardInput => None,
            Self::Folder(folder) => folder.renderer,
            Self::Typed(_) | Self::Application(..) | Self::ApplicationOfBase(..) => {
                folders::renderer(&self.path()).ok().flatten()
            }
        };
        renderer.map_or(SourceKind::Directory, Renderer::source).as_str()
    }

    /// The file for which it is a source, below its directory; none when it is that file itself, or nothing is known.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let dir = self.path();
        match self {
            Self::Folder(Folder { renderer: Some(Renderer::Helm), .. }) => Some(PathBuf::from("Chart.yaml")),
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
pub(super) fn dir_of(source: &ApplicationSource, checkout: &Checkout) -> PathBuf {
    let whole = source.elsewhere.as_ref().map_or(&checkout.root, |other| &other.root).join(&source.dir);
    let here = canonical(".").ok();
    here.and_then(|here| relative(&here, &whole)).unwrap_or(whole)
}

/// `path` as it is written in the directory `from`; both are absolute. None when they have nothing in common but the root.
pub(super) fn relative(from: &Path, path: &Path) -> Option<PathBuf> {
    let common = from.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let is_root = |part: Component<'_>| matches!(part, Component::RootDir | Component::Prefix(_));
    path.components().take(common).find(|part| !is_root(*part))?;
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}
