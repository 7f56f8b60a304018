//! What a case must not do, because a pull request can write it: start a program, set a variable that names one, read
//! outside of the repository.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use checkout::Tools;
use golden::Request;
use system::{PathText, canonical};

use super::JOB;
use crate::support::plain::Plain;
use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

fn real_path() -> OsString {
    switches::path()
}

/// Runs `test` with `arguments` in `dir`; returns the exit status, standard output and standard error.
fn test(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    test_with(real_path(), dir, arguments)
}

fn test_with(path: OsString, dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = program::program(dir);
    command.arg("test").args(arguments).env("PATH", path);
    let output = program::run(command, b"");
    (output.status, output.text(), output.stderr)
}

/// Makes a `git` that creates the file `started` when it is run.
fn own_git(path: &Path, started: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n: > '{}'\nexit 1\n", started.shown())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const CAN_SET: &str = "help: a case can set `ARGOCD_APP_*`, `ARGOCD_ENV_*`, `KUBE_VERSION`, `KUBE_API_VERSIONS`, `NO_COLOR`, `TERM`, `COLUMNS`, \
                       `ARGOCD_JOBS_LOCK`, and `ARGOCD_JOBS_*` for the parameters that an Application can set\n";

#[test]
fn a_case_starts_nothing_that_the_repository_brings() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    let started = dir.join("started");
    own_git(&dir.join("tests/path/in/git"), &started);
    scratch.write("tests/path/in/job.yaml", JOB);
    scratch.write("tests/path/case", "# shows\nPATH=.\npreview --base HEAD\n");
    scratch.write("tests/preload/in/job.yaml", JOB);
    // The dynamic linker obeys this variable, like `LD_PRELOAD`, and writes a file.
    scratch.write("tests/preload/case", format!("LD_DEBUG=libs\nLD_DEBUG_OUTPUT={}\n", started.shown()));
    for arguments in [&["tests"][..], &["tests", "--update"]] {
        let (status, stdout, stderr) = test(&dir, arguments);
        assert_eq!((status, stdout.as_str()), (Some(2), "2 cases: 0 as expected, 2 broken\n"));
        assert_eq!(
            stderr,
            format!(
                "tests/path/case:2:1: the variable `PATH` cannot be set in a case\n{CAN_SET}\
                 tests/preload/case:1:1: the variable `LD_DEBUG` cannot be set in a case\n{CAN_SET}"
            )
        );
        let found: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(found, ["tests"]);
    }
}

#[test]
fn a_case_compares_with_a_revision_by_the_git_of_the_machine() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    scratch.write("tests/base/in/job.yaml", JOB);
    scratch.write("tests/base/case", "preview --plugin --base HEAD\n");
    scratch.write("tests/base/stdout.txt", "nothing yet\n");
    commit(&dir);
    scratch.write("tests/base/in/job.yaml", JOB.replace("migrate:1", "migrate:2"));
    let started = dir.with_file_name("started");
    own_git(&dir.join("tools/git"), &started);
    own_git(&dir.join("tests/base/in/git"), &started);
    symlink(dir.join("tools"), dir.with_file_name("linked")).unwrap();
    let first = |entry: &Path| [entry.as_os_str(), &real_path()].join(std::ffi::OsStr::new(":"));
    assert_eq!(test(&dir, &["tests", "--update"]).0, Some(0));
    let written = fs::read_to_string(dir.join("tests/base/stdout.txt")).unwrap();
    assert!(written.starts_with("1 Job runs again.\n"), "{written}");
    for entry in [Path::new("."), Path::new(""), Path::new("tools"), &dir.join("tools"), &dir.with_file_name("linked")]
    {
        let told = test_with(first(entry), &dir, &["tests"]);
        assert_eq!(told, (Some(0), "1 case: 1 as expected\n".to_owned(), String::new()), "{}", entry.shown());
    }
    for arguments in [&["tests"][..], &["tests", "--update"]] {
        let (status, stdout, stderr) = test_with(dir.join("tools").into(), &dir, arguments);
        assert_eq!((status, stdout.as_str()), (Some(2), "1 case: 0 as expected, 1 broken\n"));
        assert!(stderr.starts_with("tests/base: .: no usable `git` on PATH\nhelp: "), "{stderr}");
    }
    assert_eq!(fs::read_to_string(dir.join("tests/base/stdout.txt")).unwrap(), written);
    assert!(!started.exists());
}

#[test]
fn nothing_of_the_callers_environment_but_path_reaches_a_case() {
    let scratch = Scratch::new();
    let dir = canonical(scratch.source()).unwrap();
    let program = dir.with_file_name("program");
    fs::write(&program, "#!/bin/sh\n/usr/bin/env\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.write("tests/a/case", "TERM=dumb\n");
    fs::create_dir_all(dir.join("tools")).unwrap();
    symlink(dir.join("tools"), dir.with_file_name("linked")).unwrap();
    let inside = dir.join("tools");
    let linked = dir.with_file_name("linked");
    let relative = "../".repeat(40) + "usr/bin";
    let path = format!("/usr/bin:tools::.:{relative}:{}:{}:/gone:/bin", inside.shown(), linked.shown());
    let environment = [("PATH", path.as_str()), ("HOME", "/root"), ("GIT_DIR", "x"), ("LD_PRELOAD", "x")];
    let tools = Tools::of(&environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    let tests = dir.join("tests");
    let limit = Duration::from_secs(60);
    golden::run(&Request {
        dir: &tests,
        filter: "",
        program: &program,
        tools: &tools,
        limit,
        update: true,
        in_a_case: false,
    })
    .unwrap();
    let written = fs::read_to_string(dir.join("tests/a/stdout.yaml")).unwrap();
    // The shell sets these variables itself.
    let mut set: Vec<&str> = written
        .lines()
        .filter(|line| !["PWD=", "SHLVL=", "_=", "OLDPWD="].iter().any(|own| line.starts_with(own)))
        .collect();
    set.sort_unstable();
    assert_eq!(set, ["PATH=/usr/bin:/bin", "TERM=dumb"]);
}

#[test]
fn a_case_does_not_widen_its_root() {
    let plain = Plain::new();
    let name = plain.path().file_name().unwrap().to_str().unwrap().to_owned();
    plain.write("secret.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: topsecret}\n");
    plain.write("config.yaml", "topsecret: 1\n");
    plain.write("tests/link/case", &format!("ARGOCD_APP_SOURCE_PATH={name}/tests/link/in\ngenerate\n"));
    plain.link("tests/link/in/m.yaml", "../../../secret.yaml");
    plain.write("tests/inner/case", &format!("ARGOCD_APP_SOURCE_PATH={name}/tests/inner/in\ngenerate below\n"));
    plain.link("tests/inner/in/below/m.yaml", "../../../../secret.yaml");
    plain.write("tests/config/case", &format!("ARGOCD_APP_SOURCE_PATH={name}/tests/config/in\nparameters\n"));
    plain.link("tests/config/in/.argocd-jobs.yaml", "../../../config.yaml");
    plain.write("tests/base/case", &format!("ARGOCD_APP_SOURCE_PATH={name}/tests/base/in\npreview new --base old\n"));
    plain.link("tests/base/in/old/m.yaml", "../../../../secret.yaml");
    plain.write("tests/base/in/new/m.yaml", JOB);
    let (status, stdout, stderr) = test(plain.path(), &["tests", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""), "{stdout}");
    for (case, file) in
        [("link", "m.yaml"), ("inner", "below/m.yaml"), ("config", ".argocd-jobs.yaml"), ("base", "old/m.yaml")]
    {
        let told = fs::read_to_string(plain.path().join("tests").join(case).join("stderr.txt")).unwrap_or_default();
        // A base that cannot be read is a note.
        assert!(told.contains(&format!("{file}: this symlink leads out of the repository")), "{case}: {told}");
        assert!(!plain.path().join("tests").join(case).join("stdout.yaml").exists(), "{case}");
    }
}

#[test]
fn in_a_repository_links_of_a_case_do_not_leave_it_either() {
    let plain = Plain::new();
    fs::create_dir_all(plain.path().join("repo/.git")).unwrap();
    plain.write("secret.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: topsecret}\n");
    plain.write("repo/tests/dir/case", "ARGOCD_APP_SOURCE_PATH=repo/tests/dir/in\ngenerate below --recurse\n");
    plain.link("repo/tests/dir/in/below/deeper/m.yaml", "../../../../../../secret.yaml");
    plain.write("repo/tests/config/case", "generate\n");
    plain.link("repo/tests/config/in/.argocd-jobs.yaml", "../../../../secret.yaml");
    let (status, stdout, stderr) = test(&plain.path().join("repo"), &["tests", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""), "{stdout}");
    for (case, file) in [("dir", "below/deeper/m.yaml"), ("config", ".argocd-jobs.yaml")] {
        let told =
            fs::read_to_string(plain.path().join("repo/tests").join(case).join("stderr.txt")).unwrap_or_default();
        assert!(told.contains(&format!("{file}: this symlink leads out of the repository")), "{case}: {told}");
    }
}

const HELP: &str = "help: every argument of a case is checked as a path: it must not be absolute, and no `..` or symlink in it may lead out of the repository or into `.git`\n";

#[test]
fn arguments_are_seen_from_where_the_link_in_leads() {
    let plain = Plain::new();
    fs::create_dir_all(plain.path().join("repo/.git")).unwrap();
    plain.write("repo/m.yaml", JOB);
    plain.write("repo/a/m.yaml", JOB);
    plain.write("repo/deep/er/and/deeper/m.yaml", JOB);
    // Relative to the link itself, this path would lead above the repository.
    plain.link("repo/tests/far/in", "../../deep/er/and/deeper");
    plain.write("repo/tests/far/case", "generate ../../../..\n");
    // These paths would not.
    plain.link("repo/tests/near/in", "../../a");
    plain.write("repo/tests/near/case", "# shows\n\ngenerate\n  ../..\n");
    plain.link("repo/tests/nothing/in", "../../a");
    plain.write("repo/tests/nothing/case", "generate ../../nothing\n");
    let (status, _, stderr) = test(&plain.path().join("repo"), &["tests"]);
    assert_eq!(status, Some(2));
    assert_eq!(
        stderr,
        format!(
            "tests/near/case:4:3: `../..` is not a relative path inside the repository\n{HELP}\
             tests/nothing/case:1:10: `../../nothing` is not a relative path inside the repository\n{HELP}"
        )
    );
    let (status, stdout, stderr) = test(&plain.path().join("repo"), &["tests", "--filter", "far", "--update"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""), "{stdout}");
    let written = fs::read_to_string(plain.path().join("repo/tests/far/stdout.yaml")).unwrap();
    assert!(written.contains("migrate-t5f75288t5"), "{written}");
}

#[test]
fn a_case_that_tests_is_bound_by_the_same_rules() {
    let plain = Plain::new();
    plain.write("secret/m.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: topsecret}\n");
    plain.write("tests/outer/case", "test inner\n");
    plain.write("tests/outer/in/inner/path/case", "PATH=.\n");
    plain.write("tests/outer/in/inner/up/case", "generate ../../../../../../secret\n");
    let name = plain.path().file_name().unwrap().to_str().unwrap();
    let wide = format!("ARGOCD_APP_SOURCE_PATH={name}/tests/other/in/inner/link/in\n");
    plain.write("tests/other/case", "test inner\n");
    plain.write("tests/other/in/inner/link/case", &wide);
    plain.link("tests/other/in/inner/link/in/m.yaml", "../../../../../../secret/m.yaml");
    plain.write("tests/other/in/inner/link/stdout.yaml", "nothing\n");
    assert_eq!(test(plain.path(), &["tests", "--update"]).0, Some(0));
    let read = |path: &str| fs::read_to_string(plain.path().join(path)).unwrap_or_default();
    assert_eq!(
        read("tests/outer/stderr.txt"),
        format!(
            "inner/path/case:1:1: the variable `PATH` cannot be set in a case\n{CAN_SET}\
             inner/up/case:1:10: `../../../../../../secret` is not a relative path inside the repository\n{HELP}"
        )
    );
    let told = read("tests/other/stdout.txt");
    assert!(told.contains("\n+m.yaml: this symlink leads out of the repository\n"), "{told}");
    assert!(!told.contains("topsecret"), "{told}");
}

#[test]
fn a_case_cannot_hide_that_it_is_one() {
    let plain = Plain::new();
    for (number, line) in [
        "--in-a-case test inner --update",
        "--in-a-case=judged test inner --update",
        "--in-a-case=on-purpose test inner --update",
        "--in-a-case=false test inner --update",
        "--in-a-case test inner",
        "test inner --in-a-case",
        "-- test inner --update",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("tests/{number}");
        plain.write(&format!("{name}/case"), line);
        plain.write(&format!("{name}/in/inner/a/in/m.yaml"), JOB);
        assert_eq!(test(plain.path(), &[&name, "--update"]).0, Some(2));
        assert!(!plain.path().join(format!("{name}/in/inner/a/stdout.yaml")).exists(), "{line}");
        // The same holds for a case with the mark `!`.
        plain.write(&format!("{name}/case"), &format!("! {line}"));
        assert_eq!(test(plain.path(), &[&name, "--update"]).0, Some(0));
        assert!(!plain.path().join(format!("{name}/in/inner/a/stdout.yaml")).exists(), "{line}");
        assert_eq!(fs::read_to_string(plain.path().join(&name).join("status")).unwrap(), "2\n", "{line}");
    }
}

#[test]
fn what_git_keeps_is_not_read() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    fs::write(dir.join("../.git/config"), JOB).unwrap();
    scratch.write("tests/argument/case", "generate ../../../../.git\n");
    scratch.write("tests/argument/in/a.yaml", JOB);
    scratch.write("tests/input/case", "generate -\n< ../../../.git/config\n");
    fs::create_dir_all(dir.join("tests/link")).unwrap();
    symlink("../../../.git", dir.join("tests/link/in")).unwrap();
    let (status, stdout, stderr) = test(&dir, &["tests"]);
    assert_eq!((status, stdout.as_str()), (Some(2), "3 cases: 0 as expected, 3 broken\n"));
    let help = "help: every argument of a case is checked as a path: it must not be absolute, and no `..` or symlink in it may lead out of the repository or into `.git`";
    assert_eq!(
        stderr,
        format!(
            "tests/argument/case:1:10: `../../../../.git` is not a relative path inside the repository\n{help}\n\
             tests/input/case:2:3: `../../../.git/config` is outside the repository, whose root is `..`\n\
             help: put a copy into the folder that contains `case`\n\
             tests/link/in: this symlink leads out of the repository, whose root is `..`\n\
             help: point the symlink to a folder inside it, or replace the symlink with a copy of the manifests\n"
        )
    );

    scratch.write("app/a.yaml", JOB);
    symlink("../../.git/config", dir.join("app/token.yaml")).unwrap();
    let mut command = program::program(&dir);
    command.args(["check", "app"]);
    let output = program::run(command, b"");
    assert_eq!(output.status, Some(2), "{}", output.text());
    assert!(
        output.stderr.starts_with("app/token.yaml: this symlink leads out of the repository\n"),
        "{}",
        output.stderr
    );
}
