//! A partial clone: the objects it has are compared, and each source that needs missing ones reports that.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::support::scratch::{Scratch, commit};
use crate::support::{program, switches};

/// The maximum number of git processes: to find the repository, for its URL, to read objects until the first missing
/// one, to list the missing ones, and one for each thread that reads objects.
const MAX_STARTS: usize = 10;

fn job(image: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: seed}}\nspec: {{template: {{spec: {{restartPolicy: Never, containers: \
         [{{name: c, image: \"{image}\"}}]}}}}}}\n"
    )
}

fn git(dir: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(dir).args(arguments);
    git.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    assert!(git.status().is_ok_and(|status| status.success()), "{arguments:?}");
}

/// A clone without those files of the first commit that the second commit changes: the files of `changed` and `gone`.
fn clone(scratch: &Scratch, filter: &str) -> std::path::PathBuf {
    let origin = scratch.source();
    for number in 0..30 {
        scratch.write(&format!("apps/plain{number}/seed.yaml"), job(&format!("b:{number}")));
    }
    scratch.write("apps/changed/seed.yaml", job("b:old"));
    scratch.write("apps/gone/seed.yaml", job("b:gone"));
    scratch.write("apps/kustomized/kustomization.yaml", "resources: [../plain1]\n");
    commit(&origin);
    scratch.write("apps/changed/seed.yaml", job("b:changed"));
    fs::remove_dir_all(origin.join("apps/gone")).unwrap();
    commit(&origin);
    git(&origin, &["config", "uploadpack.allowFilter", "true"]);
    let clone = origin.with_file_name("clone");
    let url = format!("file://{}", origin.display());
    git(&origin, &["clone", "--quiet", filter, &url, clone.to_str().unwrap()]);
    clone
}

/// A `PATH` with a git that adds a line to the file `starts` whenever it starts.
fn counted(scratch: &Scratch) -> (String, std::path::PathBuf) {
    let starts = scratch.write("bin/starts", "");
    let path = switches::path().into_string().unwrap();
    let git = scratch
        .write("bin/git", format!("#!/bin/sh\necho >> '{}'\nPATH='{path}'\nexec git \"$@\"\n", starts.display()));
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    (format!("{}:{path}", git.parent().unwrap().display()), starts)
}

#[test]
fn only_what_a_partial_clone_lacks_is_not_compared() {
    let (origin, other) = (Scratch::new(), Scratch::new());
    let clone = clone(&origin, "--filter=blob:none");
    let (path, starts) = counted(&other);
    let mut command = program::program(&clone);
    command.args(["preview", ".", "--base", "HEAD~1", "--format", "json"]).env("PATH", &path);
    let told = program::run(command, b"");
    let json: Json = serde_json::from_str(&told.text()).unwrap_or_else(|_| panic!("{}", told.stderr));
    let reason = |path: &str| {
        let all = ["applications", "notChecked"].map(|key| json[key].as_array().unwrap());
        let source = all.into_iter().flatten().find(|source| source["path"] == path);
        let source = source.unwrap_or_else(|| panic!("{path}: {json:#}"));
        source["reason"].as_str().or(source["incomplete"].as_str()).unwrap_or_default().to_owned()
    };
    for path in ["apps/changed", "apps/gone"] {
        assert!(reason(path).contains("this clone does not have it"), "{path}: {}", reason(path));
    }
    for number in 2..30 {
        assert_eq!(reason(&format!("apps/plain{number}")), "");
    }
    assert!(told.stderr.contains("this clone lacks 2 files of `HEAD~1`"), "{}", told.stderr);
    let starts = fs::read_to_string(starts).unwrap().lines().count();
    assert!(starts <= MAX_STARTS, "git was started {starts} times");
}

#[test]
fn a_clone_without_folders_says_so_once() {
    let origin = Scratch::new();
    let clone = clone(&origin, "--filter=tree:0");
    for base in ["HEAD~1", "0123456789012345678901234567890123456789"] {
        let mut command = program::program(&clone);
        command.args(["check", ".", "--base", base]).env("PATH", switches::path());
        let told = program::run(command, b"");
        let wanted =
            if base == "HEAD~1" { "does not have all files of `HEAD~1`" } else { "is neither a path nor a commit" };
        assert!(told.stderr.contains(wanted), "{}", told.stderr);
        assert_eq!((told.stderr.lines().count(), told.status), (2, Some(2)), "{}", told.stderr);
    }
}
