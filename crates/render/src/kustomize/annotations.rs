//! Finds the file of each object in the output of `kustomize build`. kustomize writes the file into annotations, when
//! it is asked to.
//!
//! The emitted objects must not have these annotations, and the user's kustomization must not be changed. So
//! kustomize builds a second kustomization that has the user's as its only resource, and only the annotations of this
//! second output are read. Its objects can have another order, so they are matched by their identity.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use checkout::clean;
use confined::Deadline;
use goyaml::Tree;

use crate::kustomize::references;
use crate::places::{Document, Places, Reader, Search, pieces};

/// The path of the annotation (`api/internal/utils/annotations.go`). Its value is YAML (`api/resource/origin.go`).
const ORIGIN: [&str; 3] = ["metadata", "annotations", "config.kubernetes.io/origin"];

/// The apiVersion, kind, namespace and name of an object.
type Identity = [String; 4];

/// The output with annotations.
pub(super) struct Annotated {
    /// What kustomize printed.
    pub(super) printed: String,
    /// The folder of the second kustomization.
    pub(super) folder: PathBuf,
    /// The root of the repository that kustomize works in.
    pub(super) root: PathBuf,
}

/// The text of the second kustomization, which is in `folder`. The user's kustomization is in `dir` and has the text
/// `user`. Both folders are absolute and without symlinks. `None` for a path that is not UTF-8.
pub(super) fn kustomization(folder: &Path, dir: &Path, user: &str) -> Option<String> {
    // kustomize refuses absolute paths.
    let up: PathBuf = folder.ancestors().take_while(|above| !dir.starts_with(above)).map(|_| "..").collect();
    let common = folder.ancestors().find(|above| dir.starts_with(above))?;
    let resource = up.join(dir.strip_prefix(common).ok()?);
    let resources = serde_json::to_string(&[resource.to_str()?]).ok()?;
    // kustomize accepts a component only in this list.
    let mut tree = Tree::default();
    let root = tree.read(user).ok().and_then(|document| document.root());
    let is_component = root.is_some_and(|root| root.text_at(&["kind"]) == Some("Component"));
    let list = if is_component { "components" } else { "resources" };
    Some(format!("{list}: {resources}\nbuildMetadata: [originAnnotations]\n"))
}

/// Whether the output may contain Jobs: only then are files of objects needed.
pub(super) fn may_have_jobs(printed: &[u8]) -> bool {
    printed.split(|byte| *byte == b'\n').any(|line| matches!(line, b"kind: Job" | b"kind: CronJob"))
}

/// The places in `text`, kustomize's output for the user's file `kustomization`; `annotated` is the second output.
/// Without the second output, and for an object from another repository, the place is the kustomization.
pub(super) fn places(
    text: &str,
    annotated: Option<&Annotated>,
    kustomization: &Path,
    mut reader: Reader<'_>,
) -> Places {
    let user = reader.file(kustomization);
    let mut files: BTreeMap<Identity, Vec<Option<usize>>> = BTreeMap::new();
    if let Some(annotated) = annotated {
        for (_, identity, path) in objects(&annotated.printed) {
            let number = path.and_then(|path| file(&path, annotated, &mut reader));
            files.entry(identity).or_default().push(number);
        }
    }
    let mut documents = Vec::new();
    for (start, identity, _) in objects(text) {
        let known = match files.get(&identity).map(Vec::as_slice) {
            Some([one]) => *one,
            // Objects with the same identity cannot be distinguished.
            _ => None,
        };
        documents.push(Document { start, file: known.or(user), copy: None });
    }
    let parts = if annotated.is_some() { parts(&mut reader) } else { Vec::new() };
    Places::new(documents, reader, Search::Objects).with_parts(parts)
}

/// The maximum number of files and folders among which parts of objects are searched for.
const MAX_PARTS: usize = 200;

/// The maximum time for finding them.
const READING: Duration = Duration::from_secs(5);

/// The numbers of the files that the kustomization and its bases refer to: resources, and patches, which can be parts of any object.
fn parts(reader: &mut Reader<'_>) -> Vec<usize> {
    let deadline = Deadline::after(READING);
    let (mut todo, mut seen, mut files) = (vec![reader.dir().to_owned()], BTreeSet::new(), Vec::new());
    while let Some(path) = todo.pop().filter(|_| seen.len() < MAX_PARTS) {
        if !seen.insert(path.clone()) {
            continue;
        }
        if reader.is_folder(&path) {
            todo.extend(references::of(&path, reader.root(), deadline).unwrap_or_default());
        } else if path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
            files.extend(reader.file(&path));
        }
    }
    files
}

/// The number of the file at a path in an annotation, which is relative to the second kustomization.
fn file(path: &str, at: &Annotated, reader: &mut Reader<'_>) -> Option<usize> {
    let path = clean(&at.folder.join(path));
    reader.file(&reader.root().join(path.strip_prefix(&at.root).ok()?))
}

/// The objects in a text: offset, identity, and the path of the file in its annotation.
fn objects(text: &str) -> Vec<(usize, Identity, Option<String>)> {
    let mut tree = Tree::default();
    let mut found = Vec::new();
    for piece in pieces(text) {
        let root = tree.read(piece.of(text)).ok().and_then(|document| document.root());
        let word = |keys: &[&str]| root.and_then(|root| root.text_at(keys)).unwrap_or_default().to_owned();
        let identity =
            [word(&["apiVersion"]), word(&["kind"]), word(&["metadata", "namespace"]), word(&["metadata", "name"])];
        found.push((piece.start, identity, path(&word(&ORIGIN))));
    }
    found
}

/// The path in an annotation: of the resource, or of the configuration of the generator that made the object. `None`
/// for an object from another repository.
fn path(annotation: &str) -> Option<String> {
    let mut tree = Tree::default();
    let origin = tree.read(annotation).ok()?.root()?;
    if origin.at(&["repo"]).is_some() {
        return None;
    }
    origin.text_at(&["path"]).or_else(|| origin.text_at(&["configuredIn"])).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Shown;
    use rewrite::manifest::Files;
    use scratch::Scratch;
    use system::{PathText, canonical};

    #[test]
    fn our_kustomization_has_the_users_as_a_relative_path() {
        let text = |folder, dir, user| kustomization(Path::new(folder), Path::new(dir), user).unwrap();
        let ours = |folder, dir| text(folder, dir, "").lines().next().unwrap().to_owned();
        assert_eq!(ours("/tmp/x/places", "/repo/app"), "resources: [\"../../../repo/app\"]");
        assert_eq!(ours("/tmp/x/places", "/tmp/x/repository/a\"b"), "resources: [\"../repository/a\\\"b\"]");
        assert_eq!(ours("/tmp/x/places", "/"), "resources: [\"../../../\"]");
        assert!(text("/tmp/x", "/repo", "kind: Component\n").starts_with("components: ["));
    }

    #[test]
    fn objects_are_found_by_what_identifies_them() {
        let scratch = Scratch::with(&["repo/.git/config", "outside/x.yaml"])
            .file("repo/app/kustomization.yaml", "")
            .file("repo/base/job.yaml", "kind: Job\nmetadata:\n  name: a\n")
            .link("repo/base/out.yaml", "../../outside/x.yaml");
        let top = canonical(&scratch.0).unwrap();
        let (root, dir) = (top.join("repo"), top.join("repo/app"));
        let text = ["a", "b", "twice", "twice", "out", "climbs", "link", "absolute", "made", "missing"];
        let text = text.map(|name| format!("kind: Job\nmetadata:\n  name: {name}\n")).join("---\n");
        let annotated = [
            ("made", "configuredIn: ../repo/app/kustomization.yaml\nconfiguredBy: {kind: ConfigMapGenerator}"),
            ("b", "path: base/job.yaml\nrepo: https://example.com/x\nref: main"),
            ("a", "path: ../repo/base/job.yaml"),
            ("twice", "path: ../repo/base/job.yaml"),
            ("twice", "path: ../repo/base/job.yaml"),
            ("out", "path: ../outside/x.yaml"),
            ("climbs", "path: ../repo/../repo/.git/config"),
            ("link", "path: ../repo/base/out.yaml"),
            ("absolute", "path: /etc/passwd"),
        ];
        let annotated = annotated.map(|(name, origin)| {
            let origin = origin.replace('\n', "\n      ");
            format!("kind: Job\nmetadata:\n  name: {name}\n  annotations:\n    config.kubernetes.io/origin: |\n      {origin}\n")
        });
        let annotated = Annotated { printed: annotated.join("---\n"), folder: top.join("private"), root: root.clone() };
        let reader = Reader::new(&dir, &root, Shown { prefix: Path::new("app"), written: &dir });
        let places = places(&text, Some(&annotated), &dir.join("kustomization.yaml"), reader);
        let file = |name: &str| {
            let found = places.find(&text, text.find(&format!("name: {name}")).unwrap()).unwrap();
            format!("{}:{} {}", found.file.shown(), found.at, found.precision.as_str())
        };
        assert_eq!(file("a"), "base/job.yaml:3:3 line");
        for name in ["b", "twice", "out", "climbs", "link", "absolute", "made", "missing"] {
            assert_eq!(file(name), "app/kustomization.yaml:1:1 file", "{name}");
        }
    }
}
