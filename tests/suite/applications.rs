//! Applications on the command line, in checkouts with a remote: which of them belong to the checkout, the messages
//! about the others, and what `--base` compares.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::program::{self, Output};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: shop:1.4.1
";

/// An Application with the plugin, for this path in the repository with this URL.
fn application(url: &str, path: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop\nspec:\n  destination: {{namespace: prod}}\n  \
         source:\n    repoURL: {url}\n    path: {path}\n    plugin: {{name: argocd-jobs}}\n  syncPolicy: {{automated: {{}}}}\n"
    )
}

/// A checkout with the Job; the URL of its remote `origin` is `origin`.
fn checkout(origin: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("apps/shop/job.yaml", JOB);
    commit(&scratch.source());
    let config = scratch.source().join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[remote \"origin\"]\n\turl = {origin}\n")).unwrap();
    scratch
}

fn run(at: &Path, arguments: &[&str]) -> Output {
    let mut command = program::program(at);
    command.args(arguments).env("PATH", switches::path());
    program::run(command, b"")
}

#[test]
fn a_checkout_is_known_by_its_remote() {
    for origin in ["git@git.example.com:team/shop.git", "https://ci:t0ken@git.example.com/team/shop.git"] {
        let scratch = checkout(origin);
        let root = scratch.source();
        scratch.write("argocd/shop.yaml", application("https://git.example.com/team/shop", "apps/shop"));
        let wanted = "apps/shop/job.yaml:4:9: ";
        let told = run(&root, &["check", "--application", "argocd/shop.yaml", "--all"]);
        assert!(told.text().is_empty() || told.text().contains(wanted), "{}{}", told.text(), told.stderr);
        assert!(told.stderr.is_empty(), "{}", told.stderr);
        // Paths are relative to the working directory.
        let told = run(&root.join("argocd"), &["preview", "--application", "."]);
        assert!(told.text().contains("--- a/../apps/shop/job.yaml"), "{}{}", told.text(), told.stderr);
        // The other repository is named, without its password.
        scratch.write("argocd/shop.yaml", application("https://me:s3cret@git.example.com/team/other", "apps/shop"));
        let told = run(&root, &["preview", "--application", "argocd/shop.yaml"]);
        assert!(told.stderr.contains("another repository, `https://git.example.com/team/other`"), "{}", told.stderr);
        assert_eq!(told.status, Some(2));
        let told = run(
            &root,
            &["preview", "--application", "argocd", "--repository-url", "https://git.example.com/team/other"],
        );
        assert!(told.is_quiet_success() || told.stderr.is_empty(), "{}", told.stderr);
    }
}

#[test]
fn a_directory_of_applications_is_read_without_its_links() {
    let scratch = checkout("https://git.example.com/team/shop");
    let root = scratch.source();
    scratch.write("argocd/deep/shop.yaml", application("https://git.example.com/team/shop", "apps/shop"));
    scratch.write("argocd/README.md", "kind: Application of argoproj.io/\n");
    scratch.write("argocd/binary.yaml", [0xff, 0xfe, 0x00]);
    scratch.write("outside/other.yaml", application("https://git.example.com/team/other", "apps/shop"));
    symlink("../outside/other.yaml", root.join("argocd/other.yaml")).unwrap();
    symlink("../outside", root.join("argocd/outside")).unwrap();
    let told = run(&root, &["generate", "--application", "argocd"]);
    assert!(told.stderr.is_empty() && told.text().contains("name: migrate-"), "{}{}", told.text(), told.stderr);
}

#[test]
fn the_base_is_read_with_the_application_of_that_version() {
    let scratch = checkout("https://git.example.com/team/shop");
    let root = scratch.source();
    let ours = application("https://git.example.com/team/shop", "apps/shop");
    let file = scratch.write("argocd/shop.yaml", &ours);
    let told = run(&root, &["preview", "--application", "argocd/shop.yaml", "--base", "HEAD"]);
    assert_eq!(
        told.stderr,
        "argocd/shop.yaml: not in `HEAD`, and not committed: there is nothing to compare with\nhelp: if the file is rendered, check out \
         `HEAD` into a directory, render it there too, and pass `--base DIR`; if it is new, commit it\n"
    );
    assert!(told.text().is_empty() && told.status == Some(2), "{}", told.text());
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let mut command = std::process::Command::new("git");
        assert!(command.arg("-C").arg(&root).args(identity).args(arguments).output().unwrap().status.success());
    };
    git(&["add", "argocd"]);
    git(&["commit", "--quiet", "-m", "the Application"]);
    let told = run(&root, &["preview", "--application", "argocd/shop.yaml", "--base", "HEAD~1"]);
    assert!(told.text().contains("+   migrate  runs, as migrate-"), "{}{}", told.text(), told.stderr);
    let kept = ours.replace("{name: argocd-jobs}", "{name: argocd-jobs, parameters: [{name: strategy, string: keep}]}");
    assert_ne!(kept, ours);
    scratch.write("argocd/shop.yaml", kept);
    let told = run(&root, &["preview", "--application", "argocd/shop.yaml", "--base", "HEAD"]);
    assert!(told.text().contains("strategy: `hash-name` → `keep`"), "{}{}", told.text(), told.stderr);
    scratch.write("argocd/shop.yaml", ours);
    scratch.write("apps/shop/job.yaml", JOB.replace("1.4.1", "1.4.2"));
    let file = file.to_str().unwrap();
    let told = run(&root, &["preview", "--application", file, "--base", "HEAD"]);
    assert!(told.text().contains("migrate  runs again, as migrate-"), "{}{}", told.text(), told.stderr);
    assert!(told.text().contains("image `shop`: `1.4.1` → `1.4.2`"), "{}", told.text());
    // For the base, the overrides in the base apply.
    scratch.write("apps/shop/job.yaml", JOB);
    scratch.write("apps/shop/.argocd-source-shop.yaml", "plugin: {parameters: [{name: strategy, string: hook}]}\n");
    let told = run(&root, &["preview", "--application", file, "--base", "HEAD"]);
    assert!(told.text().contains("hash-name") && told.text().contains("hook"), "{}{}", told.text(), told.stderr);
}

#[test]
fn an_application_that_moves_is_compared_with_the_folder_that_it_had() {
    let scratch = checkout("https://git.example.com/team/shop");
    let root = scratch.source();
    let url = "https://git.example.com/team/shop";
    scratch.write("argocd/shop.yaml", application(url, "apps/shop"));
    commit(&root);
    fs::remove_dir_all(root.join("apps/shop")).unwrap();
    scratch.write("apps/other/seed.yaml", JOB.replace("migrate", "seed"));
    scratch.write("argocd/shop.yaml", application(url, "apps/other"));
    let told = run(&root, &["preview", "--application", "argocd/shop.yaml", "--base", "HEAD"]);
    let has_both = told.text().contains("+   seed") && told.text().contains("-   migrate");
    assert!(has_both && !told.stderr.contains("as it is now"), "{}{}", told.text(), told.stderr);
    // The base does not contain the Application.
    let old = checkout(url);
    let told = run(&root, &["preview", "--application", "argocd/shop.yaml", "--base", old.source().to_str().unwrap()]);
    assert!(told.text().contains("+   seed") && told.stderr.contains("so all of its Jobs are new"), "{}", told.stderr);
}

/// The directory that `--base` names stands for the same tree, wherever the program runs and whatever is read of it.
#[test]
fn folders_and_applications_have_the_same_base_directory() {
    let of_image = |image: &str| {
        let scratch = checkout("https://git.example.com/team/shop");
        for name in ["shop", "cart"] {
            scratch.write(&format!("sub/{name}/job.yaml"), JOB.replace("shop:1.4.1", image));
        }
        scratch.write("sub/argocd/shop.yaml", application("https://git.example.com/team/shop", "sub/shop"));
        scratch
    };
    let (new, old) = (of_image("shop:2"), of_image("shop:1"));
    let base = |below: &str| old.source().join(below).to_str().unwrap().to_owned();
    for name in ["a", "b"] {
        new.write(&format!("fresh/{name}/job.yaml"), JOB);
    }
    let (top, sub, shop) = (base("."), base("sub"), base("sub/shop"));
    let absolute = new.source().to_str().unwrap().to_owned();
    let both = "`shop` runs 1 Job; `cart` runs 1 Job.";
    // Besides the folder of the Application there is one without.
    let apart = "no Application is known for it";
    for (below, paths, base, expected) in [
        ("", &["."][..], &top, apart),
        ("sub", &["."], &top, apart),
        ("sub", &["."], &sub, apart),
        ("", &["sub"], &top, apart),
        ("", &["sub"], &sub, apart),
        ("..", &["source"], &top, apart),
        ("..", &[absolute.as_str()], &top, apart),
        ("sub", &["shop", "cart"], &top, both),
        ("sub", &["shop", "cart"], &sub, both),
        ("", &["sub/shop"], &top, "1 Job runs again"),
        ("", &["sub/shop"], &shop, "1 Job runs again"),
        ("", &["sub/shop/job.yaml"], &top, "1 Job runs again"),
        ("", &["sub/argocd"], &top, "`shop` runs 1 Job"),
        ("sub", &["--application=argocd/shop.yaml"], &top, "1 Job runs again"),
        ("sub", &["--application=argocd/shop.yaml"], &sub, "1 Job runs again"),
        ("", &["--application=sub/argocd"], &top, "1 Job runs again"),
        // A folder that the other checkout does not have.
        ("", &["fresh"], &top, "`fresh/a` runs 1 Job; `fresh/b` runs 1 Job."),
    ] {
        let mut arguments = vec!["preview", "--plugin", "--unused", "--base", base];
        arguments.extend(paths);
        let told = run(&new.source().join(below), &arguments);
        let is_told = told.text().contains(expected) && told.text().contains("migrate  runs");
        assert!(is_told, "{below} {arguments:?}: {}{}", told.text(), told.stderr);
    }
}
