//! Finds the files that a glob matches, in the order in which Argo CD's library returns them (`FilepathGlob` of
//! `github.com/bmatcuk/doublestar/v4` v4.10.0, `glob.go` and `globwalk.go`). The order matters, because for helm the
//! last value file wins.
//!
//! A pattern is matched folder by folder; [`Glob`] matches each of its parts. Syntax that the two libraries may read
//! differently is refused: a backslash; braces inside braces, or with a slash, with `**` or with an empty
//! alternative; a class that is more than a list of characters or a single range. Symlinks out of the repository and
//! files in `.git` are never found.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use checkout::follow::{AbsoluteLinks, Found, Kind, follow};
use checkout::repository::is_git;
use kube_jobs::argocd::Glob;

use crate::helm::work::{TooMuch, Work};

/// The maximum length of a pattern in bytes, as for a path in Linux.
const MAX_PATTERN: usize = 4096;
/// The maximum length of a path in Linux in bytes, with its terminator: loops of links end here.
const MAX_PATH: usize = 4096;

/// The work of listing a directory.
const LIST: u64 = 2_000;
/// The work for each listed entry.
const ENTRY: u64 = 50;
/// The work of following one part of a path.
const STEP: u64 = 200;

/// Why a glob has no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// The pattern is malformed.
    BadPattern,
    /// The pattern uses syntax that this program does not support.
    Unsupported,
    /// Expanding the pattern takes too much work.
    TooMuch,
}

impl From<TooMuch> for Failed {
    fn from(_: TooMuch) -> Self {
        Self::TooMuch
    }
}

/// Whether Argo CD treats a path as a glob (`isGlobPath` in `reposerver/repository/repository.go`). A `{` alone does
/// not make it one.
pub(super) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The files and directories that `pattern` matches, as paths relative to `root`, without duplicates. `root` must be
/// absolute and without symlinks; `pattern` is relative to it and clean. The empty path is the root itself.
pub(super) fn expand(root: &Path, pattern: &str, work: &mut Work) -> Result<Vec<String>, Failed> {
    if pattern.len() > MAX_PATTERN {
        return Err(Failed::TooMuch);
    }
    let mut parts = parts(pattern)?;
    // In `**/**` the first part already finds everything, in the same order.
    parts.dedup_by(|next, part| next == part && *part == "**");
    let meta = parts.iter().position(|part| part.contains(['*', '?', '[', '{'])).unwrap_or(parts.len());
    let (base, parts) = parts.split_at(meta);
    // For such patterns the library uses `GlobWalk`, which sorts the matches of all alternatives together.
    let walks = parts.split_last().is_some_and(|(_, before)| before.contains(&"**"));
    let mut search = Search { root, work };
    let mut found = vec![base.join("/")];
    for (index, part) in parts.iter().enumerate() {
        found = distinct(search.part(found, part, index + 1 == parts.len())?);
        if walks && part.contains('{') {
            found.sort();
        }
    }
    Ok(found)
}

/// Splits a pattern at its slashes.
fn parts(pattern: &str) -> Result<Vec<&str>, Failed> {
    let mut rest = pattern;
    let mut is_open = false;
    while let Some(at) = rest.find(['[', '{', '}', ',', '/', '\\']) {
        let (byte, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        let begins_alternative = byte == b'{' || byte == b',' && is_open;
        rest = after;
        match byte {
            b'[' => rest = class(after)?,
            b'}' if !is_open => return Err(Failed::BadPattern),
            b'\\' => return Err(Failed::Unsupported),
            b'{' | b'/' if is_open => return Err(Failed::Unsupported),
            _ if begins_alternative && after.starts_with([',', '}']) => return Err(Failed::Unsupported),
            b'{' => is_open = true,
            b'}' => is_open = false,
            _ => {}
        }
    }
    let parts: Vec<&str> = pattern.split('/').collect();
    match is_open {
        true => Err(Failed::BadPattern),
        false if parts.iter().any(|part| part.contains('{') && part.contains("**")) => Err(Failed::Unsupported),
        false => Ok(parts),
    }
}

/// The rest of the text after a class, whose content is at its start.
fn class(text: &str) -> Result<&str, Failed> {
    let end = text.find(']').ok_or(Failed::BadPattern)?;
    let chars = text[..end].strip_prefix('!').unwrap_or(&text[..end]);
    if chars.is_empty() {
        return Err(Failed::BadPattern);
    }
    let is_range =
        matches!(chars.chars().collect::<Vec<_>>().as_slice(), [low, '-', high] if low <= high && *high != '-');
    if chars.contains(['^', '!', '[', '{', '}', ',', '/', '\\']) || chars.contains('-') && !is_range {
        return Err(Failed::Unsupported);
    }
    Ok(&text[end + 1..])
}

/// A search in a repository. Paths are relative to its root; the empty path is the root.
struct Search<'a> {
    root: &'a Path,
    work: &'a mut Work,
}

struct Entry {
    name: String,
    is_directory: bool,
}

impl Search<'_> {
    /// The entries of these directories that match one part of a pattern: directories, and files when `takes_files`
    /// is true.
    fn part(&mut self, dirs: Vec<String>, part: &str, takes_files: bool) -> Result<Vec<String>, Failed> {
        let mut found = Vec::new();
        let glob = Glob::new(part);
        if !glob.is_understood() {
            return Err(Failed::Unsupported);
        }
        for dir in dirs {
            if part == "**" {
                if self.follow(&dir)?.is_some_and(|found| found.kind == Kind::Directory) {
                    found.push(dir.clone());
                    self.everything(&dir, takes_files, &mut found)?;
                }
                continue;
            }
            for entry in self.list(&dir)? {
                self.work.spend((part.len() * entry.name.len()) as u64)?;
                if (takes_files || entry.is_directory) && glob.matches(&entry.name) {
                    let path = join(&dir, &entry.name);
                    self.work.keep(&path)?;
                    found.push(path);
                }
            }
        }
        Ok(found)
    }

    /// `globDoubleStar`: everything below a directory; a directory comes before its content. Uses a stack instead of
    /// recursion, because a stranger decides how deep directories are nested.
    fn everything(&mut self, dir: &str, takes_files: bool, found: &mut Vec<String>) -> Result<(), Failed> {
        let mut open = vec![(dir.to_owned(), self.list(dir)?.into_iter())];
        while let Some((dir, entries)) = open.last_mut() {
            let Some(entry) = entries.next() else {
                open.pop();
                continue;
            };
            let path = join(dir, &entry.name);
            self.work.keep(&path)?;
            if entry.is_directory {
                found.push(path.clone());
                let entries = self.list(&path)?;
                open.push((path, entries.into_iter()));
            } else if takes_files {
                found.push(path);
            }
        }
        Ok(())
    }

    fn follow(&mut self, path: &str) -> Result<Option<Found>, Failed> {
        let whole = self.root.join(path);
        if whole.as_os_str().len() >= MAX_PATH {
            return Ok(None);
        }
        self.work.spend(STEP * (1 + path.matches('/').count() as u64))?;
        Ok(follow(self.root, &whole, AbsoluteLinks::Follow).ok())
    }

    /// The entries of a directory, sorted by name, without `.git`.
    fn list(&mut self, dir: &str) -> Result<Vec<Entry>, Failed> {
        self.work.spend(LIST)?;
        let Some(found) = self.follow(dir)? else { return Ok(Vec::new()) };
        let Ok(listed) = fs::read_dir(&found.place) else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for entry in listed.flatten() {
            let name = entry.file_name();
            self.work.spend(ENTRY + name.len() as u64)?;
            if is_git(&name) {
                continue;
            }
            let is_unicode = name.to_str().is_some();
            let name = name.to_string_lossy().into_owned();
            let is_directory = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => {
                    self.follow(&join(dir, &name))?.is_some_and(|found| found.kind == Kind::Directory)
                }
                Ok(kind) => kind.is_dir() && is_unicode,
                Err(_) => false,
            };
            entries.push(Entry { name, is_directory });
        }
        entries.sort_by(|one, next| one.name.cmp(&next.name));
        Ok(entries)
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The paths without duplicates; the first occurrence stays.
fn distinct(paths: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    paths.into_iter().filter(|path| seen.insert(path.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_libraries_may_read_differently_is_refused() {
        for pattern in ["env/*.yaml", "**/[a-z]*", "{a,b}/?.yaml", "[!abc]-{x,y*}", "a,b*"] {
            assert_eq!(parts(pattern), Ok(pattern.split('/').collect()), "{pattern}");
        }
        for pattern in [
            "a\\*",
            "{a,{b,c}}*",
            "{a/b,c}*",
            "{a,}*",
            "{,a}*",
            "{}*",
            "{**,b}/a*",
            "[a-z0-9]",
            "[^a]",
            "[a,b]",
            "[z-a]",
        ] {
            assert_eq!(parts(pattern), Err(Failed::Unsupported), "{pattern}");
        }
        for pattern in ["[", "[]", "[!]", "{a*", "a}*"] {
            assert_eq!(parts(pattern), Err(Failed::BadPattern), "{pattern}");
        }
    }
}
