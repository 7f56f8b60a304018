//! A repository with a pull request, and the workspace of actions/checkout: the merge commit that GitHub has made,
//! with as many commits before it as `fetch-depth` says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::runner::Job;

/// The Job `migrate`, whose image a pull request changes.
pub(super) fn migration(image: &str) -> String {
    job("migrate", image)
}

/// A Job with this name and image.
pub(super) fn job(name: &str, image: &str) -> String {
    let name = serde_json::to_string(name).unwrap();
    let rest = format!("{{restartPolicy: Never, containers: [{{name: a, image: {image}}}]}}");
    format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {rest}}}}}\n")
}

const REPOSITORY: &str = "https://example.com/acme/shop";

/// An Application for the folder with the same name.
pub(super) fn application(name: &str) -> String {
    let destination = format!("{{server: https://kubernetes.default.svc, namespace: {name}}}");
    let source = format!("{{repoURL: {REPOSITORY}, path: {name}, plugin: {{name: argocd-jobs}}}}");
    let spec = format!("{{project: default, destination: {destination}, source: {source}}}");
    let head =
        format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\n");
    format!("{head}spec: {spec}\n")
}

/// Texts of files by their paths.
pub(super) type Files<'f> = &'f [(&'f str, String)];

impl Job {
    /// A push to the pull request: the base has some files, the branch others, and the workspace gets the merge of
    /// both.
    pub(super) fn push(&mut self, base: Files<'_>, branch: Files<'_>) {
        self.push_and_fetch(base, branch, 1);
    }

    /// As [`Self::push`], with a fetch depth; 0 fetches the whole history, with the branches.
    pub(super) fn push_and_fetch(&mut self, base: Files<'_>, branch: Files<'_>, depth: usize) {
        let origin = self.origin();
        drop(fs::remove_dir_all(&origin));
        fs::create_dir_all(&origin).unwrap();
        git(&origin, &["init", "--quiet", "--initial-branch=main"]);
        commit(&origin, base);
        git(&origin, &["checkout", "--quiet", "-b", "feature"]);
        commit(&origin, branch);
        self.open("feature", depth);
    }

    /// Opens the pull request of a branch of the repository.
    pub(super) fn open(&mut self, branch: &str, depth: usize) {
        let origin = self.origin();
        let head = git(&origin, &["rev-parse", branch]);
        git(&origin, &["checkout", "--quiet", "--detach", "main"]);
        git(&origin, &["merge", "--quiet", "--no-ff", "--message=merge", branch]);
        let merge = git(&origin, &["rev-parse", "HEAD"]);
        git(&origin, &["update-ref", "refs/pull/7/merge", &merge]);
        git(&origin, &["checkout", "--quiet", "main"]);
        self.github["sha"] = json!(merge);
        self.github["event"]["pull_request"]["head"]["sha"] = json!(head);
        self.check_out(&merge, depth);
    }

    /// The path of the repository with the pull request.
    pub(super) fn origin(&self) -> PathBuf {
        self.scratch.source().parent().unwrap().join("origin")
    }

    /// Gives the checkout the `repoURL` of `application`, although git fetches from a folder.
    pub(super) fn name_repository(&self) {
        self.name_repository_as(REPOSITORY);
    }

    /// As [`Self::name_repository`], with another URL.
    pub(super) fn name_repository_as(&self, url: &str) {
        let (workspace, origin) = (self.scratch.source(), format!("file://{}", self.origin().display()));
        git(&workspace, &["remote", "set-url", "origin", url]);
        git(&workspace, &["config", &format!("url.{origin}.insteadOf"), url]);
    }

    /// Does what actions/checkout does.
    pub(super) fn check_out(&self, commit: &str, depth: usize) {
        let workspace = self.scratch.source();
        drop(fs::remove_dir_all(&workspace));
        fs::create_dir_all(&workspace).unwrap();
        git(&workspace, &["init", "--quiet"]);
        git(&workspace, &["remote", "add", "origin", &format!("file://{}", self.origin().display())]);
        let merge = format!("+{commit}:refs/remotes/pull/7/merge");
        if depth == 0 {
            git(&workspace, &["fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", &merge]);
        } else {
            git(&workspace, &["fetch", "--quiet", &format!("--depth={depth}"), "origin", &merge]);
        }
        git(&workspace, &["checkout", "--quiet", "--force", "refs/remotes/pull/7/merge"]);
    }
}

/// Writes files and commits them.
pub(super) fn commit(dir: &Path, files: Files<'_>) {
    for (path, text) in files {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(dir, &["add", "--all"]);
    git(dir, &["commit", "--quiet", "--allow-empty", "--message=x"]);
}

/// Runs git and returns its output.
pub(super) fn git(dir: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(dir).args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
    git.args(arguments).envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}
