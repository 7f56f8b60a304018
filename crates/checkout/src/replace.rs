//! Replaces the text of a user's file: a new file is written next to it and then takes its name.
//!
//! The user may run `check --fix` or `adopt --write` on files that a stranger wrote. So nothing is
//! written through a symlink in the working tree, into `.git`, into a template of a chart, or into a file whose text
//! is not, byte for byte, the text that was checked.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use system::{canonical, has_other_names, is_same, keep_owner, own_file};

use super::files;
use super::repository::{has_git, is_git, top_of};

/// Why a file is not written.
#[derive(Debug)]
pub enum NotReplaced {
    /// The file, or a folder in its path, is a symlink.
    Symlink,
    /// The file is in `.git`.
    Git,
    /// The file is in the folder `templates` of a chart.
    Template,
    /// The path is not a regular file.
    NotAFile,
    /// The file has a second name (a hard link), which would keep the old text.
    HardLink,
    /// The file is read-only for everybody.
    ReadOnly,
    /// The text is UTF-16.
    Utf16,
    /// The file has changed since it was read.
    Changed,
    /// The operating system returns this error.
    System(io::Error),
}

impl fmt::Display for NotReplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Symlink => "a symlink leads to it",
            Self::Git => "it is in `.git`",
            Self::Template => "it is a template of a chart",
            Self::NotAFile => "it is not a regular file",
            Self::HardLink => "it has another name (a hard link), which would keep the old text",
            Self::ReadOnly => "it is read-only",
            Self::Utf16 => "its text is UTF-16; convert it to UTF-8 first",
            Self::Changed => "it has changed since it was read",
            Self::System(error) => return write!(f, "it cannot be written: {error}"),
        })
    }
}

impl From<io::Error> for NotReplaced {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Fails when [`replace`] would not write this file; `old` is its text without a byte order mark.
pub fn check_replaceable(path: &Path, old: &str) -> Result<(), NotReplaced> {
    look(path, old).map(drop)
}

/// Replaces the text `old` of a file by `new`. The file keeps its mode, its byte order mark and, where that is
/// allowed, its owner. When this fails, the file is unchanged, and no other file is left over.
pub fn replace(path: &Path, old: &str, new: &str) -> Result<(), NotReplaced> {
    let Replaceable { place, metadata, mark } = look(path, old)?;
    let dir = place.parent().ok_or(NotReplaced::NotAFile)?;
    let mut beside = Beside::create(dir)?;
    beside.file.write_all(mark)?;
    beside.file.write_all(new.as_bytes())?;
    keep_owner(&beside.file, &metadata);
    beside.file.set_permissions(metadata.permissions())?;
    beside.file.sync_all()?;
    // Another process may have changed the file in the meantime.
    look(path, old)?;
    beside.take_the_name(&place)
}

/// Fails for a path, without symlinks, at which nothing may be written.
fn check_surroundings(place: &Path) -> Result<(), NotReplaced> {
    if place.iter().any(is_git) {
        return Err(NotReplaced::Git);
    }
    if is_template(place) {
        return Err(NotReplaced::Template);
    }
    Ok(())
}

/// A file that may be replaced.
struct Replaceable {
    /// The path, without symlinks.
    place: PathBuf,
    metadata: Metadata,
    /// The byte order mark; empty when there is none.
    mark: &'static [u8],
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

fn look(path: &Path, old: &str) -> Result<Replaceable, NotReplaced> {
    let place = place_of(path)?;
    check_surroundings(&place)?;
    let metadata = fs::symlink_metadata(&place)?;
    if metadata.is_symlink() {
        return Err(NotReplaced::Symlink);
    }
    if !metadata.is_file() {
        return Err(NotReplaced::NotAFile);
    }
    if has_other_names(&metadata) {
        return Err(NotReplaced::HardLink);
    }
    if metadata.permissions().readonly() {
        return Err(NotReplaced::ReadOnly);
    }
    let file = files::open(&place)?;
    if !is_same(&file.metadata()?, &metadata) {
        return Err(NotReplaced::Changed);
    }
    // Reading one byte more than expected is enough to notice that the text is longer.
    let mut bytes = Vec::with_capacity(old.len() + UTF8_MARK.len() + 2);
    file.take((old.len() + UTF8_MARK.len() + 1) as u64).read_to_end(&mut bytes)?;
    let mark = match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(NotReplaced::Utf16),
        [0xef, 0xbb, 0xbf, ..] => UTF8_MARK,
        _ => &[],
    };
    if bytes[mark.len()..] != *old.as_bytes() {
        return Err(NotReplaced::Changed);
    }
    Ok(Replaceable { place, metadata, mark })
}

/// The real path of a file. A symlink in a working tree is an error, because a pull request can put it there;
/// symlinks above the tree belong to the user.
fn place_of(path: &Path) -> Result<PathBuf, NotReplaced> {
    let mut place = if path.has_root() { PathBuf::new() } else { canonical(".")? };
    // Nothing is above the root: an empty path would mean the working directory.
    let mut is_in_tree = !path.has_root() && top_of(&place).is_some();
    for component in path.components() {
        match component {
            Component::Normal(name) => place.push(name),
            Component::ParentDir => drop(place.pop()),
            Component::CurDir => continue,
            Component::RootDir | Component::Prefix(_) => place.push(component),
        }
        if fs::symlink_metadata(&place)?.is_symlink() {
            if is_in_tree {
                return Err(NotReplaced::Symlink);
            }
            place = canonical(&place)?;
            is_in_tree = top_of(&place).is_some();
        }
        is_in_tree |= has_git(&place);
    }
    Ok(place)
}

/// Whether a file is below the folder `templates` of a chart.
fn is_template(place: &Path) -> bool {
    let templates = place.ancestors().filter(|dir| dir.file_name().is_some_and(|name| name == "templates"));
    templates.filter_map(Path::parent).any(|dir| fs::symlink_metadata(dir.join("Chart.yaml")).is_ok())
}

/// A new file in the folder of the file that it replaces. Removed when it does not take that file's name.
struct Beside {
    path: PathBuf,
    file: File,
    is_done: bool,
}

impl Beside {
    /// The number of names that are tried.
    const NAMES: usize = 16;

    fn create(dir: &Path) -> Result<Self, NotReplaced> {
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..Self::NAMES {
            // Argo CD does not read a file with this name.
            let path = dir.join(format!(".argocd-jobs-{}-{number}.tmp", std::process::id()));
            match private().open(&path) {
                Ok(file) => return Ok(Self { path, file, is_done: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error.into()),
            }
        }
        Err(taken.into())
    }

    fn take_the_name(mut self, place: &Path) -> Result<(), NotReplaced> {
        fs::rename(&self.path, place)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_done {
            // Nothing can be done if removing the file fails.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Options that create a new file, which no other user can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    own_file(options.write(true).create_new(true));
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;

    #[test]
    fn a_symlink_of_a_working_tree_is_not_followed_and_one_above_it_is() {
        let scratch = Scratch::with(&["real/repo/.git/HEAD", "real/repo/app/a.yaml"])
            .link("real/repo/linked", "app")
            .link("above", "real")
            .link("to-repo", "real/repo");
        let real = canonical(&scratch.0).unwrap().join("real/repo/app/a.yaml");
        assert_eq!(place_of(&scratch.0.join("above/repo/app/a.yaml")).unwrap(), real);
        assert_eq!(place_of(&scratch.0.join("to-repo/app/a.yaml")).unwrap(), real);
        for path in ["real/repo/linked/a.yaml", "above/repo/linked/a.yaml", "to-repo/linked/a.yaml"] {
            assert!(matches!(place_of(&scratch.0.join(path)), Err(NotReplaced::Symlink)), "{path}");
        }
    }
}
