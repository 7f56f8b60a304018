//! Reads a directory as Argo CD's own directory source does, so that moving an Application to the plugin changes
//! nothing but its Jobs.
//!
//! The files and their order follow `getPotentiallyValidManifests` in Argo CD's
//! `reposerver/repository/repository.go`; each rule below is from there. Intended differences: a source directory
//! that is a symlink is followed; directories are only opened when they are read; the program's config file is left
//! out, and with `source: directory` the kustomization, too; Jsonnet and undecodable text are errors. [`SourceTree`]
//! hides where the files are stored.

use std::path::Path;

use checkout::encoding::{self, Utf16};
use goyaml::Value;
use kube_jobs::argocd::Glob;
use memchr::memmem;
use render::KUSTOMIZATIONS;
use rewrite::manifest::{Manifest, Reader};
use rewrite::settings::CONFIG_FILE;
use system::PathText;
use text::Origin;

use super::vfs::{Entry, Kind, SourceTree};
use super::{Error, MAX_TOTAL_BYTES, undecodable};

/// Argo CD skips a file that contains this text anywhere.
const SKIP_MARKER: &[u8] = b"+argocd:skip-file-rendering";

/// Which files of the directory are read.
pub(super) struct Selection {
    pub(super) include: Option<Glob>,
    pub(super) exclude: Option<Glob>,
    /// Whether files for kustomize are left out: the user wants the other files as they are.
    pub(super) without_kustomizations: bool,
}

impl Selection {
    fn has(&self, path: &Path) -> bool {
        let Self { include, exclude, .. } = self;
        if include.is_none() && exclude.is_none() {
            return true;
        }
        let path = path.in_slashes();
        let is_excluded = exclude.as_ref().is_some_and(|exclude| exclude.matches(&path));
        !is_excluded && include.as_ref().is_none_or(|include| include.matches(&path))
    }
}

/// The kind of the file at `path`, which is relative to the directory; `None` when Argo CD does not read it.
fn kind_of(path: &Path) -> Option<Extension> {
    let extension = Extension::of(path.file_name()?.as_encoded_bytes())?;
    (path != Path::new(CONFIG_FILE)).then_some(extension)
}

/// Whether the name of a file matters: the file is read, or makes a tool render the directory.
pub(super) fn is_looked_at(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    Extension::of(name.as_encoded_bytes()).is_some()
        || name.to_str().is_some_and(|name| render::renderer_of(name).is_some())
}

/// Whether a file is for kustomize: it is named like a kustomization and is not a Kubernetes object, such as a
/// `Kustomization` of Flux.
fn is_kustomization(path: &Path, text: &str) -> bool {
    let is_named_so =
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| KUSTOMIZATIONS.contains(&name));
    let version = |value: &Value| value.text_at(&["apiVersion"]).map(ToOwned::to_owned);
    is_named_so
        && Value::read(text)
            .is_ok_and(|value| version(&value).is_none_or(|version| version.starts_with("kustomize.config.k8s.io/")))
}

/// Reads the manifests among `entries`, the files of `tree` whose names matter.
pub(super) fn read(
    tree: &mut dyn SourceTree,
    entries: Vec<Entry>,
    selection: &Selection,
) -> Result<Vec<Manifest>, Error> {
    let is_read =
        |entry: &&Entry| entry.kind == Kind::File && kind_of(&entry.path).is_some() && selection.has(&entry.path);
    tree.expect(&mut entries.iter().filter(is_read).map(|entry| &entry.place), MAX_TOTAL_BYTES);
    let mut manifests = Vec::with_capacity(entries.len());
    let marker = memmem::Finder::new(SKIP_MARKER);
    let mut folder = Folder { tree, selection, marker, left: MAX_TOTAL_BYTES };
    for entry in entries {
        manifests.extend(folder.read_file(entry)?);
    }
    Ok(manifests)
}

/// The manifest in the file `name` at the top of `tree`, when the user names a single file. `None` when Argo CD would
/// leave the file out, or when it does not exist. A file with an unknown extension is read as a stream of YAML.
pub(super) fn read_one(tree: &mut dyn SourceTree, name: &Path) -> Result<Vec<Manifest>, Error> {
    let Some(file) = tree.find(name)? else { return Ok(Vec::new()) };
    let shown = tree.name().file(name);
    if name == Path::new(CONFIG_FILE) {
        return Err(Error::NoManifest { path: shown, what: "the config file of argocd-jobs", help: CONFIG_FILE_HELP });
    }
    let selection = Selection { include: None, exclude: None, without_kustomizations: false };
    let marker = memmem::Finder::new(SKIP_MARKER);
    let extension = Extension::of(name.as_os_str().as_encoded_bytes()).unwrap_or(Extension::Other);
    let manifest = Folder { tree, selection: &selection, marker, left: MAX_TOTAL_BYTES }.read_as(file, extension)?;
    let Some(manifest) = manifest else { return Ok(Vec::new()) };
    if is_kustomization(name, &manifest.text) {
        return Err(Error::NoManifest { path: shown, what: "a kustomization", help: RENDERED_HELP });
    }
    if name == Path::new(CHART) {
        return Err(Error::NoManifest { path: shown, what: "the `Chart.yaml` of a chart", help: RENDERED_HELP });
    }
    Ok(vec![manifest])
}

/// The file that makes a directory a chart.
const CHART: &str = "Chart.yaml";

const CONFIG_FILE_HELP: &str = "pass the directory that contains it";
const RENDERED_HELP: &str = "pass the directory that contains it; that is what is rendered";

/// The kind of a file by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    Yaml,
    Json,
    Jsonnet,
    /// Any other extension; only when the user names the file.
    Other,
}

impl Extension {
    /// Argo CD's `^.*\.(yaml|yml|json|jsonnet)$`: upper and lower case differ, and a dot does not match a newline.
    fn of(name: &[u8]) -> Option<Self> {
        let dot = memchr::memrchr(b'.', name)?;
        if name.contains(&b'\n') {
            return None;
        }
        match &name[dot + 1..] {
            b"yaml" | b"yml" => Some(Self::Yaml),
            b"json" => Some(Self::Json),
            b"jsonnet" => Some(Self::Jsonnet),
            _ => None,
        }
    }
}

/// A directory that is being read.
struct Folder<'d> {
    tree: &'d mut dyn SourceTree,
    selection: &'d Selection,
    marker: memmem::Finder<'static>,
    /// The number of bytes that may still be read.
    left: u64,
}

impl Folder<'_> {
    /// The manifest in `file`, unless one of Argo CD's rules skips it.
    fn read_file(&mut self, file: Entry) -> Result<Option<Manifest>, Error> {
        match kind_of(&file.path) {
            Some(extension) => self.read_as(file, extension),
            None => Ok(None),
        }
    }

    fn read_as(&mut self, file: Entry, extension: Extension) -> Result<Option<Manifest>, Error> {
        // Check links before the globs: Argo CD refuses a link out of the repository even when it is excluded.
        let target = match file.kind {
            Kind::File => None,
            Kind::Link => match self.tree.follow(&file)? {
                Some(target) => Some(target),
                None => return Ok(None),
            },
            Kind::Other => return Ok(None),
        };
        if !self.selection.has(&file.path) {
            return Ok(None);
        }
        match self.tree.read(target.as_ref().unwrap_or(&file.place), self.left) {
            Ok(Some(bytes)) => {
                let manifest = self.manifest(&file.path, bytes, extension)?;
                // Editing a link must not change the file that it leads to, so a link has no path on disk.
                let on_disk = if target.is_none() { self.tree.on_disk(&file) } else { None };
                Ok(manifest.map(|manifest| manifest.in_file(on_disk)))
            }
            Ok(None) => Err(Error::TooLarge(Origin::File(self.tree.name().file(&file.path).into()))),
            Err(error) => Err(Error::unreadable(self.tree.name().file(&file.path), error)),
        }
    }

    fn manifest(&mut self, path: &Path, bytes: Vec<u8>, extension: Extension) -> Result<Option<Manifest>, Error> {
        let decoded = encoding::decode(bytes, Utf16::Decode);
        let readable = decoded.as_ref().unwrap_or_else(|failure| &failure.lossy);
        if self.marker.find(readable.as_bytes()).is_some() {
            return Ok(None);
        }
        let path = self.tree.name().file(path);
        let reader = match extension {
            Extension::Jsonnet => return Err(Error::Jsonnet(path)),
            Extension::Json => Reader::DirectoryJson,
            Extension::Yaml => Reader::DirectoryYaml,
            Extension::Other => Reader::Stream,
        };
        if self.selection.without_kustomizations && is_kustomization(&path, readable) {
            return Ok(None);
        }
        let origin = Origin::File(path.into());
        match decoded {
            Ok(text) => {
                self.left = self.left.saturating_sub(text.len() as u64);
                Ok(Some(Manifest::new(origin, text, reader)))
            }
            // Argo CD replaces bad bytes by U+FFFD and reads on. A text without `kind` contains no object anyway.
            Err(failure) if reader == Reader::DirectoryYaml && !goyaml::may_contain(&failure.lossy, "kind") => Ok(None),
            Err(failure) => Err(undecodable(origin, &failure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_judged_as_argo_cd_does() {
        for (name, extension) in [
            ("a.yaml", Some(Extension::Yaml)),
            ("a.yml", Some(Extension::Yaml)),
            (".yaml", Some(Extension::Yaml)),
            ("a.b.json", Some(Extension::Json)),
            ("a.jsonnet", Some(Extension::Jsonnet)),
            ("a.YAML", None),
            ("a.yaml.bak", None),
            ("a.yaml~", None),
            ("yaml", None),
            ("a.libsonnet", None),
            ("a.yaml\n", None),
            ("a\nb.yaml", None),
        ] {
            assert_eq!(Extension::of(name.as_bytes()), extension, "{name:?}");
        }
    }
}
