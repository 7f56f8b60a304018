//! Refuses a kustomization if it, or one that it uses, refers to a folder outside of the repository or to a file of
//! git, or contains a function.
//!
//! kustomize confines files to the folder of their kustomization, but loads folders from anywhere (`New` and `Load`
//! in `api/internal/loader/fileloader.go` of 5.8.1). For functions see [`MARKS`].
//!
//! Files are read as kustomize reads them: keys match in any case (`encoding/json`), a path is cleaned before
//! symlinks are followed (`filepath.Join`), and a path that does not exist can be a URL or a text. If the kernel does
//! not confine kustomize, a file that cannot be read or judged is refused. A file that changes or appears while
//! kustomize runs is not noticed; only the kernel protects against that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use checkout::follow::{AbsoluteLinks, Found, Kind, Stopped, follow};
use checkout::repository::GIT;
use checkout::{clean, read_small};
use confined::{Deadline, Wall};
use goyaml::Value;
use goyaml::split::split;
use goyaml::value::folded;
use system::PathText;
use text::Message;

use crate::kustomize::{KUSTOMIZATIONS, MAX_FILE};
use crate::tool::{RenderError, in_time};

/// The lists of a kustomization whose items are files of resources, or folders.
pub(super) const OBJECTS: [&str; 3] = ["resources", "bases", "components"];

/// The lists whose items configure plugins: files, folders, or the configuration itself (`configureExternalGenerators` in
/// `api/internal/target/kusttarget.go`).
const CONFIGURATIONS: [&str; 3] = ["transformers", "generators", "validators"];

/// The keys that make a resource a function, which is a program or a container
/// (`kyaml/fn/runtime/runtimeutil/functiontypes.go`), also in the form that they have in the path of a JSON patch.
///
/// Without `--enable-alpha-plugins`, kustomize refuses functions. With it, but without `--enable-exec`, which is
/// never passed, kustomize silently skips functions that would run a program (`kyaml/runfn/runfn.go`): the Jobs would
/// be emitted without their change.
pub(super) const MARKS: [&str; 5] = [
    "config.kubernetes.io/function",
    "config.kubernetes.io~1function",
    "config.k8s.io/function",
    "config.k8s.io~1function",
    "configFn",
];

/// The maximum depth of YAML inside texts of YAML that is searched.
const MOST_TEXTS: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'r> {
    /// The root of the repository: an absolute path without symlinks.
    pub(super) root: &'r Path,
    pub(super) deadline: Deadline,
    pub(super) wall: Wall,
    /// `--enable-alpha-plugins` is set, so kustomize would silently skip functions.
    pub(super) has_alpha_plugins: bool,
    /// kustomize may read files anywhere (`--load-restrictor LoadRestrictionsNone`).
    pub(super) is_unrestricted: bool,
}

impl<'r> Rules<'r> {
    /// The rules without options of kustomize.
    pub(super) fn new(root: &'r Path, deadline: Deadline, wall: Wall) -> Self {
        Self { root, deadline, wall, has_alpha_plugins: false, is_unrestricted: false }
    }
}

/// Fails if the kustomization in `dir`, or one that it uses, has to be refused. `dir` must be absolute and without
/// symlinks.
pub(super) fn check(dir: &Path, rules: &Rules<'_>) -> Result<(), RenderError> {
    // Only the kustomization in `dir` can be at the root: kustomize refuses a folder that contains the kustomization
    // using it.
    let can_name_git = rules.wall == Wall::Reading && dir.join(GIT).exists();
    let mut search = Search { rules, can_name_git, seen: BTreeSet::new(), todo: vec![(dir.to_owned(), false)] };
    while let Some((place, configures)) = search.todo.pop() {
        in_time(rules.deadline)?;
        if search.seen.insert((place.clone(), configures)) {
            search.look(&place, configures)?;
        }
    }
    Ok(())
}

struct Search<'s> {
    rules: &'s Rules<'s>,
    /// The folder of the kustomization contains `.git`, so kustomize could read files of git.
    can_name_git: bool,
    seen: BTreeSet<(PathBuf, bool)>,
    /// Paths without symlinks that are still to be searched; true when their content configures plugins.
    todo: Vec<(PathBuf, bool)>,
}

impl Search<'_> {
    fn look(&mut self, place: &Path, configures: bool) -> Result<(), RenderError> {
        if place.is_dir() {
            let files = KUSTOMIZATIONS.map(|name| place.join(name)).into_iter();
            return files
                .filter(|file| fs::symlink_metadata(file).is_ok())
                .try_for_each(|file| self.kustomization(place, &file, configures));
        }
        // The content of a resource does not matter.
        if !configures {
            return Ok(());
        }
        let Some(text) = self.text(place)? else { return Ok(()) };
        let pieces = split(&text);
        for index in 0..pieces.len() {
            self.value(pieces.span(index).of(&text), place)?;
        }
        pieces.error.map_or(Ok(()), |error| self.unclear(place, &error.message))
    }

    fn kustomization(&mut self, dir: &Path, file: &Path, configures: bool) -> Result<(), RenderError> {
        let Some(text) = self.text(file)? else { return Ok(()) };
        let Some(Value::Map(map)) = self.value(&text, file)? else { return Ok(()) };
        for (key, value) in map.iter() {
            let key = folded(key);
            let is_configuration = CONFIGURATIONS.contains(&key.as_str());
            let is_needed = is_configuration || OBJECTS.contains(&key.as_str());
            for item in value.as_list().unwrap_or_default() {
                let path = if is_needed { item.as_text() } else { item.as_text().or_else(|| item.text_at(&["path"])) };
                if let Some(path) = path.filter(|_| is_needed || configures) {
                    self.enter(dir, path, is_configuration || configures, is_needed)?;
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, dir: &Path, path: &str, configures: bool, is_needed: bool) -> Result<(), RenderError> {
        // A file can contain half a million paths, each through many symlinks.
        in_time(self.rules.deadline)?;
        let whole = clean(&dir.join(path));
        let is_elsewhere = || {
            let may_hide = self.rules.has_alpha_plugins && is_needed && !path.contains('\n');
            let message = || Message::new(format!("`{path}` is not in the repository, and may contain functions"));
            if may_hide { Err(RenderError::refused(message().help(FUNCTIONS))) } else { Ok(()) }
        };
        match follow(self.rules.root, &whole, AbsoluteLinks::Follow) {
            Ok(Found { kind: Kind::Other, .. }) => Ok(()),
            Ok(Found { place, .. }) => {
                self.todo.push((place, configures));
                Ok(())
            }
            Err(Stopped::Missing) => is_elsewhere(),
            // kustomize refuses the absolute path of a folder.
            Err(Stopped::Outside | Stopped::Git) if path.starts_with('/') => is_elsewhere(),
            Err(Stopped::Outside | Stopped::Git) if self.rules.is_unrestricted && whole.is_file() => is_elsewhere(),
            Err(Stopped::Outside | Stopped::Git) => Err(RenderError::BaseOutside(path.to_owned())),
            Err(Stopped::Unreadable(error)) if is_nothing(&error) => is_elsewhere(),
            Err(Stopped::Unreadable(error)) => self.unclear(&whole, &error.to_string()),
            Err(Stopped::TooManyLinks) => self.unclear(&whole, "too many levels of symbolic links"),
        }
    }

    /// The text of a file; `None` when kustomize itself will report what is wrong with it.
    fn text(&self, file: &Path) -> Result<Option<String>, RenderError> {
        let place = match follow(self.rules.root, file, AbsoluteLinks::Follow) {
            Ok(found) => found.place,
            Err(Stopped::Missing) => return Ok(None),
            Err(Stopped::Outside | Stopped::Git) => return Err(RenderError::LeavesRepository(self.shown(file))),
            Err(Stopped::Unreadable(error)) => return self.unclear(file, &error.to_string()).map(|()| None),
            Err(Stopped::TooManyLinks) => {
                return self.unclear(file, "too many levels of symbolic links").map(|()| None);
            }
        };
        let text = match read_small(&place, MAX_FILE) {
            Ok(text) => text,
            Err(error) => return self.unclear(file, &error.to_string()).map(|()| None),
        };
        if self.rules.has_alpha_plugins {
            self.refuse_marks(&text, file)?;
        }
        Ok(Some(text))
    }

    /// Checks all texts in a document and returns its value; `None` when kustomize itself will report what is wrong
    /// with it.
    fn value(&self, text: &str, file: &Path) -> Result<Option<Value>, RenderError> {
        match Value::read(text) {
            Ok(value) => {
                if self.can_name_git || self.rules.has_alpha_plugins {
                    self.look_into(&value, file, MOST_TEXTS)?;
                }
                Ok(Some(value))
            }
            Err(error) => self.unclear(file, &error.message).map(|()| None),
        }
    }

    /// Checks all texts in a value. Texts that are YAML themselves, such as the configuration of a plugin, are
    /// searched, too.
    fn look_into(&self, value: &Value, file: &Path, depth: usize) -> Result<(), RenderError> {
        match value {
            Value::String(text) => {
                self.look_at(text, file)?;
                match Value::read(text) {
                    Ok(inner @ (Value::Map(_) | Value::List(_))) if depth > 0 => {
                        self.look_into(&inner, file, depth - 1)
                    }
                    _ => Ok(()),
                }
            }
            Value::List(items) => items.iter().try_for_each(|item| self.look_into(item, file, depth)),
            Value::Map(map) => map.iter().try_for_each(|(key, item)| {
                self.look_at(key, file)?;
                self.look_into(item, file, depth)
            }),
            _ => Ok(()),
        }
    }

    fn look_at(&self, text: &str, file: &Path) -> Result<(), RenderError> {
        let is_part = |char: char| char.is_alphanumeric() || "._-".contains(char);
        if self.can_name_git && text.split(|char| !is_part(char)).any(|word| word == GIT) {
            let message = Message::new(format!("`{}` names `{GIT}`, which is never read", self.shown(file).shown()));
            return Err(RenderError::refused(message.help("name only files of the repository")));
        }
        if self.rules.has_alpha_plugins { self.refuse_marks(text, file) } else { Ok(()) }
    }

    fn refuse_marks(&self, text: &str, file: &Path) -> Result<(), RenderError> {
        if !MARKS.iter().any(|mark| text.contains(mark)) {
            return Ok(());
        }
        let shown = self.shown(file);
        let message = format!("`{}` contains a function, which kustomize would silently ignore", shown.shown());
        Err(RenderError::refused(Message::new(message).help(FUNCTIONS)))
    }

    /// Fails for a file that cannot be read or judged, unless the kernel confines kustomize and kustomize itself
    /// refuses functions.
    fn unclear(&self, file: &Path, why: &str) -> Result<(), RenderError> {
        if self.rules.wall == Wall::Kernel && !self.rules.has_alpha_plugins {
            return Ok(());
        }
        let message = Message::new(format!("`{}` cannot be read: {why}", self.shown(file).shown()));
        Err(RenderError::refused(message.help(UNCLEAR)))
    }

    fn shown(&self, file: &Path) -> PathBuf {
        file.strip_prefix(self.rules.root).unwrap_or(file).to_owned()
    }
}

/// Whether the error means that the path cannot exist: a part of it is a file, or it is too long or no path at all,
/// such as a text that configures a plugin.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput)
}

const FUNCTIONS: &str =
    "functions are not run here, not even with `--enable-alpha-plugins`; render first and pass the output with `-`";

const UNCLEAR: &str = "the files of a kustomization are read before kustomize runs, because the kernel does not confine it or functions have to be \
     found: write the file as plain YAML in UTF-8, or render first and pass the output with `-`";

#[cfg(test)]
mod tests;
