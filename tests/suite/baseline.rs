//! `preview --baseline --write` and the config file: what is written, that the Jobs then keep their names, and which
//! files are not changed.

use std::fs;
use std::path::Path;

use checkout::{NotReplaced, create};

use crate::support::program::{Output, program, run};
use crate::support::scratch::Scratch;

/// Two Jobs; one of them has a namespace.
fn jobs(tag: &str) -> String {
    let job = |name: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{{name}}}\nspec:\n  template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: 'a:{tag}'}}]}}}}\n"
        )
    };
    format!("{}---\n{}", job("name: a"), job("name: b, namespace: other"))
}

fn preview(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = program(dir);
    command.env("ARGOCD_APP_NAMESPACE", "shop").arg("preview").args(arguments).arg("--baseline");
    run(command, b"")
}

fn write(dir: &Path) -> Output {
    preview(dir, &["--write"])
}

/// The names of the Jobs in the output of `generate`.
fn names(dir: &Path) -> Vec<String> {
    let mut command = program(dir);
    command.env("ARGOCD_APP_NAMESPACE", "shop").arg("generate");
    let text = run(command, b"").text();
    text.lines().filter_map(|line| line.strip_prefix("metadata: {name: ")).map(ToOwned::to_owned).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_run_makes_the_file_and_the_next_one_changes_only_what_has_changed() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    let config = dir.join(".argocd-jobs.yaml");
    scratch.write("jobs.yaml", jobs("1"));
    let got = write(&dir);
    assert_eq!((got.status, got.text().as_str()), (Some(0), ".argocd-jobs.yaml: 2 Jobs added to the baseline\n"));
    let first = text(&config);
    assert_eq!(first, preview(&dir, &[]).text());
    assert_eq!(names(&dir), ["a}", "b, namespace: other}"], "no Job gets a new name");

    let got = write(&dir);
    assert_eq!((got.status, got.text().as_str()), (Some(0), "nothing to write: the baseline is up to date\n"));
    assert_eq!(text(&config), first);

    let kept = format!("# live since 1.0\nttl: 60 # s\n{first}  shop/gone: gh2k456789\n# end");
    fs::write(&config, &kept).unwrap();
    scratch.write("jobs.yaml", jobs("2"));
    assert!(names(&dir).iter().all(|name| name.contains('-')), "both have new names");
    let got = write(&dir);
    assert_eq!((got.status, got.text().as_str()), (Some(0), ".argocd-jobs.yaml: 2 Jobs changed in the baseline\n"));
    let second = text(&config);
    assert_ne!(second, kept);
    let without_hashes = |text: &str| text.split('"').step_by(2).collect::<String>();
    assert_eq!(without_hashes(&second), without_hashes(&kept));
    assert_eq!(names(&dir), ["a}", "b, namespace: other}"]);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "nothing is left beside the files");
}

#[test]
fn byte_order_marks_and_line_ends_stay() {
    for before in ["\u{feff}ttl: 60\r\n# end\r\n", "ttl: 60", "\u{feff}", "# é\r\n\r\nbaseline: {}\r\n"] {
        let scratch = Scratch::new();
        scratch.write("jobs.yaml", jobs("1"));
        let config = scratch.write(".argocd-jobs.yaml", before);
        let got = write(&scratch.source());
        assert_eq!(got.status, Some(0), "{before:?}: {}", got.stderr);
        let after = text(&config);
        let kept = before.trim_end_matches(['\r', '\n']).trim_end_matches(" {}");
        assert!(after.starts_with(kept), "{after:?}");
        assert_eq!(after.matches("\r\n").count() == after.matches('\n').count(), before.contains('\r'), "{after:?}");
        assert_eq!(names(&scratch.source()), ["a}", "b, namespace: other}"]);
        assert!(write(&scratch.source()).text().starts_with("nothing to write"));
    }
}

#[test]
fn a_diff_writes_nothing_and_its_status_says_whether_there_is_one() {
    let scratch = Scratch::new();
    let dir = scratch.source();
    scratch.write("jobs.yaml", jobs("1"));
    for arguments in [&["--write", "--diff", "always"][..], &["--diff=always"]] {
        let got = preview(&dir, arguments);
        assert_eq!(got.status, Some(1));
        assert!(got.text().starts_with("--- .argocd-jobs.yaml\n+++ .argocd-jobs.yaml\n@@"), "{}", got.text());
        assert!(!dir.join(".argocd-jobs.yaml").exists());
    }
    write(&dir);
    let got = preview(&dir, &["--write", "--diff=always"]);
    assert_eq!((got.status, got.text().as_str()), (Some(0), ""));
    scratch.write("jobs.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n");
    let got = write(&dir);
    assert_eq!(got.text(), "nothing to write: no Job has the strategy `hash-name`\n");
}

#[test]
fn what_has_no_config_file_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("jobs.yaml", jobs("1"));
    for arguments in [&["--write", "-"][..], &["--write", "jobs.yaml"], &["--write", ".", "."], &["--write", "none"]] {
        let got = preview(&scratch.source(), arguments);
        assert_eq!((got.status, got.text()), (Some(2), String::new()), "{arguments:?}: {}", got.stderr);
    }
    let mut command = program(&scratch.source());
    command.args(["preview", "--write"]);
    let got = run(command, b"");
    assert!(got.status == Some(2) && got.stderr.starts_with("`--baseline` is missing\n"), "{}", got.stderr);
    for mode in ["--in-a-case=judged", "--in-a-case=on-purpose"] {
        let mut command = program(&scratch.source());
        command.args([mode, "preview", "--baseline", "--write"]);
        let got = run(command, b"");
        assert!(got.stderr.contains("cannot write files in a test case"), "{}", got.stderr);
    }
    assert!(!scratch.source().join(".argocd-jobs.yaml").exists());
}

#[test]
fn no_file_is_written_that_is_too_large_to_be_read() {
    let scratch = Scratch::new();
    scratch.write("jobs.yaml", jobs("1"));
    let before = format!("# {}\n", "x".repeat((256 << 10) - 20));
    let config = scratch.write(".argocd-jobs.yaml", &before);
    let got = write(&scratch.source());
    assert_eq!((got.status, got.text()), (Some(2), String::new()), "{}", got.stderr);
    let wanted = ".argocd-jobs.yaml: not written: it would be larger than 256 KiB\n";
    assert!(got.stderr.starts_with(wanted), "{}", got.stderr);
    assert_eq!(text(&config), before);
}

#[test]
fn a_new_file_takes_nobodys_place() {
    let scratch = Scratch::new();
    let file = scratch.write("a", "mine");
    assert!(matches!(create(&file, "new"), Err(NotReplaced::Changed)));
    assert_eq!(text(&file), "mine");
    assert!(matches!(create(&scratch.source().join("none/a"), "new"), Err(NotReplaced::System(_))));
    let git = scratch.source().join("../.git/a");
    assert!(matches!(create(&git, "new"), Err(NotReplaced::Git)));
    scratch.write("c/Chart.yaml", "name: c\n");
    fs::create_dir(scratch.source().join("c/templates")).unwrap();
    assert!(matches!(create(&scratch.source().join("c/templates/a"), "new"), Err(NotReplaced::Template)));
    create(&scratch.source().join("b"), "new").unwrap();
    assert_eq!(text(&scratch.source().join("b")), "new");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Runs in `dir` and returns the message. The run must be refused without output.
    fn refusal(dir: &Path, arguments: &[&str]) -> String {
        let got = preview(dir, arguments);
        assert_eq!((got.status, got.text()), (Some(2), String::new()), "{}", got.stderr);
        assert!(got.stderr.contains("help: copy what `argocd-jobs preview --baseline` prints"), "{}", got.stderr);
        got.stderr
    }

    #[test]
    fn nothing_is_written_through_a_symlink() {
        let scratch = Scratch::new();
        scratch.write("a/jobs.yaml", jobs("1"));
        let real = scratch.write("real.yaml", "ttl: 60\n");
        let config = scratch.source().join("a/.argocd-jobs.yaml");
        symlink("../real.yaml", &config).unwrap();
        for arguments in [&["--write", "a"][..], &["--diff=always", "a"]] {
            assert!(refusal(&scratch.source(), arguments).contains("not written: a symlink leads to it"));
        }
        fs::remove_file(&config).unwrap();
        symlink("nothing", &config).unwrap();
        assert_eq!(preview(&scratch.source(), &["--write", "a"]).status, Some(2));
        assert!(fs::symlink_metadata(&config).unwrap().is_symlink());
        fs::remove_file(&config).unwrap();
        symlink("a", scratch.source().join("folder")).unwrap();
        assert!(refusal(&scratch.source(), &["--write", "folder"]).contains("a symlink leads to it"));
        fs::create_dir_all(scratch.source().join("b/c")).unwrap();
        symlink("../b/c", scratch.source().join("a/link")).unwrap();
        scratch.write("b/jobs.yaml", jobs("2"));
        assert!(refusal(&scratch.source(), &["--write", "a/link/.."]).contains("a symlink leads to it"));
        assert_eq!(text(&real), "ttl: 60\n");
        assert!(!config.exists() && !scratch.source().join("a/nothing").exists());
    }

    #[test]
    fn files_with_two_names_and_read_only_ones_are_left() {
        let scratch = Scratch::new();
        scratch.write("jobs.yaml", jobs("1"));
        let config = scratch.write(".argocd-jobs.yaml", "ttl: 60\n");
        let other = scratch.source().join("other");
        fs::hard_link(&config, &other).unwrap();
        assert!(refusal(&scratch.source(), &["--write"]).contains("it has another name (a hard link)"));
        fs::remove_file(&other).unwrap();
        fs::set_permissions(&config, fs::Permissions::from_mode(0o444)).unwrap();
        let message = refusal(&scratch.source(), &["--write"]);
        assert!(message.starts_with(".argocd-jobs.yaml: not written: it is read-only\n"), "{message}");
        assert_eq!(text(&config), "ttl: 60\n");
        fs::set_permissions(&config, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(write(&scratch.source()).status, Some(0));
        assert_eq!(fs::metadata(&config).unwrap().permissions().mode() & 0o7777, 0o640);
    }
}
