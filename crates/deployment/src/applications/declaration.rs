//! The content of a manifest that is not rendered here, and the files of this checkout that it reads: both show
//! whether a change affects it.

use std::path::{Path, PathBuf};

use checkout::clean;
use goyaml::Node;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use system::PathText;

use super::clusters::to_json;
use super::{ApplicationSource, Checkout};

/// The content of the manifest of an Application or an ApplicationSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The SHA-256 of the content: it differs when the manifest has changed.
    pub fingerprint: [u8; 32],
    /// The folders and files of this checkout that the manifest reads, relative to the root.
    pub reads: Vec<PathBuf>,
    /// Folders in which the manifest may read files that are not known exactly, relative to the root. The empty path
    /// is the root.
    pub may_read: Vec<PathBuf>,
}

impl Declaration {
    /// Reads the manifest `node` of an Application or an ApplicationSet.
    pub(super) fn of(node: Node<'_>, checkout: &Checkout) -> Self {
        let value = node.value();
        let fingerprint = Sha256::digest(format!("{value:?}")).into();
        let mut declaration = Self { fingerprint, reads: Vec::new(), may_read: Vec::new() };
        if let Some(manifest) = value.ok().and_then(|value| to_json(&value).ok()) {
            let spec = &manifest["spec"];
            declaration.add_sources(spec, checkout);
            declaration.add_sources(&spec["template"]["spec"], checkout);
            declaration.add_generators(&spec["generators"], checkout);
        }
        declaration
    }

    /// The declaration of a source that is not rendered: it reads no files here.
    pub(super) fn of_source(source: &ApplicationSource) -> Self {
        Self { fingerprint: source.fingerprint(), reads: Vec::new(), may_read: Vec::new() }
    }

    /// The declaration of a text that is not valid YAML: it reads no files.
    pub(super) fn of_text(text: &str) -> Self {
        Self { fingerprint: Sha256::digest(text).into(), reads: Vec::new(), may_read: Vec::new() }
    }

    /// Adds what the sources of an Application read: their folders, and value files in the folders of other sources.
    fn add_sources(&mut self, spec: &Json, checkout: &Checkout) {
        let list = spec["sources"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of_hydrator = &spec["sourceHydrator"]["drySource"];
        let sources: Vec<&Json> = list.iter().chain([&spec["source"], of_hydrator]).collect();
        for source in &sources {
            let path = text(source, "path");
            let is_own = text(source, "chart").is_empty() && is_here(source, checkout);
            if is_own && !path.is_empty() {
                self.add(Path::new(path));
            }
            let helm = &source["helm"];
            let files = helm["valueFiles"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let parameters = helm["fileParameters"].as_array().into_iter().flatten();
            for file in files.chain(parameters.map(|parameter| text(parameter, "path"))) {
                match file.strip_prefix('$').map(|file| file.split_once('/').unwrap_or((file, ""))) {
                    Some((name, below)) => {
                        let is_meant = |other: &&&Json| text(other, "ref") == name && is_here(other, checkout);
                        if sources.iter().any(|other| is_meant(&other)) {
                            self.add(Path::new(below));
                        }
                    }
                    None if is_own && !file.contains(':') => {
                        let below = file.strip_prefix('/').map_or_else(|| Path::new(path).join(file), PathBuf::from);
                        self.add(&below);
                    }
                    None => {}
                }
            }
        }
    }

    /// Adds what git generators read, at any depth of nested generators.
    fn add_generators(&mut self, generators: &Json, checkout: &Checkout) {
        match generators {
            Json::Array(items) => items.iter().for_each(|item| self.add_generators(item, checkout)),
            Json::Object(fields) => {
                if is_here(generators, checkout) {
                    let lists = ["directories", "files"].iter().filter_map(|key| generators[key].as_array());
                    for pattern in lists.flatten().map(|item| text(item, "path")) {
                        self.may_read.extend(below(&fixed(pattern, &['*', '?', '[', '{', '\\'])));
                    }
                }
                fields.values().for_each(|value| self.add_generators(value, checkout));
            }
            _ => {}
        }
    }

    /// Adds a path. If it contains a parameter, the folder before the parameter is one in which files may be read.
    fn add(&mut self, path: &Path) {
        let written = path.in_slashes();
        match written.contains("{{") || written.contains('$') {
            true => self.may_read.extend(below(&fixed(&written, &['{', '$']))),
            false => self.reads.extend(below(path)),
        }
    }
}

fn text<'j>(value: &'j Json, key: &str) -> &'j str {
    value[key].as_str().unwrap_or_default()
}

/// Whether a source or a generator reads this repository, at a revision that the change reaches.
fn is_here(value: &Json, checkout: &Checkout) -> bool {
    let url = text(value, "repoURL");
    let revision = ["targetRevision", "revision"].map(|key| text(value, key)).concat();
    let is_reached = checkout.branch.as_ref().is_none_or(|branch| branch.is_reached(&revision));
    !url.is_empty() && is_reached && checkout.is_repository(url)
}

/// The folder of a pattern before its first special character.
fn fixed(pattern: &str, special: &[char]) -> PathBuf {
    let end = pattern.find(special).unwrap_or(pattern.len());
    let whole = pattern[..end].rfind('/').map_or("", |slash| &pattern[..slash]);
    PathBuf::from(if end == pattern.len() { pattern } else { whole })
}

/// A path relative to the root; `None` when it leads out of the root.
fn below(path: &Path) -> Option<PathBuf> {
    let clean = clean(path);
    let clean = clean.strip_prefix("/").map(Path::to_owned).unwrap_or(clean);
    (!clean.starts_with("..")).then_some(clean)
}
