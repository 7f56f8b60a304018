//! The exit status of the action, and the versions that it compares.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::checkout::{application, commit, git, job, migration};
use super::runner::Job;

/// A Job with an error: a hook of a type that Argo CD does not have.
fn error() -> String {
    migration("a:1").replace("\"migrate\"", "\"gate\", annotations: {argocd.argoproj.io/hook: presync}")
}

/// A Job with an info: a hook that can block the sync forever.
fn info() -> String {
    job("seed", "a:1").replace("\"seed\"", "\"seed\", annotations: {argocd.argoproj.io/hook: PostSync}")
}

#[test]
fn findings_fail_the_step_when_asked_and_after_the_report() {
    for (found, fail_on, status) in [
        (error(), "error", 1),
        (error(), "never", 0),
        (info(), "warning", 0),
        (info(), "info", 1),
        (job("fine", "a:1"), "warning", 0),
        (error(), "fatal", 2),
    ] {
        let mut job = Job::new().with("fail-on", fail_on);
        job.push(&[("a/old.yaml", migration("a:1"))], &[("a/new.yaml", found)]);
        let outcome = job.run();
        assert_eq!(outcome.status, status, "{fail_on}: {outcome:?}");
        let comment = job.server.comments().remove(0);
        let first = comment.lines().next().unwrap();
        assert_eq!(first.ends_with("; the check fails"), status == 1, "{comment}");
        assert_eq!(first == "### argocd-jobs could not do its work", status == 2, "{comment}");
    }
}

#[test]
fn only_new_findings_count_in_a_pull_request_and_all_of_them_elsewhere() {
    let files = [("a/old.yaml", error())];
    let mut job = Job::new();
    job.push(&files, &[("a/new.yaml", migration("a:1"))]);
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.log.contains("::error file=")), (0, false), "{outcome:?}");
    assert_eq!(job.with("base", "none").run().status, 1);

    let mut job = Job::new();
    job.push(&files, &[]);
    job.github["event_name"] = json!("push");
    job.github["event"] = json!({});
    let outcome = job.run();
    assert_eq!(outcome.status, 1, "{outcome:?}");
    assert!(outcome.log.contains("::error file=a/old.yaml,line=3,"), "{outcome:?}");
    assert_eq!((outcome.summary.as_str(), outcome.ran.contains(&"preview".to_owned())), ("", false), "{outcome:?}");
}

#[test]
fn what_cannot_be_done_is_reported_and_ends_with_status_2() {
    let broken = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: `a @octocat <!-- x\n".to_owned();
    for (input, value, wanted, checks) in [
        ("key", "", "a/y.yaml:3:18: found character that cannot start any token", 1),
        ("settings", "trigger=maybe", "    parameter `trigger`: invalid value `maybe`", 2),
    ] {
        let mut job = Job::new().with("paths", "a").with(input, value);
        job.push(&[("a/x.yaml", migration("a:1"))], &[("a/y.yaml", broken.clone())]);
        let outcome = job.run();
        assert_eq!(outcome.status, 2, "{outcome:?}");
        let comment = job.server.comments().remove(0);
        let mut lines = comment.lines();
        assert_eq!(lines.next(), Some("### argocd-jobs could not do its work"));
        assert!(lines.nth(1).unwrap().starts_with("    ") && comment.contains(wanted), "{comment}");
        let errors: Vec<&str> = outcome.commands().into_iter().filter(|line| line.starts_with("::error ")).collect();
        assert!(errors.last().unwrap().starts_with("::error title=argocd-jobs::"), "{outcome:?}");
        assert_eq!(outcome.ran.contains(&"preview".to_owned()), checks == 1, "{outcome:?}");
    }
}

#[test]
fn the_verdict_says_when_no_source_could_be_read() {
    let mut job = Job::new().with("comment", "always");
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/y.yaml", migration("a:1"))]);
    let outcome = job.run();
    assert_eq!(outcome.status, 1, "{outcome:?}");
    let comment = job.server.comments().remove(0);
    let wanted = "### ❌ Argo CD can no longer render `a`; the check fails\n\n<details><summary>all sources, compared with <code>main</code></summary>\n\n```text\nSOURCE ";
    assert!(comment.starts_with(wanted), "{comment}");
}

#[test]
fn without_the_plugin_a_change_makes_the_sync_fail() {
    // What nothing says is as it is written. A strategy has no effect without the plugin.
    for (plugin, strategy) in [("", ""), ("false", "hook")] {
        let mut job = Job::new().with("plugin", plugin).with("strategy", strategy);
        job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
        let outcome = job.run();
        assert_eq!(outcome.status, 1, "{outcome:?}");
        let comment = job.server.comments().remove(0);
        assert!(comment.contains("### ❌ The sync of `a` fails\n"), "{comment}");
        assert!(
            comment.contains("the failing Job would not fail with the argocd-jobs plugin: `--plugin` shows it\n"),
            "{comment}"
        );
    }
}

#[test]
fn a_sync_that_fails_fails_the_step() {
    let mut job = Job::new().with("strategy", "keep").with("paths", "a");
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    let outcome = job.run();
    let comment = job.server.comments().remove(0);
    assert_eq!(outcome.status, 1, "{outcome:?}");
    assert!(comment.contains("### ❌ The sync fails at 1 Job\n"), "{comment}");
}

#[test]
fn the_base_is_the_commit_into_which_github_has_merged() {
    let (old, new) = (("a/x.yaml", migration("a:1")), ("a/x.yaml", migration("a:2")));
    for depth in [1, 2, 0] {
        let mut job = Job::new();
        job.push_and_fetch(std::slice::from_ref(&old), std::slice::from_ref(&new), depth);
        // The base branch moves on: its new commits are not part of this pull request.
        commit(&job.origin(), &[("b/x.yaml", job_of_main())]);
        let merge = job.github["sha"].as_str().unwrap().to_owned();
        job.check_out(&merge, depth);
        let outcome = job.run();
        let comment = job.server.comments().remove(0);
        assert!(
            comment.contains("| runs again, as `migrate-") && comment.contains("compared with <code>main</code>"),
            "{depth}: {comment}{outcome:?}"
        );
        assert!(!comment.contains("gone"), "{comment}");
    }
}

#[test]
fn the_message_of_the_merge_commit_can_be_long() {
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    let message = job.scratch.source().parent().unwrap().join("message");
    fs::write(&message, format!("merge\n\nparent 0\n{}", "a line of the message\n".repeat(14_000))).unwrap();
    git(&job.origin(), &["checkout", "--quiet", "refs/pull/7/merge"]);
    git(&job.origin(), &["commit", "--quiet", "--amend", "--file", message.to_str().unwrap()]);
    let merge = git(&job.origin(), &["rev-parse", "HEAD"]);
    git(&job.origin(), &["update-ref", "refs/pull/7/merge", &merge]);
    job.github["sha"] = json!(merge);
    job.check_out(&merge, 1);
    let outcome = job.run();
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(job.server.comments().remove(0).contains("| runs again, as `migrate-"), "{outcome:?}");
}

fn job_of_main() -> String {
    job("of-main", "a:1")
}

#[test]
fn the_branch_itself_can_be_checked_out_with_its_history() {
    let (old, new) = (("a/x.yaml", migration("a:1")), ("a/x.yaml", migration("a:2")));
    let mut job = Job::new();
    job.push(&[old], &[new]);
    let head = job.github["event"]["pull_request"]["head"]["sha"].as_str().unwrap().to_owned();
    job.check_out(&head, 0);
    assert_eq!(job.run().status, 0);
    assert!(job.server.comments().remove(0).contains("| runs again, as `migrate-"));

    git(&job.origin(), &["update-ref", "refs/pull/7/head", &head]);
    job.check_out(&head, 1);
    let outcome = job.run();
    assert_eq!(outcome.status, 2, "{outcome:?}");
    assert!(
        outcome.log.contains("::error title=argocd-jobs::the base of the pull request is not in the checkout%0Ahelp: ")
    );
}

#[test]
fn the_base_that_cannot_be_fetched_is_an_error_with_help() {
    let mut job = Job::new();
    job.push(&[("a/x.yaml", migration("a:1"))], &[("a/x.yaml", migration("a:2"))]);
    // As for a private repository with `persist-credentials: false`.
    fs::rename(job.origin(), job.origin().with_extension("gone")).unwrap();
    let outcome = job.run();
    assert_eq!(outcome.status, 2, "{outcome:?}");
    assert!(outcome.log.contains("help: set `fetch-depth: 2` for actions/checkout"), "{outcome:?}");
    assert_eq!(outcome.ran, ["install", "base", "report", "comment"]);
}

#[test]
fn a_comment_says_it_when_the_next_push_cannot_be_looked_at() {
    let (old, new) = (("a/x.yaml", migration("a:1")), ("a/x.yaml", migration("a:2")));
    let mut job = Job::new();
    job.push(std::slice::from_ref(&old), std::slice::from_ref(&new));
    assert_eq!(job.run().status, 0);
    assert!(job.server.comments().remove(0).contains("| runs again, as `migrate-"));
    // The base cannot be fetched; an input is wrong; the program crashes.
    let crashes = job.scratch.source().parent().unwrap().join("crashes");
    fs::write(&crashes, "#!/bin/sh\n[ $1 = --version ] && echo argocd-jobs 1 || kill -9 $$\n").unwrap();
    fs::set_permissions(&crashes, fs::Permissions::from_mode(0o755)).unwrap();
    for (input, value, wanted) in [
        ("key", "", "    error: the base of the pull request is not in the checkout\n    help: set `fetch-depth: 2`"),
        ("annotations", "maybe", "    error: `annotations` is `maybe`, and must be `true` or `false`\n"),
        ("binary", crashes.to_str().unwrap(), "    error: argocd-jobs has ended with status 137\n    help: report it"),
    ] {
        job.push(std::slice::from_ref(&old), std::slice::from_ref(&new));
        if input == "key" {
            fs::rename(job.origin(), job.origin().with_extension("gone")).unwrap();
        }
        let before = job.inputs.insert(input.to_owned(), value.to_owned());
        let outcome = job.run();
        let comment = job.server.comments().remove(0);
        assert!(outcome.status == 2 && comment.starts_with("### argocd-jobs could not do its work\n"), "{outcome:?}");
        assert!(comment.contains(wanted) && !comment.contains("again"), "{comment}");
        assert_eq!((job.server.comments().len(), outcome.outputs["changed"].as_str()), (1, "true"), "{outcome:?}");
        match before {
            Some(value) => job.inputs.insert(input.to_owned(), value),
            None => job.inputs.remove(input),
        };
    }
}

#[test]
fn a_merge_queue_and_a_push_are_compared_with_what_they_are_put_onto() {
    let old = [("a/old.yaml", error()), ("b/x.yaml", migration("a:1"))];
    for (event, is_new, status) in
        [("merge_group", false, 0), ("merge_group", true, 1), ("push", false, 0), ("push", true, 1)]
    {
        let new = if is_new { error().replace("gate", "other") } else { migration("a:2") };
        let mut job = Job::new();
        job.push(&old, &[("b/x.yaml", new)]);
        let base = git(&job.origin(), &["rev-parse", "main"]);
        job.github["event_name"] = json!(event);
        job.github["base_ref"] = json!("");
        job.github["event"] = json!({"before": base, "after": job.github["sha"]});
        if event == "merge_group" {
            job.github["event"] = json!({"merge_group": {"base_sha": base, "base_ref": "refs/heads/main"}});
        }
        let outcome = job.run();
        assert_eq!(outcome.status, status, "{event}: {outcome:?}");
        assert!(!outcome.log.contains("file=a/old.yaml"), "{outcome:?}");
        let name = if event == "push" { &base[..12] } else { "main" };
        assert!(outcome.summary.contains(&format!("compared with <code>{name}</code>")), "{event}: {outcome:?}");
        assert_eq!(outcome.summary.contains("`check`: no "), !is_new, "{outcome:?}");
        assert!(job.server.methods().is_empty(), "{outcome:?}");
    }
}

#[test]
fn all_findings_count_where_a_push_has_nothing_before_it() {
    // A new branch; a forced push, whose old commit no longer exists.
    for (before, warns) in [("0".repeat(40), false), ("1".repeat(40), true)] {
        let mut job = Job::new();
        job.push(&[("a/old.yaml", error())], &[]);
        job.github["event_name"] = json!("push");
        job.github["event"] = json!({"before": before});
        let outcome = job.run();
        assert_eq!((outcome.status, outcome.summary.as_str()), (1, ""), "{outcome:?}");
        assert!(outcome.log.contains("::error file=a/old.yaml,line=3,"), "{outcome:?}");
        let warning = "::warning title=argocd-jobs::the commit before the push is not in the checkout, so all findings count%0Ahelp: ";
        assert_eq!(outcome.log.contains(warning), warns, "{outcome:?}");
    }
    let mut job = Job::new();
    job.push(&[("a/old.yaml", error())], &[]);
    job.github["event_name"] = json!("merge_group");
    job.github["event"] = json!({"merge_group": {"base_sha": "1".repeat(40), "base_ref": "refs/heads/main"}});
    let outcome = job.run();
    assert!(
        outcome.status == 2 && outcome.log.contains("the base of the merge group is not in the checkout"),
        "{outcome:?}"
    );
    assert!(outcome.summary.starts_with("### argocd-jobs could not do its work\n"), "{outcome:?}");
}

#[test]
fn the_sarif_file_has_all_findings_and_the_pull_request_the_new_ones() {
    let mut job = Job::new().with("sarif", "jobs.sarif");
    job.push(&[("a/old.yaml", error())], &[("a/new.yaml", error().replace("gate", "other"))]);
    let outcome = job.run();
    assert_eq!(outcome.status, 1, "{outcome:?}");
    let sarif: Value = serde_json::from_slice(&fs::read(job.scratch.source().join("jobs.sarif")).unwrap()).unwrap();
    let found: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|result| result["ruleId"] == "unknown-hook")
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["a/new.yaml", "a/old.yaml"]);
    let annotations = outcome.commands().into_iter().filter(|line| line.contains("title=unknown-hook")).count();
    assert_eq!(annotations, 1, "{outcome:?}");

    job.inputs.insert("annotations".to_owned(), "false".to_owned());
    let outcome = job.run();
    assert_eq!((outcome.status, outcome.commands().len()), (1, 0), "{outcome:?}");
}

#[test]
fn an_application_says_which_folder_is_read() {
    let files = |image: &str| [("shop/x.yaml", job("a", image)), ("billing/x.yaml", job("b", image))];
    let apps = [("argo/shop.yaml", application("shop")), ("argo/billing.yaml", application("billing"))];
    for (paths, is_taken) in
        [(".", true), (".\r\n", true), ("", true), ("\n", true), ("shop", false), (".\nshop", false)]
    {
        let mut run = Job::new().with("applications", "argo/shop.yaml\n").with("paths", paths);
        run.push(&[&files("x:1")[..], &apps].concat(), &files("x:2"));
        run.name_repository();
        let outcome = run.run();
        if is_taken {
            assert_eq!(outcome.status, 0, "{paths:?}: {outcome:?}");
            let comment = run.server.comments().remove(0);
            assert!(comment.contains("### 1 Job runs again at the next sync\n"), "{paths:?}: {comment}");
            assert!(comment.contains("\n`check`: no "), "{comment}");
        } else {
            let error = "::error title=argocd-jobs::`applications` and `paths` cannot be used together%0Ahelp: remove `paths`: ";
            assert!(outcome.status == 2 && outcome.log.contains(error), "{paths:?}: {outcome:?}");
        }
    }
}
