//! The pull requests of `examples/pull-requests/`: the comment that the action writes on each is the file of its name in
//! `comments/` (`UPDATE=1` writes it), and the script pushes the branches and opens the pull requests.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use text::diff;

use super::checkout::git;
use super::runner::Job;
use crate::support::scratch::Scratch;
use crate::support::switches;

const URL: &str = "https://git.example.com/acme/deploy";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pull-requests")
}

/// Runs the script and returns what it prints.
fn make(arguments: &[&str], path: &OsString) -> String {
    let output = Command::new(examples().join("make")).args(arguments).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The branches of pull requests.
fn branches(origin: &Path) -> BTreeSet<String> {
    let all = git(origin, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    all.lines().filter(|branch| *branch != "main").map(str::to_owned).collect()
}

/// The names of the files in a folder, without their ends.
fn stems(folder: &Path) -> BTreeSet<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn the_comment_on_each_pull_request_is_its_file() {
    let Some(helm) = switches::tool("helm") else { return };
    let mut path = OsString::from(helm.parent().unwrap());
    path.push(":");
    path.push(switches::path());
    let comments = examples().join("comments");
    let made = Scratch::new();
    let repository = made.source().join("deploy");
    make(&[repository.to_str().unwrap()], &path);
    let branches = branches(&repository);
    let readme = fs::read_to_string(examples().join("README.md")).unwrap();
    let mut wrong = String::new();
    for branch in &branches {
        let got = comment(branch, &path);
        let file = comments.join(format!("{branch}.md"));
        let want = fs::read_to_string(&file).unwrap_or_default();
        if switches::update() {
            fs::write(file, &got).unwrap();
        } else if got != want {
            wrong.push_str(&diff::unified(&want, &got, branch, "got", 3));
        }
        assert!(readme.contains(&format!("](comments/{branch}.md)")), "README.md does not name `{branch}`");
    }
    assert_eq!(stems(&comments), branches);
    assert!(wrong.is_empty(), "{wrong}");
}

/// The comment that the workflow of the example writes on the pull request of a branch.
fn comment(branch: &str, path: &OsString) -> String {
    let mut job = Job::new().with("plugin", "");
    path.clone_into(&mut job.path);
    job.github["workflow"] = json!("argocd-jobs");
    job.github["job"] = json!("preview");
    job.github["repository"] = json!("acme/deploy");
    job.github["event"]["pull_request"]["head"]["repo"]["full_name"] = json!("acme/deploy");
    make(&[job.origin().to_str().unwrap()], path);
    job.open(branch, 0);
    job.name_repository_as(URL);
    let outcome = job.run();
    let comments = job.server.comments();
    assert_eq!(comments.len(), 1, "{branch}: {outcome:?}");
    assert_eq!(outcome.status, i32::from(branch == "hook-typo"), "{branch}: {outcome:?}");
    // Ids of commits depend on the address and the version of the action, which the workflow names.
    let mut comment = comments[0].replace(&job.server.url, "https://git.example.com");
    let ids =
        [(branch, "0123456789abcdef0123456789abcdef01234567"), ("main~1", "89abcdef0123456789abcdef0123456789abcdef")];
    for (revision, instead) in ids {
        let id = git(&job.origin(), &["rev-parse", revision]);
        comment = comment.replace(&id, instead).replace(&id[..10], &instead[..10]);
    }
    comment
}

/// On the first day: the branches are pushed, each pull request is opened once, and the Applications name the
/// repository.
#[test]
fn the_script_opens_the_pull_requests_that_are_missing() {
    let scratch = Scratch::new();
    let here = scratch.source();
    let (bare, log) = (here.join("deploy.git"), here.join("log"));
    git(&here, &["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    fs::write(&log, "").unwrap();
    // There is one already.
    let gh =
        format!("[ \"$1 $2 $3\" = 'pr view revert' ] || {{ [ \"$2\" = create ] && echo \"$*\" >>{}; }}", log.display());
    fs::write(here.join("gh"), format!("#!/bin/sh\n{gh}\n")).unwrap();
    fs::set_permissions(here.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = OsString::from(&here);
    path.push(":");
    path.push(switches::path());
    make(&[here.join("deploy").to_str().unwrap(), bare.to_str().unwrap()], &path);
    let mut opened: Vec<String> = Vec::new();
    for branch in branches(&bare).into_iter().filter(|branch| branch != "revert") {
        let message = |what: &str| git(&bare, &["log", "-1", &format!("--format={what}"), &branch]);
        let (title, body) = (message("%s"), message("%b"));
        opened.extend(
            format!("pr create --base main --head {branch} --title {title} --body {body}")
                .lines()
                .map(|line| line.trim_end().to_owned()),
        );
    }
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(log.lines().map(str::trim_end).collect::<Vec<_>>(), opened);
    assert_eq!(git(&bare, &["rev-list", "--count", "main"]), "2", "the first commit, and the one that is merged");
    let named =
        git(&bare, &["grep", "--count", &format!("repoURL: {}$", bare.display()), "new-application", "--", "argocd"]);
    assert_eq!(named.lines().count(), 4, "{named}");
}
