//! `argocd-jobs test` where it writes files. Golden cases in `test/` cover the rest, and `.ci/run` runs the command
//! on all cases.

mod trust;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::plain::Plain;
use crate::support::program;
use crate::support::scratch::Scratch;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      \
                   containers: [{name: migrate, image: shop/migrate:1}]\n      restartPolicy: Never\n";

/// Runs `test` with `arguments` in `dir`; returns the exit status, standard output and standard error.
fn test(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = program::program(dir);
    command.arg("test").args(arguments);
    let output = program::run(command, b"");
    (output.status, output.text(), output.stderr)
}

#[test]
fn update_writes_what_comes_out_and_removes_what_is_empty() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    scratch.write("tests/good/in/job.yaml", JOB);
    scratch.write("tests/new/in/job.yaml", JOB);
    scratch.write("tests/refused/case", "generate\n");
    scratch.write("tests/refused/in/job.yaml", JOB);
    scratch.write("tests/refused/in/.argocd-jobs.yaml", "strategy: hok\n");
    scratch.write("tests/refused/stdout.yml", "old\n");
    scratch.write("tests/explains/case", "discover\n");
    scratch.write("tests/explains/in/.argocd-jobs.yaml", "");
    scratch.write("tests/explains/stderr.txt", "");

    let (status, stdout, stderr) = test(&dir, &["tests", "--filter", "good", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert_eq!(stdout, "tests/good/stdout.yaml: written\n1 case: 0 as expected, 1 updated\n");

    let (status, stdout, stderr) = test(&dir, &["tests", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert_eq!(
        stdout,
        "tests/explains/stdout.txt: written\ntests/explains/stderr.txt: removed\ntests/new/stdout.yaml: written\n\
         tests/refused/stdout.yml: removed\ntests/refused/stderr.txt: written\ntests/refused/status: written\n\
         4 cases: 1 as expected, 3 updated\n"
    );
    let read = |path: &str| fs::read_to_string(dir.join(path)).unwrap();
    assert!(read("tests/new/stdout.yaml").contains("\n  name: migrate-t5f75288t5\n"));
    assert!(read("tests/refused/stderr.txt").contains("did you mean `hook`?"));
    assert_eq!(read("tests/refused/status"), "2\n");
    assert!(!dir.join("tests/refused/stdout.yml").exists() && !dir.join("tests/explains/stderr.txt").exists());

    let (status, stdout, _) = test(&dir, &["tests"]);
    assert_eq!((status, stdout.as_str()), (Some(0), "4 cases: 4 as expected\n"));
}

#[test]
fn links_do_not_leave_the_repository_and_nothing_is_written_through_them() {
    let scratch = Scratch::new();
    let outside = Scratch::new();
    let dir = scratch.source();
    let job = outside.write("job.yaml", JOB);
    let expected = outside.write("stdout.yaml", "theirs\n");
    scratch.write("tests/a/case", "# shows\ngenerate\n");
    symlink(outside.source(), dir.join("tests/a/in")).unwrap();
    scratch.write("tests/b/case", "generate -\n< job.yaml\n");
    symlink(job, dir.join("tests/b/job.yaml")).unwrap();
    scratch.write("tests/c/in/job.yaml", JOB);
    symlink(&expected, dir.join("tests/c/stdout.yaml")).unwrap();
    symlink(outside.source(), dir.join("tests/d")).unwrap();
    scratch.write("tests/e/stdout.yaml", "what was expected before the folder went away\n");
    symlink("../nothing/in", dir.join("tests/e/in")).unwrap();

    let (status, stdout, stderr) = test(&dir, &["tests", "--update"]);
    assert_eq!((status, stdout.as_str()), (Some(2), "4 cases: 0 as expected, 4 broken\n"));
    assert_eq!(
        stderr,
        "tests/a/in: this symlink leads out of the repository, whose root is `..`\n\
         help: point the symlink to a folder inside it, or replace the symlink with a copy of the manifests\n\
         tests/b/case:2:3: `job.yaml` is outside the repository, whose root is `..`\n\
         help: put a copy into the folder that contains `case`\n\
         tests/c/stdout.yaml: not a regular file\n\
         help: a case reads and writes only regular files; replace it\n\
         tests/e/in: not a directory\nhelp: `in` is the folder with the manifests of a case\n"
    );
    assert_eq!(fs::read_to_string(expected).unwrap(), "theirs\n");
}

#[test]
fn the_environment_of_the_caller_is_not_that_of_a_case() {
    let scratch = Scratch::new();
    scratch.write("tests/new/in/job.yaml", JOB);
    let run = |arguments: &[&str]| {
        let mut command = program::program(&scratch.source());
        command.args(["test", "tests"]).args(arguments).env("ARGOCD_JOBS_STRATEGY", "keep");
        program::run(command, b"").status
    };
    assert_eq!(run(&["--update"]), Some(0));
    let written = fs::read_to_string(scratch.source().join("tests/new/stdout.yaml")).unwrap();
    assert!(written.contains("migrate-t5f75288t5"), "{written}");
    assert_eq!(run(&[]), Some(0));
}

#[test]
fn a_broken_case_is_never_written_down_and_keeps_no_other_from_being_run() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    scratch.write("tests/broken/case", "generate --strategy hok\n");
    scratch.write("tests/broken/in/job.yaml", JOB);
    // The config file is refused first, but the mistake in the case is reported nevertheless.
    scratch.write("tests/both/case", "# shows\nARGOCD_ENV_ARGOCD_JOBS_TTL=1h\n");
    scratch.write("tests/both/in/.argocd-jobs.yaml", "strategy: hok\n");
    scratch.write("tests/old/case", "generat\n");
    scratch.write("tests/old/stdout.txt", "what was expected\n");
    scratch.write("tests/good/in/job.yaml", JOB);
    let broken = "tests/both/case:2:28: environment variable `ARGOCD_ENV_ARGOCD_JOBS_TTL`: invalid value `1h`, ";
    for (arguments, summary) in [
        (
            &["tests"][..],
            "tests/good: no expectation yet; `--update` writes it\n4 cases: 0 as expected, 1 without expectation, 3 broken\n",
        ),
        (&["tests", "--update"], "tests/good/stdout.yaml: written\n4 cases: 0 as expected, 1 updated, 3 broken\n"),
        (&["tests", "--update"], "4 cases: 1 as expected, 3 broken\n"),
    ] {
        let (status, stdout, stderr) = test(&dir, arguments);
        assert_eq!((status, stdout.as_str()), (Some(2), summary));
        assert!(stderr.starts_with(broken), "{stderr}");
        assert!(stderr.contains("\ntests/broken/case:1:21: flag `--strategy`: invalid value `hok`, "), "{stderr}");
        assert!(stderr.contains("\nhelp: did you mean `hook`?\ntests/old/case:1:1: "), "{stderr}");
    }
    assert_eq!(fs::read_to_string(dir.join("tests/old/stdout.txt")).unwrap(), "what was expected\n");
    for (case, files) in [("broken", 2), ("both", 2), ("old", 2)] {
        assert_eq!(fs::read_dir(dir.join("tests").join(case)).unwrap().count(), files, "{case}");
    }
}

/// Without a checkout a link may lead to what is in the working directory, or in the folder that is named with it.
#[test]
fn without_a_repository_folders_that_are_named_together_belong_together() {
    let plain = Plain::new();
    plain.write("all/base/job.yaml", JOB);
    plain.link("all/overlay/linked.yaml", "../base/job.yaml");
    plain.link("all/away/linked.yaml", "../../secret.yaml");
    plain.write("secret.yaml", JOB);
    let check = |dir: &str, path: &str| {
        let mut command = program::program(&plain.path().join(dir));
        command.args(["check", path]);
        let output = program::run(command, b"");
        output.text() + &output.stderr
    };
    for (dir, path) in [("all", "."), ("all", "overlay"), ("all/away", ".."), ("", "all")] {
        let told = check(dir, path);
        assert!(told.contains("overlay/linked.yaml:4:9"), "{path} in {dir}: {told}");
    }
    assert!(check("all", "away").contains("away/linked.yaml: this symlink leads out"));
    assert!(check("all/away", "../overlay").contains("overlay/linked.yaml: this symlink leads out"));
}

#[test]
fn without_a_repository_the_error_says_which_folder_counts() {
    let plain = Plain::new();
    plain.write("base/job.yaml", JOB);
    plain.link("tests/a/in", "../../base");
    let (status, _, stderr) = test(&plain.path().join("tests"), &["."]);
    assert_eq!(status, Some(2));
    assert_eq!(
        stderr,
        "a/in: this symlink leads out of `.`, which counts as the repository because there is no `.git` in it or \
         above it\nhelp: point the symlink to a folder inside it, or replace the symlink with a copy of the manifests\n"
    );
    // The working directory contains both.
    assert_eq!(test(plain.path(), &["tests", "--update"]).0, Some(0));
    fs::create_dir(plain.path().join(".git")).unwrap();
    assert_eq!(test(plain.path(), &["tests"]).0, Some(0));
}
