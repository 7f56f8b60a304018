//! `--fix` and files: which files it writes, and which it never does.

use std::fs;
use std::path::{Path, PathBuf};

use checkout::{NotReplaced, check_replaceable, replace};
use serde_json::Value as Json;

use crate::support::program::{Output, program, run};
use crate::support::scratch::Scratch;

/// A hook with a misspelled type, so Argo CD never applies it.
const HOOK: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  annotations: {argocd.argoproj.io/hook: presync}\nspec:\n  activeDeadlineSeconds: 60\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}}\n";

/// The hook after the fix.
fn right() -> String {
    HOOK.replace("presync", "PreSync")
}

fn check(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = program(dir);
    command.arg("check").args(arguments);
    run(command, b"")
}

/// All files below a folder with their bytes, without `.git`.
fn tree(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn files_of_folders_and_files_that_are_named_are_written() {
    for paths in
        [&["."][..], &["apps"], &["apps", "other"], &["apps/job.yaml", "other/x"], &["./apps/../apps", "other"]]
    {
        let scratch = Scratch::new();
        let job = scratch.write("apps/job.yaml", HOOK);
        let other = scratch.write("other/x/job.yml", HOOK);
        let config = scratch.write("apps/config.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\n");
        let outside = scratch.write("outside/job.yaml", HOOK);
        let before = text(&config);
        let got = check(&scratch.source(), &[paths, &["--fix"]].concat());
        assert_eq!(got.status, Some(0), "{paths:?}: {}{}", got.text(), got.stderr);
        assert!(got.text().contains("fixed[unknown-hook]: unknown hook type `presync`"), "{}", got.text());
        assert_eq!(text(&job), right(), "{paths:?}");
        let names_other = paths.iter().any(|path| path.starts_with("other")) || *paths == ["."];
        assert_eq!(text(&other) == right(), names_other, "{paths:?}");
        assert_eq!(text(&outside) == right(), *paths == ["."], "{paths:?}");
        assert_eq!(text(&config), before);
        let files = tree(&scratch.source()).len();
        assert_eq!(files, 4, "no file is left beside the others");
        let again = check(&scratch.source(), &[paths, &["--fix"]].concat());
        assert!(again.text().contains("nothing fixed"), "{}", again.text());
    }
}

#[test]
fn a_diff_writes_nothing_and_its_status_says_whether_there_is_one() {
    let scratch = Scratch::new();
    let job = scratch.write("job.yaml", HOOK);
    for arguments in [&["--diff"][..], &["--fix", "--diff"], &["--fix=all", "--diff"], &["--fix=safe", "--diff", "."]] {
        let got = check(&scratch.source(), arguments);
        assert_eq!(got.status, Some(1));
        let wanted = "--- job.yaml\n+++ job.yaml\n@@ -2,7 +2,7 @@\n";
        assert!(got.text().starts_with(wanted), "{}", got.text());
        assert_eq!(got.text().lines().filter(|line| line.starts_with(['-', '+'])).count(), 4);
        assert_eq!(text(&job), HOOK);
    }
    check(&scratch.source(), &["--fix"]);
    let got = check(&scratch.source(), &["--diff"]);
    assert_eq!((got.status, got.text().as_str()), (Some(0), ""));
    let mut command = program(&scratch.source());
    command.args(["check", "--diff", "-"]);
    let got = run(command, HOOK.as_bytes());
    assert!(got.text().starts_with("--- <stdin>\n+++ <stdin>\n"), "{}", got.text());
}

#[test]
fn standard_input_and_cases_are_not_written() {
    let scratch = Scratch::new();
    let job = scratch.write("job.yaml", HOOK);
    let got = check(&scratch.source(), &["--fix", "-"]);
    assert!(got.status == Some(2) && got.stderr.contains("cannot write standard input"), "{}", got.stderr);
    let got = check(&scratch.source(), &["--fix", "--base", "."]);
    assert_eq!(got.status, Some(2));
    for mode in ["--in-a-case=judged", "--in-a-case=on-purpose"] {
        let mut command = program(&scratch.source());
        command.args([mode, "check", "--fix"]);
        let got = run(command, b"");
        assert!(got.status != Some(0) && got.stderr.contains("does not write files in a case"), "{}", got.stderr);
    }
    assert_eq!(text(&job), HOOK);
}

#[test]
fn a_secret_beside_the_job_is_in_no_diff_and_in_no_report() {
    let secret =
        "kind: Secret\napiVersion: v1\nmetadata: {name: s, annotations: {n: 5}}\nstringData:\n  password: geheim\n";
    let list = format!(
        "kind: List\napiVersion: v1\nitems:\n{}{}",
        secret.replacen("kind", "- kind", 1).replace('\n', "\n  ").trim_end().to_owned() + "\n",
        HOOK.replacen("apiVersion", "- apiVersion", 1).replace('\n', "\n  ").trim_end()
    );
    let broken = format!("{HOOK}---\nkind: Secret\nstringData:\n  password: geheim\n  x: [\n");
    let texts =
        [format!("{secret}---\n{HOOK}"), format!("{HOOK}---\n{secret}"), list.replace("\n  - ", "\n- "), broken];
    for manifest in texts {
        let scratch = Scratch::new();
        let job = scratch.write("job.yaml", &manifest);
        for arguments in [&["--diff"][..], &["--format=sarif"], &["--format=json"], &["--fix"], &["--all"]] {
            let got = check(&scratch.source(), arguments);
            let all = got.text() + &got.stderr;
            assert!(!all.contains("geheim") && !all.contains("password"), "{all}");
            assert!(
                arguments != ["--diff"] || all.contains("+  annotations: ") || all.contains("+    annotations: "),
                "{all}"
            );
        }
        assert!(text(&job).contains("PreSync"), "{}", text(&job));
    }
}

#[test]
fn control_characters_and_odd_names_are_spelled_out() {
    let scratch = Scratch::new();
    let odd =
        HOOK.replace("name: a,", "name: \"\u{2029}a\", ").replace("kind: Job\n", "kind: Job # \u{1b}[31m\u{202e}\n");
    for name in ["a\nb.yaml", "\u{1b}[1m.yaml", "-x.yaml"] {
        scratch.write(name, &odd);
    }
    let got = check(&scratch.source(), &["--diff"]);
    let all = got.text() + &got.stderr;
    assert!(!all.contains(['\u{1b}', '\u{202e}', '\u{2029}']), "{all}");
}

#[test]
fn programs_learn_what_can_be_fixed_and_what_was() {
    let scratch = Scratch::new();
    scratch.write("é/job.yaml", format!("# é\n{HOOK}"));
    let read =
        |arguments: &[&str]| -> Json { serde_json::from_str(&check(&scratch.source(), arguments).text()).unwrap() };
    let report = read(&["é", "--format", "json"]);
    let edit = serde_json::json!({"line": 6, "column": 42, "endLine": 6, "endColumn": 49, "text": "PreSync"});
    assert_eq!(report["findings"][0]["fix"]["edits"], serde_json::json!([edit]));
    assert_eq!(report["findings"][0]["fix"]["safety"], "safe");
    let log = read(&["é", "--format", "sarif"]);
    let fix = &log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(fix["artifactLocation"]["uri"], "%C3%A9/job.yaml");
    assert_eq!(fix["replacements"][0]["deletedRegion"]["endColumn"], 49);
    assert_eq!(fix["replacements"][0]["insertedContent"]["text"], "PreSync");
    let report = read(&["é", "--format", "json", "--fix"]);
    assert_eq!(report["fixed"][0]["id"], "unknown-hook");
    assert_eq!(report["fixed"][0]["at"]["line"], 6);
    assert_eq!(read(&["é", "--format", "json", "--fix"])["fixed"], serde_json::json!([]));
}

#[test]
fn byte_order_marks_and_line_ends_stay_and_utf_16_is_left() {
    let scratch = Scratch::new();
    let marked = scratch.write("marked.yaml", format!("\u{feff}{HOOK}"));
    let windows = scratch.write("windows.yaml", HOOK.replace('\n', "\r\n"));
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(HOOK.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let wide_file = scratch.write("wide.yaml", &wide);
    let got = check(&scratch.source(), &["--fix"]);
    assert_eq!(text(&marked), format!("\u{feff}{}", right()));
    assert_eq!(text(&windows), right().replace('\n', "\r\n"));
    assert_eq!(fs::read(wide_file).unwrap(), wide);
    assert!(got.stderr.contains("`./wide.yaml` is left as it is: its text is UTF-16"), "{}", got.stderr);
    assert!(!got.text().contains("can be fixed"), "{}", got.text());
    assert_eq!(got.status, Some(1));
}

#[test]
fn templates_of_a_chart_and_git_are_left() {
    let scratch = Scratch::new();
    scratch.write("chart/Chart.yaml", "name: c\nversion: 1.0.0\napiVersion: v2\n");
    let template = scratch.write("chart/templates/sub/job.yaml", HOOK);
    scratch.write("plain/job.yaml", HOOK);
    for arguments in [
        &["chart/templates/sub/job.yaml", "plain"][..],
        &["chart/templates/sub"],
        &["chart", "--source=directory", "--recurse"],
    ] {
        let got = check(&scratch.source(), &[arguments, &["--fix"]].concat());
        assert!(got.stderr.contains("is left as it is: it is a template of a chart"), "{}", got.stderr);
        assert_eq!(text(&template), HOOK);
    }
    let git = scratch.source().parent().unwrap().join(".git");
    fs::write(git.join("job.yaml"), HOOK).unwrap();
    let got = check(&scratch.source(), &["--fix", "../.git/job.yaml"]);
    assert!(got.stderr.contains("is left as it is: it is in `.git`"), "{}", got.stderr);
    assert_eq!(text(&git.join("job.yaml")), HOOK);
}

#[test]
fn a_file_that_is_no_longer_what_was_read_is_left() {
    let scratch = Scratch::new();
    let job = scratch.write("job.yaml", HOOK);
    for old in ["", "x", &HOOK[1..], &format!("{HOOK}\n"), &format!("{HOOK}{HOOK}")] {
        assert!(matches!(replace(&job, old, "new"), Err(NotReplaced::Changed)), "{old}");
        assert!(matches!(check_replaceable(&job, old), Err(NotReplaced::Changed)), "{old}");
    }
    assert!(matches!(replace(&scratch.source(), "", "new"), Err(NotReplaced::NotAFile)));
    assert!(matches!(replace(&scratch.source().join("missing"), "", "new"), Err(NotReplaced::System(_))));
    assert_eq!(tree(&scratch.source()), [(job.clone(), HOOK.as_bytes().to_vec())]);
    replace(&job, HOOK, "new").unwrap();
    assert_eq!(tree(&scratch.source()), [(job, b"new".to_vec())]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn the_mode_stays() {
        let scratch = Scratch::new();
        let job = scratch.write("job.yaml", HOOK);
        for mode in [0o600, 0o640, 0o755, 0o664] {
            fs::write(&job, HOOK).unwrap();
            fs::set_permissions(&job, fs::Permissions::from_mode(mode)).unwrap();
            let owner = fs::metadata(&job).unwrap();
            assert_eq!(check(&scratch.source(), &["--fix"]).status, Some(0));
            let found = fs::metadata(&job).unwrap();
            assert_eq!((found.mode() & 0o7777, found.uid(), found.gid()), (mode, owner.uid(), owner.gid()));
            assert_eq!(text(&job), right());
        }
    }

    #[test]
    fn nothing_is_written_through_a_symlink() {
        let scratch = Scratch::new();
        let job = scratch.write("real/job.yaml", HOOK);
        fs::create_dir(scratch.source().join("linked")).unwrap();
        symlink("../real/job.yaml", scratch.source().join("linked/job.yaml")).unwrap();
        symlink("real", scratch.source().join("folder")).unwrap();
        symlink("real/job.yaml", scratch.source().join("file.yaml")).unwrap();
        for path in ["linked", "linked/job.yaml", "folder", "folder/job.yaml", "file.yaml", "folder/../real"] {
            let got = check(&scratch.source(), &["--fix", path]);
            assert_eq!(text(&job), HOOK, "{path}: {}", got.stderr);
            assert!(got.stderr.contains("symlink"), "{path}: {}", got.stderr);
            assert_eq!(got.status, Some(1), "{path}");
        }
        // Links above the working tree belong to the user. They are in the temporary directory, because the target
        // directory may be in a working tree.
        let above = std::env::temp_dir().join(format!("argocd-jobs-link-{}", std::process::id()));
        symlink(scratch.source(), &above).unwrap();
        let got = check(&scratch.source(), &["--fix", above.join("real").to_str().unwrap()]);
        fs::remove_file(&above).unwrap();
        assert_eq!((got.status, text(&job)), (Some(0), right()), "{}", got.stderr);
    }

    #[test]
    fn a_file_with_two_names_and_a_read_only_one_are_left() {
        let scratch = Scratch::new();
        let job = scratch.write("a/job.yaml", HOOK);
        fs::hard_link(&job, scratch.source().join("other.yaml")).unwrap();
        let got = check(&scratch.source(), &["--fix", "a"]);
        assert!(got.stderr.contains("it has another name (a hard link)"), "{}", got.stderr);
        fs::remove_file(scratch.source().join("other.yaml")).unwrap();
        fs::set_permissions(&job, fs::Permissions::from_mode(0o444)).unwrap();
        let got = check(&scratch.source(), &["--fix", "a"]);
        assert!(got.stderr.contains("it is read-only"), "{}", got.stderr);
        assert_eq!(text(&job), HOOK);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_nothing_is_left() {
        let scratch = Scratch::new();
        let job = scratch.write("closed/job.yaml", HOOK);
        let other = scratch.write("open/job.yaml", HOOK);
        let closed = scratch.source().join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        // Root can write everywhere.
        let is_root = fs::write(closed.join("probe"), "").is_ok();
        let got = check(&scratch.source(), &["--fix", "closed", "open"]);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(text(&other), right());
        if !is_root {
            assert_eq!((got.status, got.text()), (Some(2), String::new()));
            assert!(got.stderr.contains("closed/job.yaml: not fixed: it cannot be written"), "{}", got.stderr);
            assert_eq!(tree(&closed), [(job, HOOK.as_bytes().to_vec())]);
        }
    }

    #[test]
    fn two_sources_with_one_file_fix_it_once() {
        let scratch = Scratch::new();
        let job = scratch.write("a/job.yaml", HOOK);
        let got = check(&scratch.source(), &["--fix", "a", "a/job.yaml"]);
        assert_eq!(got.text().matches("fixed[unknown-hook]").count(), 1, "{}", got.text());
        assert!(got.text().contains("fixed 1 finding in 1 file\n"), "{}", got.text());
        assert_eq!(text(&job), right());
    }
}
