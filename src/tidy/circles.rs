//! No file imports, directly or through others, a file that imports it.
//!
//! A folder's `mod.rs` and the files below it may know each other: the folder hands out its files, and they use what the folder has for
//! all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::source_files;

/// A path in code, which needs no `use`.
static IN_CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::[a-z_]+)+").unwrap());

/// The names of a module, from the top one down; empty for `lib.rs`.
type Module = Vec<String>;

#[test]
fn no_file_imports_a_file_that_imports_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: BTreeMap<Module, String> = source_files()
        .into_iter()
        // Below the repository only: the folder that holds it may have any name.
        .filter(|path| !path.strip_prefix(&root).unwrap().iter().any(|part| part == "tidy" || part == "tests"))
        .map(|path| (module(path.strip_prefix(&root).unwrap()), fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(files.len() > 300, "only {} files are looked at", files.len());
    let arrows: BTreeMap<&Module, BTreeSet<&Module>> =
        files.iter().map(|(from, text)| (from, imported(from, text, &files))).collect();
    let circles: Vec<String> =
        arrows.keys().filter_map(|from| way(from, from, &arrows, &mut BTreeSet::new())).collect();
    assert!(circles.is_empty(), "imports run in a circle:\n{}", circles.join("\n"));
}

/// `yaml/edit/plan.rs` → `yaml`, `edit`, `plan`
fn module(path: &Path) -> Module {
    let names = path.with_extension("");
    let names = names.iter().map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| !matches!(name.as_str(), "mod" | "lib" | "main")).collect()
}

/// The files that a text imports, without those above and below it in its own folder.
fn imported<'f>(from: &Module, text: &str, files: &'f BTreeMap<Module, String>) -> BTreeSet<&'f Module> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = code.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let uses = code.split("use ").skip(1).filter_map(|rest| rest.split_once(';')).map(|(path, _)| path);
    let mut paths: Vec<String> = IN_CODE.find_iter(&code).map(|path| path.as_str().to_owned()).collect();
    uses.for_each(|path| expand("", path, &mut paths));
    let found = paths.iter().filter_map(|path| {
        let names = absolute(from, path)?;
        (1..=names.len()).rev().find_map(|length| files.get_key_value(&names[..length]))
    });
    let is_elsewhere = |to: &&Module| !to.starts_with(from) && !from.starts_with(to);
    found.map(|(to, _)| to).filter(is_elsewhere).collect()
}

/// `a::{b, c::{d, e}}` → `a::b`, `a::c::d`, `a::c::e`
fn expand(prefix: &str, path: &str, paths: &mut Vec<String>) {
    let path = path.trim();
    let Some((before, group)) = path.split_once('{') else {
        return paths.push(format!("{prefix}{path}"));
    };
    let (mut depth, mut start) = (0, 0);
    let group = group.strip_suffix('}').unwrap_or(group);
    for (at, char) in group.char_indices().chain([(group.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&format!("{prefix}{before}"), &group[start..at], paths);
                start = (at + 1).min(group.len());
            }
            _ => {}
        }
    }
}

/// The modules of an imported path, from the crate root; none for a path of another crate. ` as …` is ignored. Panics at a part that is not a name: a
/// path that is not understood must not be skipped.
fn absolute(from: &Module, path: &str) -> Option<Module> {
    let mut names: Option<Module> = None;
    let path = path.split(" as ").next().unwrap_or(path);
    for name in path.split("::").map(str::trim).filter(|name| !name.is_empty()) {
        match (name, &mut names) {
            ("crate" | "argocd_jobs", None) => names = Some(Vec::new()),
            ("self", None) => names = Some(from.clone()),
            ("super", None) => names = Some(from[..from.len().saturating_sub(1)].to_vec()),
            ("super", Some(names)) => drop(names.pop()),
            (_, None) => return None,
            (name, Some(names)) => {
                let is_name = name == "*" || name.chars().all(|char| char.is_alphanumeric() || char == '_');
                assert!(is_name, "{}: cannot read the import {path:?}", from.join("/"));
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn an_import_under_another_name_is_one() {
    let module = |path: &str| module(Path::new(path));
    let files =
        BTreeMap::from([(module("settings/parse.rs"), String::new()), (module("settings/value.rs"), String::new())]);
    let imports =
        |text: &str| imported(&module("settings/resolve.rs"), text, &files).into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(
        imports("use super::{parse as p, value::{text as t, *}};"),
        [module("settings/parse"), module("settings/value")]
    );
    assert_eq!(imports("fn f() { super::value::text() }"), [module("settings/value")]);
    assert!(std::panic::catch_unwind(|| imports("use super::parse-d;")).is_err());
}

/// A way from `at` back to `start`, as text.
fn way<'m>(
    start: &Module,
    at: &'m Module,
    arrows: &BTreeMap<&'m Module, BTreeSet<&'m Module>>,
    seen: &mut BTreeSet<&'m Module>,
) -> Option<String> {
    for next in &arrows[at] {
        if *next == start {
            return Some(format!("{} → {}", at.join("/"), start.join("/")));
        }
        if seen.insert(next)
            && let Some(rest) = way(start, next, arrows, seen)
        {
            return Some(format!("{} → {rest}", at.join("/")));
        }
    }
    None
}
