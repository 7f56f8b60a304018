//! What Git repositories have that is not in their files: ranges of tags, submodules, what Git LFS keeps.

use std::fs;
use std::process::Command;

use super::{ALLOWED, JOB, World};
use crate::support::program::run;
use crate::support::scratch::commit;
use crate::support::switches;

#[test]
fn a_range_of_versions_is_the_newest_tag_in_it() {
    let world = World::new();
    let url = world.server.url("platform.git");
    for (image, tag) in [("a:1.2", "1.2.0"), ("a:1.3", "v1.3.0"), ("a:2-rc", "2.0.0-rc.1"), ("a:other", "other")] {
        world.commit(image);
        world.git(&["tag", tag, "main"]);
    }
    let images = |ranges: &[&str], arguments: &[&str]| {
        drop(fs::remove_dir_all(world.scratch.source().join("repo/apps")));
        for (number, range) in ranges.iter().enumerate() {
            world.application(
                &format!("app{number}"),
                &format!("repoURL: '{url}', path: jobs, targetRevision: '{range}'"),
            );
        }
        let (text, _) = world.preview(arguments);
        let content = walkdir::WalkDir::new(world.scratch.source().join("cache/argocd-jobs/content")).into_iter();
        let files = content.flatten().filter(|entry| entry.file_name() == "job.yaml");
        let files: String = files.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect();
        (text, files)
    };
    let (text, files) = images(&["1.2.*", "1.*", ">=1.0 <3"], &ALLOWED);
    assert!(text.contains("\"checked\": 3") && text.contains("platform@1.*/jobs/job.yaml"), "{text}");
    assert!(files.contains("a:1.2") && files.contains("a:1.3") && !files.contains("rc"), "{files}");
    // Without the network, what was found before; with it, the tags are looked up again.
    world.commit("a:1.4");
    world.git(&["tag", "1.4.0", "main"]);
    assert!(images(&["1.*"], &[]).0.contains("\"checked\": 1"));
    let (text, files) = images(&["1.*", "2.x", "x"], &ALLOWED);
    assert!(text.contains("\"checked\": 2") && files.contains("a:1.4"), "{text} {files}");
    let wanted = "`2.x`: `git fetch` failed: couldn't find remote ref 2.x";
    assert!(text.contains(wanted), "{text}");
    assert!(images(&["3.*"], &ALLOWED).0.contains("no tag has a version in such a range"));
}

/// Writes files into a repository that the server has, and commits them; `.gitmodules` says that `libs` is a submodule.
fn repository(world: &World, files: &[(&str, &str)]) -> String {
    let root = world.scratch.source().join("served/tools");
    world.scratch.write("served/tools/.gitmodules", "[submodule \"l\"]\n\tpath = libs\n\turl = ../libs.git\n");
    for (path, text) in files {
        world.scratch.write(&format!("served/tools/{path}"), text);
    }
    commit(&root);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(&root).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let id = git(&["rev-parse", "HEAD"]);
    git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},libs")]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=x"]);
    world.server.url("tools/.git")
}

/// Argo CD fetches submodules, so that what needs one is not wrong.
#[test]
fn what_is_in_a_submodule_is_not_checked() {
    let world = World::new();
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let url = repository(
        &world,
        &[
            ("jobs/job.yaml", JOB),
            ("overlay/kustomization.yaml", "resources: [../libs/base]\n"),
            ("broken/kustomization.yaml", "resources: [../base]\n"),
            ("shop/Chart.yaml", chart),
            ("shop/templates/job.yaml", JOB),
        ],
    );
    world.application("jobs", &format!("repoURL: '{url}', path: jobs"));
    for path in ["libs", "libs/jobs"] {
        world.application(&path.replace('/', "-"), &format!("repoURL: '{url}', path: {path}"));
    }
    world.application("whole", &format!("repoURL: '{url}', path: ., directory: {{recurse: true, exclude: 'shop/*'}}"));
    let (text, _) = world.preview(&ALLOWED);
    let reason = "\"reason\": \"in submodules that are not checked out\",\n        \"count\": 2,";
    assert!(text.contains(reason), "{text}");
    assert!(text.contains("\"reason\": \"the submodule `libs` is not checked out\""), "{text}");
    let values = "repoURL: 'URL', path: shop, helm: {valueFiles: [../libs/values.yaml]}".replace("URL", &url);
    if switches::tool("helm").is_none() {
        return;
    }
    world.application("values", &values);
    world.application("overlay", &format!("repoURL: '{url}', path: overlay"));
    world.application("broken", &format!("repoURL: '{url}', path: broken"));
    let output = run(world.command_of("check", &ALLOWED), b"");
    let text = String::from_utf8(output.stdout).unwrap() + &output.stderr;
    assert_eq!(text.matches("the submodule `libs` is not checked out: ").count(), 2, "{text}");
    assert!(text.contains("/libs` is empty, like a submodule that is not checked out"), "{text}");
}

#[test]
fn what_git_lfs_keeps_is_not_checked() {
    let world = World::new();
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n", "0".repeat(64));
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let url = repository(
        &world,
        &[
            ("plain/job.yaml", &pointer),
            ("shop/Chart.yaml", chart),
            ("shop/templates/job.yaml", JOB),
            ("values.yaml", &pointer),
            ("stored/Chart.yaml", chart),
            ("stored/values.yaml", &pointer),
            ("overlay/kustomization.yaml", "resources: [job.yaml]\n"),
            ("overlay/job.yaml", &pointer),
        ],
    );
    world.application("plain", &format!("repoURL: '{url}', path: plain"));
    let mut count = 1;
    if switches::tool("helm").is_some() {
        count = 4;
        world.application("shop", &format!("repoURL: '{url}', path: shop, helm: {{valueFiles: [../values.yaml]}}"));
        for name in ["stored", "overlay"] {
            world.application(name, &format!("repoURL: '{url}', path: {name}"));
        }
    }
    let (text, output) = world.preview(&ALLOWED);
    let reasons = text.matches("the repository has only a pointer to it, for Git LFS").count();
    assert!(reasons >= count && text.contains("\"checked\": 0"), "{text}");
    assert_eq!(output.status, Some(0), "{text}");
}
