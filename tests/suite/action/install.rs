//! How the action gets the program: from the machine, or from an archive with the checksum of this commit.

use std::fs;
use std::process::Command;

use argocd_jobs::output::diff;
use serde_json::json;

use super::checkout::migration;
use super::runner::{Job, can_run};

const ARCHIVE: &str = "argocd-jobs-0.9.0-x86_64-unknown-linux-musl.tar.gz";

/// A job with a copy of the action.
fn job() -> Job {
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    job.inputs.remove("binary");
    job.copy_action();
    job
}

fn write_checksums(job: &Job, lines: &str) {
    fs::write(job.action.join("action/checksums.txt"), lines).unwrap();
}

/// An archive with a program that says its version, and its checksum.
fn archive(job: &Job, version: &str) -> (Vec<u8>, String) {
    let dir = job.scratch.source().parent().unwrap().join(version);
    let script = format!("#!/bin/sh\n[ $1 = --version ] && echo argocd-jobs {version}\ntrue\n");
    fs::create_dir_all(dir.join("inside")).unwrap();
    fs::write(dir.join("inside/argocd-jobs"), script).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&dir).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run("chmod", &["+x", "inside/argocd-jobs"]);
    run("tar", &["-czf", "archive", "inside"]);
    let sum = run("sha256sum", &["archive"]).split(' ').next().unwrap().to_owned();
    (fs::read(dir.join("archive")).unwrap(), sum)
}

#[test]
fn nothing_is_published_so_nothing_is_downloaded() {
    if !can_run() {
        return;
    }
    let mut job = job();
    write_checksums(&job, "");
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.ran.as_slice()), (2, &["install".to_owned()][..]), "{outcome:?}");
    let wanted = "::error title=argocd-jobs::action/checksums.txt has no archive for Linux X64%0Ahelp: use the action at a commit that has the \
                  checksums of a published version, or set `binary` to a program that is on the machine\n";
    assert!(outcome.log == wanted, "{}", diff::unified(wanted, &outcome.log, "wanted", "got", 2));
    job.inputs.insert("version".to_owned(), "1.2.3".to_owned());
    assert!(job.run().log.contains("has no archive of argocd-jobs 1.2.3 for Linux X64"));
    assert!(job.server.methods().is_empty());
}

#[test]
fn the_archive_has_to_be_the_one_that_was_published() {
    if !can_run() {
        return;
    }
    let mut job = job();
    let (bytes, sum) = archive(&job, "0.9.0");
    let path = format!("/acme/argocd-jobs/releases/download/v0.9.0/{ARCHIVE}");
    job.github["action_repository"] = json!("acme/argocd-jobs");
    write_checksums(&job, &format!("{sum}  {ARCHIVE}\n"));
    let outcome = job.run();
    assert!(
        outcome.status == 2 && outcome.log.contains("::error title=argocd-jobs::cannot download http"),
        "{outcome:?}"
    );
    job.server.with(|content| content.files.insert(path.clone(), bytes.clone()));
    let outcome = job.run();
    assert!(outcome.status == 0 && outcome.log.starts_with("argocd-jobs 0.9.0\n"), "{outcome:?}");

    // One byte more.
    job.server.with(|content| content.files.get_mut(&path).unwrap().push(0));
    let outcome = job.run();
    assert!(outcome.status == 2 && outcome.log.contains("is not the archive that was published"), "{outcome:?}");
    assert_eq!(outcome.ran, ["install"]);

    // A mirror.
    job.server.with(|content| content.files.insert(format!("/mirror/v0.9.0/{ARCHIVE}"), bytes.clone()));
    job.inputs.insert("download-url".to_owned(), format!("{}/mirror", job.server.url));
    assert_eq!(job.run().status, 0);
    // Only what can be a mirror.
    fs::create_dir_all(job.action.join("v0.9.0")).unwrap();
    fs::write(job.action.join("v0.9.0").join(ARCHIVE), bytes).unwrap();
    job.inputs.insert("download-url".to_owned(), format!("file://{}", job.action.display()));
    let outcome = job.run();
    assert!(outcome.status == 2 && outcome.log.contains("cannot download file:"), "{outcome:?}");
}

#[test]
fn the_newest_version_for_this_machine_is_taken_unless_another_is_asked_for() {
    if !can_run() {
        return;
    }
    let mut job = job();
    let mut lines = String::new();
    for version in ["0.9.0", "0.10.0", "0.10.1-rc.1", "0.9.1"] {
        let (bytes, sum) = archive(&job, version);
        for target in ["aarch64-unknown-linux-musl", "x86_64-unknown-linux-musl", "x86_64-apple-darwin"] {
            let name = format!("argocd-jobs-{version}-{target}.tar.gz");
            let sum = if target.starts_with("x86_64-unknown") { sum.clone() } else { "0".repeat(64) };
            lines.push_str(&format!("{sum}  {name}\n"));
            job.server.with(|content| content.files.insert(format!("/v{version}/{name}"), bytes.clone()));
        }
    }
    write_checksums(&job, &lines);
    job.inputs.insert("download-url".to_owned(), job.server.url.clone());
    for (asked, got) in [
        ("", "0.10.0"),
        ("0.10.1-rc.1", "0.10.1-rc.1"),
        ("0.9.0", "0.9.0"),
        ("0.10.0", "0.10.0"),
        ("0.1", ""),
        ("0.9.0-x86_64", ""),
    ] {
        job.inputs.insert("version".to_owned(), asked.to_owned());
        let outcome = job.run();
        assert_eq!(outcome.status == 0, !got.is_empty(), "{asked}: {outcome:?}");
        assert_eq!(outcome.log.starts_with(&format!("argocd-jobs {got}\n")), !got.is_empty(), "{asked}: {outcome:?}");
    }
}

#[test]
fn a_program_of_the_machine_has_to_be_this_one() {
    if !can_run() {
        return;
    }
    for (binary, wanted) in [
        ("no/such/program", "there is no program `no/such/program`"),
        ("cd", "there is no program `cd`"),
        ("git", "is not an argocd-jobs that runs on this machine"),
        ("a/x.yaml", "there is no program `a/x.yaml`"),
    ] {
        let outcome = job().with("binary", binary).run();
        assert!(outcome.status == 2 && outcome.log.contains(wanted), "{outcome:?}");
    }
}

#[test]
fn it_does_not_run_where_a_stranger_would_get_a_token() {
    if !can_run() {
        return;
    }
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[]);
    job.github["event_name"] = json!("pull_request_target");
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.ran.as_slice()), (2, &["install".to_owned()][..]), "{outcome:?}");
    assert!(outcome.log.contains("this action does not run on `pull_request_target`"), "{outcome:?}");
}
