//! The files that a glob matches, in the order in which the library of Argo CD returns them
//! (`FilepathGlob` of `github.com/bmatcuk/doublestar/v4` v4.10.0, `glob.go` and `globwalk.go`): helm lets the later file win, so that the
//! order decides.
//!
//! Three things are done otherwise. Symlinks out of the repository and what is in `.git` are not there. The same directory is not searched
//! twice for the same rest of a pattern, which changes no file that is found first. And the library takes the matches of one alternative for
//! directories of the next one in patterns such as `*/{a,{b,c}}` without a `**` before the braces, so that it can find `x/a/b` too.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::super::confined::{AbsoluteLinks, Found, Kind, follow};
use super::super::repository::GIT;
use super::pattern::{self, Failed, next_alternative};
use super::work::Work;

/// The longest pattern, in bytes: as long as the longest path of Linux.
const MAX_PATTERN: usize = 4096;
/// The most `{` of a pattern, each of which takes a part of the stack.
const MAX_BRACES: usize = 100;
/// The longest path of Linux with its end, in bytes: circles of links end here.
const MAX_PATH: usize = 4096;

/// What listing a directory costs.
const LIST: u64 = 2_000;
/// What listing one of its entries costs.
const ENTRY: u64 = 50;
/// What each part of a path costs that is followed.
const STEP: u64 = 200;

/// Whether Argo CD takes a path for a glob (`isGlobPath` in `reposerver/repository/repository.go`). A `{` alone makes none.
pub(super) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The paths, relative to `root`, that `pattern` matches, each once; directories too. `root` is absolute and without symlinks, `pattern` is
/// relative to it and clean. The empty path is the root itself.
pub(super) fn expand(root: &Path, pattern: &str, work: &mut Work) -> Result<Vec<String>, Failed> {
    if pattern.len() > MAX_PATTERN || pattern.matches('{').count() > MAX_BRACES {
        return Err(Failed::TooMuch);
    }
    let (base, rest) = split(pattern);
    if !pattern::is_valid(rest) {
        return Err(Failed::BadPattern);
    }
    let walks = has_middle_double_star(rest);
    let mut search = Search { root, base: &base, walks, work };
    let found = search.glob(rest, true)?;
    Ok(distinct(found).into_iter().map(|found| join(&base, &found)).collect())
}

/// Splits at the last slash before the first meta character: the text before it (unescaped) and the text after it (`SplitPattern`).
fn split(pattern: &str) -> (String, &str) {
    let bytes = pattern.as_bytes();
    let mut slash = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'/' => slash = Some(at),
            b'*' | b'?' | b'[' | b'{' => break,
            _ => {}
        }
        at += 1;
    }
    slash.map_or((String::new(), pattern), |slash| (unescape(&pattern[..slash]), &pattern[slash + 1..]))
}

/// Paths are relative to the base; `.` is the base itself.
struct Search<'a> {
    root: &'a Path,
    base: &'a str,
    /// Whether the library would take `GlobWalk`, which sorts the matches of all alternatives together.
    walks: bool,
    work: &'a mut Work,
}

/// An entry of a directory.
struct Entry {
    name: String,
    is_directory: bool,
}

impl Search<'_> {
    /// `doGlob`; without `takes_files` directories only.
    fn glob(&mut self, pattern: &str, takes_files: bool) -> Result<Vec<String>, Failed> {
        self.work.keep(pattern)?;
        let Some(meta) = first_meta(pattern) else {
            let path = unescape(pattern);
            let exists = self.look(path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(&path))?.is_some();
            return Ok(if exists { vec![path] } else { Vec::new() });
        };
        let mut slash = last_unescaped(pattern, |byte| matches!(byte, b'/' | b'}'));
        if let Some(brace) = slash.filter(|at| pattern.as_bytes()[*at] == b'}') {
            match opening(&pattern[..brace]) {
                Some(opening) => return self.alternatives(pattern, opening, brace, takes_files),
                None => slash = last_unescaped(&pattern[..brace], |byte| byte == b'/'),
            }
        }
        let Some(slash) = slash else { return self.in_directory(".", pattern, takes_files) };
        let (dir, rest) = (&pattern[..slash], &pattern[slash + 1..]);
        // Of `**/**` the first one finds all that both find, in the same order.
        if rest == "**" && (dir == "**" || dir.ends_with("/**") && !dir.ends_with("\\/**")) {
            return self.glob(dir, takes_files);
        }
        if slash <= meta {
            return self.in_directory(&unescape(dir), rest, takes_files);
        }
        let mut found = Vec::new();
        for dir in distinct(self.glob(dir, false)?) {
            found.extend(self.in_directory(&dir, rest, takes_files)?);
        }
        Ok(found)
    }

    /// `globAlts` and `globAltsWalk`: the braces from `opening` to `closing`.
    fn alternatives(
        &mut self,
        pattern: &str,
        opening: usize,
        closing: usize,
        takes_files: bool,
    ) -> Result<Vec<String>, Failed> {
        let slash = last_unescaped(&pattern[..opening], |byte| matches!(byte, b'/' | b'}'));
        let (dirs, start) = match slash.filter(|at| pattern.as_bytes()[*at] == b'/') {
            Some(slash) => (distinct(self.glob(&pattern[..slash], false)?), slash + 1),
            None => (vec![String::new()], 0),
        };
        let mut all = Vec::new();
        for dir in dirs {
            let mut merged = Vec::new();
            let mut at = opening + 1;
            // An empty alternative at the end is none, as in the library.
            while at < closing {
                let end = next_alternative(&pattern[at..closing]).map_or(closing, |comma| at + comma);
                let prefix = if matches!(&*dir, "" | ".") { String::new() } else { escape(&dir) + "/" };
                let one = [&prefix, &pattern[start..opening], &pattern[at..end], &pattern[closing + 1..]].concat();
                let found = self.glob(&one, takes_files)?;
                self.work.spend((merged.len() + found.len()) as u64)?;
                merged = if merged.is_empty() || found.is_empty() {
                    [merged, found].concat()
                } else if self.walks {
                    sorted([merged, found].concat())
                } else {
                    merge(merged, found)
                };
                at = end + 1;
            }
            all.extend(merged);
        }
        Ok(if self.walks { sorted(all) } else { all })
    }

    /// `globDir`: what matches in one directory.
    fn in_directory(&mut self, dir: &str, pattern: &str, takes_files: bool) -> Result<Vec<String>, Failed> {
        if pattern.is_empty() || pattern == "**" {
            let mut found = Vec::new();
            if self.look(dir)? == Some(Kind::Directory) {
                found.push(dir.to_owned());
                if pattern == "**" {
                    self.everything(dir, takes_files, &mut found)?;
                }
            }
            return Ok(found);
        }
        let mut found = Vec::new();
        for entry in self.list(dir)? {
            if pattern::matches(pattern, &entry.name, self.work)? && (takes_files || entry.is_directory) {
                found.push(self.join(dir, &entry.name)?);
            }
        }
        Ok(found)
    }

    /// `globDoubleStar`: all that is below a directory, each directory before what it holds. A stack, because a stranger says how deep
    /// directories are.
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

    /// What is at a path; nothing when it leaves the repository or cannot be looked at.
    fn look(&mut self, path: &str) -> Result<Option<Kind>, Failed> {
        Ok(self.follow(path)?.map(|found| found.kind))
    }

    fn follow(&mut self, path: &str) -> Result<Option<Found>, Failed> {
        let is_name = |name: &str| !matches!(name, "" | "." | "..");
        if path != "." && !path.split('/').all(is_name) {
            return Ok(None);
        }
        let whole = self.root.join(join(self.base, path));
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
            if name == GIT {
                continue;
            }
            let is_unicode = name.to_str().is_some();
            let name = name.to_string_lossy().into_owned();
            let is_directory = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => self.look(&join(dir, &name))? == Some(Kind::Directory),
                Ok(kind) => kind.is_dir() && is_unicode,
                Err(_) => false,
            };
            entries.push(Entry { name, is_directory });
        }
        entries.sort_by(|one, next| one.name.cmp(&next.name));
        Ok(entries)
    }

    fn join(&mut self, dir: &str, name: &str) -> Result<String, Failed> {
        let path = join(dir, name);
        self.work.keep(&path)?;
        Ok(path)
    }
}

/// `path.Join` of clean paths, of which `.` and the empty one are nothing.
fn join(dir: &str, name: &str) -> String {
    match (dir, name) {
        ("" | ".", "" | ".") => String::new(),
        ("" | ".", path) | (path, "" | ".") => path.trim_end_matches('/').to_owned(),
        (dir, name) => format!("{dir}/{}", name.trim_end_matches('/')),
    }
}

/// The paths in their order, each where it stands first.
fn distinct(paths: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    paths.into_iter().filter(|path| seen.insert(path.clone())).collect()
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths.dedup();
    paths
}

/// `sortAndRemoveDups`: merges the paths of one alternative into those of the ones before it. Both are taken for sorted, and the order
/// decides the result when they are not, because a directory's content comes before a name that is less than its own with a slash.
fn merge(before: Vec<String>, next: Vec<String>) -> Vec<String> {
    let mut all = before;
    let second = all.len();
    all.extend(next);
    let mut first = 0;
    while first < second && second < all.len() {
        match all[first].cmp(&all[second]) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                all.remove(second);
            }
            std::cmp::Ordering::Greater => {
                all.swap(first, second);
                let mut at = second;
                while at + 1 < all.len() && all[at + 1] < all[at] {
                    all.swap(at, at + 1);
                    at += 1;
                }
            }
        }
        first += 1;
    }
    all
}

/// Whether `**` is anywhere but at the end (`hasMidDoubleStar`).
fn has_middle_double_star(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while at + 3 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'\\', _) => at += 1,
            (b'*', b'*') => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// The first meta character that is not escaped (`indexMeta`).
fn first_meta(pattern: &str) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'*' | b'?' | b'[' | b'{' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// The last byte of those that no backslash stands before.
fn last_unescaped(pattern: &str, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let bytes = pattern.as_bytes();
    (0..bytes.len()).rev().find(|at| wanted(bytes[*at]) && (*at == 0 || bytes[*at - 1] != b'\\'))
}

/// The `{` of the `}` that follows `text` (`indexMatchedOpeningAlt`).
fn opening(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 1;
    for at in (0..bytes.len()).rev().filter(|at| *at == 0 || bytes[*at - 1] != b'\\') {
        match bytes[at] {
            b'}' => open += 1,
            b'{' => open -= 1,
            _ => continue,
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

const META: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// `escapeMeta`
fn escape(path: &str) -> String {
    path.chars().flat_map(|found| META.contains(&found).then_some('\\').into_iter().chain([found])).collect()
}

/// `unescapeMeta`: backslashes before anything else stay.
fn unescape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(found) = chars.next() {
        match chars.peek() {
            Some(next) if found == '\\' && META.contains(next) => {
                out.push(*next);
                chars.next();
            }
            _ => out.push(found),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_begins_behind_the_last_slash_before_what_has_a_meaning() {
        for (pattern, base, rest) in [
            ("a/b/*.yaml", "a/b", "*.yaml"),
            ("*.yaml", "", "*.yaml"),
            ("a/b.yaml", "a", "b.yaml"),
            ("a/{b,c}/d", "a", "{b,c}/d"),
            // What is escaped has no meaning.
            ("a\\*/b/c?", "a*/b", "c?"),
            ("a\\/b*", "", "a\\/b*"),
        ] {
            assert_eq!(split(pattern), (base.to_owned(), rest), "{pattern}");
        }
    }
}
