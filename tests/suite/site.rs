//! The documentation site: its navigation, and the names on its pages. `docs/build` builds the site and checks the
//! result.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use system::PathText;

/// The pages that are built from documents outside of docs/ (`MOVED` in docs/site/prepare.py).
const MADE: [&str; 6] =
    ["changelog.md", "errors/index.md", "findings/index.md", "index.md", "platform.md", "security.md"];

#[test]
fn the_navigation_has_every_page_once() {
    let listed: Vec<String> = read("docs/site/zensical.toml").lines().filter_map(entry).map(|(_, page)| page).collect();
    let pages =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut wanted: BTreeSet<String> =
        pages.filter(|name| name.ends_with(".md") && name != "findings.md" && name != "errors.md").collect();
    wanted.extend(MADE.map(str::to_owned));
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), wanted);
    assert_eq!(listed.len(), wanted.len(), "a page is listed twice: {listed:?}");
}

/// The first screen, and little more.
#[test]
fn the_readme_is_short() {
    let readme = read("README.md");
    let (lines, words) = (readme.lines().count(), readme.split_whitespace().count());
    assert!(lines <= 90 && words <= 800, "README.md has {lines} lines and {words} words");
    let links = readme.matches("](").count();
    assert!(links <= 10, "README.md has {links} links");
}

/// Someone reads all of them. The pages of findings are generated.
#[test]
fn the_documents_are_few_and_short() {
    let documents = pages().into_iter().filter(|page| !page.ends_with("findings.md")).chain([root().join("README.md")]);
    let texts: Vec<String> = documents.map(|page| fs::read_to_string(page).unwrap()).collect();
    let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    assert!(texts.len() <= 18 && words <= 35_000, "{} pages have {words} words", texts.len());
}

/// A page has a single name: its title is also its name in the navigation.
#[test]
fn a_page_is_named_by_its_title() {
    for (name, document) in listed() {
        assert_eq!(read(&document).lines().next(), Some(format!("# {name}").as_str()), "{document}");
    }
}

/// The name and the document of each page but the first, in the order of the navigation.
pub(crate) fn listed() -> Vec<(String, String)> {
    let document = |(name, page): (String, String)| {
        let document = match page.as_str() {
            "changelog.md" => "CHANGELOG.md".to_owned(),
            "errors/index.md" => "docs/errors.md".to_owned(),
            "findings/index.md" => "docs/findings.md".to_owned(),
            "platform.md" => "deploy/README.md".to_owned(),
            "security.md" => "SECURITY.md".to_owned(),
            _ => format!("docs/{page}"),
        };
        (name, document)
    };
    let navigation = read("docs/site/zensical.toml");
    navigation.lines().filter_map(entry).filter(|(_, page)| page != "index.md").map(document).collect()
}

/// The name and the page in a line `{ "Title" = "page.md" },`.
fn entry(line: &str) -> Option<(String, String)> {
    let (name, page) = line.trim().split_once("\" = \"")?;
    let page = page.split_once('"').map(|(page, _)| page.to_owned()).filter(|page| page.ends_with(".md"))?;
    Some((name.split_once('"')?.1.to_owned(), page))
}

#[test]
fn the_generator_is_pinned_by_version_and_hash() {
    let text = read("docs/site/requirements.txt");
    let packages: Vec<&str> = text.lines().filter(|line| line.contains("==")).collect();
    assert!(packages.iter().any(|line| line.starts_with("zensical==")), "{packages:?}");
    let pieces: Vec<&str> = text.split("\n").filter(|line| !line.starts_with('#')).collect();
    let joined = pieces.join("\n").replace("\\\n", " ");
    for package in joined.lines().filter(|line| !line.trim().is_empty()) {
        assert!(package.contains("==") && package.contains("--hash=sha256:"), "not pinned: {package}");
    }
    assert!(!text.contains("://"), "the registry is not part of the pins");
}

#[test]
fn the_packages_of_the_playground_are_pinned_and_name_no_registry() {
    let (lock, manifest) = (read("docs/playground/package-lock.json"), read("docs/playground/package.json"));
    assert!(lock.matches("\"integrity\": \"sha512-").count() > 20, "the packages have no hashes");
    assert!(!lock.contains("\"resolved\"") && !lock.contains("://registry"), "the registry is not part of the pins");
    assert!(!manifest.contains(['^', '~']), "docs/playground/package.json has ranges of versions");
}

#[test]
fn the_tests_that_a_page_names_exist() {
    let mut tests = String::new();
    for entry in walkdir::WalkDir::new(root().join("interop")) {
        let path = entry.unwrap().into_path();
        if path.to_str().is_some_and(|path| path.ends_with("_test.go")) {
            tests.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for name in text.split('`').filter(|word| word.starts_with("Test") && !word.contains([' ', '\n'])) {
            // `TestImmutability…` stands for several tests.
            let (name, end) = name.strip_suffix('…').map_or((name, "("), |name| (name, ""));
            let is_there = tests.contains(&format!("func {name}{end}"));
            assert!(is_there, "{} names {name}, which is not in interop/", page.shown());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} tests are named");
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}
