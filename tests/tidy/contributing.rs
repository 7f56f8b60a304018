//! The lists in CONTRIBUTING.md of what to touch and what holds it: every file, every name and every test in them exists.
//!
//! `<finding>`, `<strategy>` and `<parameter>` stand for all that there are, so that a list holds for each of them. `<case>` stands
//! for some folder, and `<new>` for what does not exist yet.

use std::collections::BTreeSet;
use std::fs;

use lint::RULES;
use rewrite::settings::{PARAMETERS, Parameter, Scope};
use rewrite::strategy::STRATEGIES;

use super::root;

/// The heading of the column with files, each followed by names that are in it.
const PLACE: &str = "place";
/// The heading of the column with tests.
const HELD_BY: &str = "held by";

#[test]
fn every_place_in_the_contributor_guide_exists() {
    let guide = guide();
    let mut wrong = Vec::new();
    for (line, token) in tokens(&guide).filter(|(_, token)| is_path(token)) {
        wrong.extend(missing_paths(token).into_iter().map(|path| format!("line {line}: there is no {path}")));
    }
    for (line, cell) in column(&guide, PLACE) {
        wrong.extend(missing_words(cell).into_iter().map(|what| format!("line {line}: {what}")));
    }
    assert!(wrong.is_empty(), "CONTRIBUTING.md is not up to date:\n{}", wrong.join("\n"));
}

#[test]
fn every_test_in_the_contributor_guide_exists() {
    let guide = guide();
    let functions = functions();
    let cells = column(&guide, HELD_BY);
    assert!(cells.len() > 20, "CONTRIBUTING.md has no column {HELD_BY:?}");
    let names = cells.iter().flat_map(|(line, cell)| code(cell).map(move |name| (line, name)));
    let tests = names.filter(|(_, name)| !is_path(name));
    let wrong: Vec<String> = tests
        .filter(|(_, name)| !functions.contains(name.rsplit("::").next().unwrap_or(name)))
        .map(|(line, name)| format!("line {line}: there is no test {name}"))
        .collect();
    assert!(wrong.is_empty(), "CONTRIBUTING.md is not up to date:\n{}", wrong.join("\n"));
}

fn guide() -> String {
    fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap()
}

/// The pieces of a line that are between backticks.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The code in the prose and the tables, with line numbers.
fn tokens(guide: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(guide).flat_map(|(number, line)| code(line).map(move |token| (number, token)))
}

/// True when the code is a path below a folder of the repository.
fn is_path(token: &str) -> bool {
    let first = token.split_once('/').map(|(first, _)| first);
    first.is_some_and(|first| !first.is_empty() && !token.contains(' ') && root().join(first).is_dir())
}

/// The cells below a heading, in all tables that have it, with line numbers.
fn column<'a>(guide: &'a str, heading: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut at = None;
    let mut is_table = false;
    for (number, line) in prose(guide) {
        let cells: Vec<&str> =
            line.strip_prefix('|').map(|line| line.split('|').map(str::trim).collect()).unwrap_or_default();
        if cells.is_empty() {
            is_table = false;
        } else if !is_table {
            is_table = true;
            at = cells.iter().position(|cell| *cell == heading);
        } else if let Some(cell) = at.and_then(|at| cells.get(at)) {
            found.push((number, *cell));
        }
    }
    found
}

/// What a text becomes with every placeholder replaced, once for each thing that it stands for.
fn expanded(text: &str, path: &str) -> Vec<(String, String)> {
    let ids: [(&str, Vec<&str>); 3] = [
        ("<finding>", RULES.iter().map(|row| row.id).collect()),
        // The other two write nothing, and have no file.
        ("<strategy>", STRATEGIES.iter().map(|row| row.id).filter(|id| !matches!(*id, "auto" | "keep")).collect()),
        // Those of helm, kustomize and the platform owner are in files of their own.
        ("<parameter>", general().map(|parameter| parameter.name).collect()),
    ];
    for (placeholder, ids) in ids {
        if text.contains(placeholder) || path.contains(placeholder) {
            let in_path = |id: &str| if path.ends_with(".rs") { id.replace('-', "_") } else { id.to_owned() };
            let with = |id: &&str| (text.replace(placeholder, id), path.replace(placeholder, &in_path(id)));
            return ids.iter().map(with).collect();
        }
    }
    vec![(text.to_owned(), path.to_owned())]
}

/// The parameters for every kind of source, which an Application can set.
fn general() -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|row| row.tool().is_none() && row.scope != Scope::Platform)
}

/// The paths that a path with placeholders stands for, and that do not exist.
pub(super) fn missing_paths(path: &str) -> Vec<String> {
    let known = path.split(['<', '*']).next().unwrap_or_default();
    if path.contains("<case>") || path.contains("<new>") || path.contains('*') {
        let folder = known.rsplit_once('/').map_or("", |(folder, _)| folder);
        return if root().join(folder).is_dir() { Vec::new() } else { vec![path.to_owned()] };
    }
    let all = expanded("", path).into_iter().map(|(_, path)| path);
    all.filter(|path| !root().join(path).exists()).collect()
}

/// The names in a cell that are not in the file that the cell names before them.
fn missing_words(cell: &str) -> Vec<String> {
    let mut missing = Vec::new();
    let mut file = None;
    for token in code(cell) {
        if is_path(token) || root().join(token).is_file() {
            file = Some(token);
        } else if let Some(file) = file.filter(|file| !file.contains("<case>") && !file.contains("<new>")) {
            for (word, path) in expanded(token, file) {
                let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
                if !text.contains(&word) {
                    missing.push(format!("{path} has no `{word}`"));
                }
            }
        }
    }
    missing
}

/// The names of all functions of the program and its tests, in Rust and in Go.
fn functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in ["src", "crates", "tests", "interop"] {
        for entry in walkdir::WalkDir::new(root().join(folder)).into_iter().map(Result::unwrap) {
            let keyword = match entry.path().extension().and_then(|end| end.to_str()) {
                Some("rs") => "fn ",
                Some("go") => "func ",
                _ => continue,
            };
            let text = fs::read_to_string(entry.path()).unwrap();
            let name = |rest: &str| rest.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            names.extend(text.split(keyword).skip(1).map(name));
        }
    }
    names
}

#[test]
fn a_list_that_is_not_true_is_seen() {
    assert!(missing_paths("crates/lint/src/lib.rs").is_empty());
    assert_eq!(missing_paths("src/nothing.rs"), ["src/nothing.rs"]);
    assert!(missing_paths("crates/rewrite/src/strategy/<strategy>_x.rs").len() > 3);
    assert!(missing_paths("testdata/check/<topic>/<case>/in").is_empty());
    assert_eq!(missing_paths("testdata/nothing/<case>"), ["testdata/nothing/<case>"]);
    assert!(missing_words("`crates/lint/src/rules/mod.rs` `RULES`").is_empty());
    assert_eq!(missing_words("`src/main.rs` `ROOFS`"), ["src/main.rs has no `ROOFS`"]);
    assert_eq!(column("| a | held by |\n|---|---|\n| b | `c` |\n", HELD_BY), [(2, "---"), (3, "`c`")]);
}

/// The lines outside fenced code, with their numbers (from 1).
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((at + 1, line))
    })
}
