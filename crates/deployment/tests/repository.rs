//! A repository is read with one call, as `check .` does it: what is a source, what an Application says of one, and what is an error.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use deployment::notes::Note;
use deployment::reading::{self, Reading};
use deployment::{Run, sources};
use scratch::Scratch;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\n";

const APPLICATION: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  source: {repoURL: 'https://git.example.com/shop.git', path: shop}
  destination: {namespace: shop}
";

fn repository() -> Scratch {
    Scratch::new().file(".git/HEAD", "").file("shop/job.yaml", JOB).file("blog/job.yaml", JOB)
}

fn read(repository: &Scratch, run: Run) -> (anyhow::Result<Reading>, Vec<Note>) {
    let paths = vec![repository.0.to_str().unwrap().to_owned()];
    let run = Run { paths, ..run };
    let reading = sources::of(&run).and_then(|sources| reading::read(sources, &run, &|_| ()));
    (reading, run.environment.notes.take())
}

/// The last name of the path of each source, with its Application.
fn names(reading: &Reading) -> Vec<(String, Option<&str>)> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    reading.read.iter().map(|one| (name(&one.shown_as), one.target.application())).collect()
}

#[test]
fn each_folder_with_manifests_is_a_source() {
    let (reading, notes) = read(&repository(), Run::default());
    assert_eq!(names(&reading.unwrap()), [("blog".to_owned(), None), ("shop".to_owned(), None)]);
    assert_eq!(notes, []);
}

#[test]
fn an_application_says_which_folder_argo_cd_reads() {
    let repository = repository().file("apps/shop.yaml", APPLICATION);
    let urls = vec!["https://git.example.com/shop.git".to_owned()];
    let (reading, _) = read(&repository, Run { repository_urls: urls, ..Run::default() });
    let reading = reading.unwrap();
    assert!(names(&reading).contains(&("shop".to_owned(), Some("shop"))), "{:?}", names(&reading));
    assert_eq!(reading.passed_over.unused, 1);
}

#[test]
fn what_was_assumed_is_a_note_and_is_not_printed() {
    let (reading, notes) = read(&repository().file("apps/shop.yaml", APPLICATION), Run::default());
    assert!(reading.is_ok());
    let [Note::Text(note)] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.starts_with("assuming that this checkout is `https://git.example.com/shop.git`"), "{note}");
}

#[test]
fn a_path_that_is_not_there_is_an_error() {
    let (reading, _) = read(&Scratch(repository().0.join("nothing")), Run::default());
    assert!(reading.err().unwrap().to_string().contains("no such file or directory"));
}
