//! The shapes of real manifests, rewritten in our own words: those below `like/<finding>` give the finding; those
//! below `unlike/<finding>` look similar, but do not give it.

use std::fs;
use std::path::{Path, PathBuf};

use kube_jobs::argocd::Application;
use lint::{Analysis, RULES, State};
use rewrite::settings::RawLayers;
use source::{Source, read_version};
use system::PathText;

/// The findings of a folder that are not ignored, as written or as emitted.
fn findings(folder: &Path) -> Vec<&'static str> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), text)
    });
    let application = Application { name: Some("shop".to_owned()), ..Application::default() };
    let version = read_version(Source::files(texts), &RawLayers::default(), application).unwrap();
    let analysis = Analysis::of(&version);
    let found = analysis.findings().unwrap().iter();
    found.filter(|finding| !matches!(finding.state, State::Ignored(_))).map(|finding| finding.rule.id).collect()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn shapes(kind: &str) -> Vec<PathBuf> {
    let folders = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/shapes").join(kind));
    for folder in &folders {
        assert!(RULES.iter().any(|rule| rule.id == name(folder)), "{} is not a finding", folder.shown());
    }
    folders
}

#[test]
fn real_shapes_give_their_finding() {
    let folders = shapes("like");
    let silent: Vec<String> = folders
        .iter()
        .filter(|folder| !findings(folder).contains(&name(folder).as_str()))
        .map(|path| name(path))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
    assert!(folders.len() >= 29, "{}", folders.len());
}

#[test]
fn look_alikes_do_not() {
    let all = shapes("unlike")
        .into_iter()
        .flat_map(|finding| folders(&finding).into_iter().map(move |one| (name(&finding), one)));
    let noisy: Vec<PathBuf> =
        all.filter(|(finding, one)| findings(one).contains(&finding.as_str())).map(|(_, one)| one).collect();
    assert!(noisy.is_empty(), "{noisy:?}");
}
