//! Every link between the documents leads somewhere: the file exists, and so does the heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders whose documents belong to the project. Below `testdata/` they are data, except its own README.
const FOLDERS: [&str; 8] = ["", "docs", "deploy", "fuzz", "interop", "release", "testdata", "tests"];

#[test]
fn every_link_leads_somewhere() {
    let documents = documents();
    assert!(documents.iter().any(|path| path.ends_with("docs/findings.md")), "docs/ has moved: {documents:?}");
    let dead: Vec<String> = documents.iter().flat_map(|document| dead_links(document)).collect();
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn the_readme_lists_every_page() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let linked = links(&readme);
    for page in documents_in("docs") {
        let name = page.file_name().unwrap().to_str().unwrap();
        let target = format!("docs/{name}");
        assert!(linked.iter().any(|(_, link)| *link == target), "README.md has no link to {target}");
    }
}

/// What does not fit belongs on a page in `docs/`.
#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 160, "README.md has {lines} lines");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    FOLDERS.iter().flat_map(|folder| documents_in(folder)).collect()
}

fn documents_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    files.sort();
    files
}

/// Returns one line for each relative link in `document` whose file or heading is missing.
fn dead_links(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).unwrap();
    let why = |link: &str| -> Option<String> {
        if link.contains("://") || link.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
        let target = if path.is_empty() { document.to_owned() } else { document.parent().unwrap().join(path) };
        if !is_inside(&target) || !target.exists() {
            return Some(format!("there is no {path}"));
        }
        let anchor = anchor?;
        let is_heading = fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor));
        (!is_heading).then(|| format!("no heading has the anchor #{anchor}"))
    };
    let shown = document.strip_prefix(root()).unwrap().display();
    let line = |(line, link): (usize, &str)| why(link).map(|why| format!("{shown}:{line}: ({link}) {why}"));
    links(&text).into_iter().filter_map(line).collect()
}

/// True when the path, `..` resolved by its text, stays in the repository.
fn is_inside(path: &Path) -> bool {
    let mut depth = 0_usize;
    let inside = path.strip_prefix(root()).unwrap();
    inside.components().all(|part| match part {
        Component::ParentDir => depth.checked_sub(1).is_some_and(|up| {
            depth = up;
            true
        }),
        _ => {
            depth += 1;
            true
        }
    })
}

/// The targets of the inline links outside code, with their line numbers (from 1).
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // Odd pieces are between backticks.
        for piece in line.split('`').step_by(2) {
            let targets = piece.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.map(|(target, _)| (number, target)));
        }
    }
    found
}

/// The anchors that GitHub makes of the headings: lower case, without punctuation, `-` for a space, `-1` for a repetition.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some(heading) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else { continue };
        let Some(title) = heading.strip_prefix(' ') else { continue };
        let kept = title.trim().chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let repeated = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(repeated).find(|anchor| !found.contains(anchor));
        found.extend(free);
    }
    found
}

/// The lines outside fenced code, with their numbers (from 1).
pub(super) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((at + 1, line))
    })
}

#[test]
fn links_are_found_outside_code() {
    let text = "a [b](c.md) [d](e#f)\n`[g](h)` [`i`](j)\n```\n[k](l)\n```\n[m](n)\n";
    assert_eq!(links(text), [(1, "c.md"), (1, "e#f"), (2, "j"), (6, "n")]);
}

#[test]
fn anchors_are_those_of_github() {
    let text = "# What `auto` chooses\n```\n# code\n```\n## A, b: c_d\n## A, b: c_d\n#not\n";
    let wanted = ["what-auto-chooses", "a-b-c_d", "a-b-c_d-1"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(wanted));
}

#[test]
fn a_link_out_of_the_repository_is_dead() {
    assert!(is_inside(&root().join("docs/../deploy")));
    assert!(!is_inside(&root().join("docs/../../x")));
}
