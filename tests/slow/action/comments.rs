//! The comment on a pull request: there is one, which is edited later; without the right to comment, the job summary
//! is used.

use serde_json::json;

use super::checkout::{job, migration};
use super::runner::{Job, TOKEN};

const OLD: &str = "shop:1.4.1";

fn old() -> (&'static str, String) {
    ("apps/shop/job.yaml", migration(OLD))
}

fn new(image: &str) -> (&'static str, String) {
    ("apps/shop/job.yaml", migration(image))
}

#[test]
fn the_first_push_creates_the_comment_and_the_second_edits_it() {
    let mut job = Job::new();
    job.push(&[old()], &[new("shop:1.4.2")]);
    let outcome = job.run();
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let [first] = job.server.comments().try_into().unwrap();
    let verdict = first.lines().next().unwrap();
    assert_eq!(verdict, "### `apps/shop` runs 1 Job");
    assert!(first.contains("image `shop`: `1.4.1` → `1.4.2`"), "{first}");
    assert!(first.contains("/acme/shop/actions/runs/4711"), "{first}");
    assert!(first.trim_end().lines().last().unwrap().starts_with("<!-- argocd-jobs: comment "), "{first}");
    let sent = job.server.with(|content| content.requests.clone());
    assert!(sent.iter().all(|request| request.headers["authorization"] == format!("Bearer {TOKEN}")));
    assert_eq!(job.server.methods(), ["GET", "POST"]);
    assert_eq!((outcome.summary.as_str(), outcome.outputs["changed"].as_str()), ("", "true"));

    job.push(&[old()], &[new("shop:1.4.3")]);
    assert_eq!(job.run().status, 0);
    assert_eq!(job.server.methods(), ["GET", "PATCH"]);
    let [second] = job.server.comments().try_into().unwrap();
    assert!(second.contains("→ `1.4.3`") && !second.contains("1.4.2"), "{second}");

    // The text of the comment is no longer true.
    job.push(&[old()], &[]);
    assert_eq!(job.run().status, 0);
    let [third] = job.server.comments().try_into().unwrap();
    assert!(!third.contains("1.4.3") && third.contains("No source changes"), "{third}");
}

#[test]
fn without_a_change_there_is_no_comment_unless_it_is_asked_for() {
    for (comment, count) in [("changes", 0), ("always", 1), ("never", 0)] {
        let mut job = Job::new().with("comment", comment);
        job.push(&[old()], &[("README", "x".to_owned())]);
        let outcome = job.run();
        assert_eq!((outcome.status, job.server.comments().len()), (0, count), "{comment}: {outcome:?}");
        assert_eq!(outcome.summary.is_empty(), count == 1, "{comment}: {outcome:?}");
    }
    let outcome = Job::new().with("comment", "sometimes");
    let mut job = outcome;
    job.push(&[old()], &[new("b:2")]);
    let outcome = job.run();
    assert_eq!((outcome.status, job.server.comments().len()), (2, 0), "{outcome:?}");
    assert!(outcome.log.contains("must be one of `changes`, `always`, `never`"), "{outcome:?}");
}

#[test]
fn each_job_has_its_comment_and_no_other_is_touched() {
    let mut job = Job::new();
    job.push(&[old()], &[new("shop:1.4.2")]);
    job.run();
    let own = job.server.comments().remove(0);
    let marker = own.trim_end().lines().last().unwrap();
    let stranger = |body: String| json!({"id": 1000, "user": {"login": "mallory", "type": "User"}, "body": body});
    let another =
        |body: &str| json!({"id": 1000, "user": {"login": "github-actions[bot]", "type": "Bot"}, "body": body});
    // More than a page of comments. Anyone can copy the marker, and another workflow can quote it.
    let mut before = vec![stranger(own.clone()); 150];
    before.push(another(&format!("{marker}\nquoted")));
    before.push(json!({"id": 1000, "user": {"login": "dependabot[bot]", "type": "Bot"}, "body": own}));
    before.push(json!({"id": 1000, "user": {"login": "github-actions[bot]", "type": "User"}, "body": own}));
    job.server.with(|content| content.comments = before.clone());
    job.server.methods();
    assert_eq!(job.run().status, 0);
    assert_eq!(job.server.methods(), ["GET", "GET", "POST"]);
    let comments = job.server.with(|content| content.comments.clone());
    assert_eq!((comments.len(), &comments[..153]), (154, &before[..]));

    job.run();
    assert_eq!(job.server.methods(), ["GET", "GET", "PATCH"]);

    // Another key, workflow or job has another comment.
    job.inputs.insert("key".to_owned(), "prod".to_owned());
    job.run();
    job.github["workflow"] = json!("other");
    job.run();
    job.github["job"] = json!("other");
    job.run();
    assert_eq!(job.server.comments().len(), 157);
}

#[test]
fn a_pull_request_from_a_fork_gets_the_summary_and_no_request() {
    for head in [json!({"full_name": "mallory/shop"}), json!(null)] {
        let mut job = Job::new();
        job.github["event"]["pull_request"]["head"]["repo"] = head;
        job.push(&[old()], &[new("shop:1.4.2")]);
        let outcome = job.run();
        assert_eq!(outcome.status, 0, "{outcome:?}");
        assert!(outcome.summary.contains("| runs again, as `migrate-"), "{outcome:?}");
        assert!(job.server.methods().is_empty() && !outcome.ran.contains(&"comment".to_owned()), "{outcome:?}");
    }
}

#[test]
fn a_comment_that_cannot_be_written_becomes_the_summary() {
    for status in [403, 404, 422, 500] {
        let mut job = Job::new();
        job.push(&[old()], &[new("shop:1.4.2")]);
        job.server.with(|content| content.refuses = Some(status));
        let outcome = job.run();
        assert_eq!(outcome.status, 0, "{outcome:?}");
        assert!(outcome.summary.contains("| runs again, as `migrate-"), "{outcome:?}");
        assert!(outcome.log.contains("::warning title=argocd-jobs::GitHub d"), "{outcome:?}");
        assert_eq!(outcome.log.contains("pull-requests: write"), status < 405, "{outcome:?}");
    }
}

#[test]
fn several_folders_and_one_are_compared_too() {
    let files =
        |image: &str| [("a/x.yaml", job("a", image)), ("b c/x.yaml", job("b", image)), ("d/x.yaml", job("d", image))];
    for (paths, verdict) in [
        ("a", "### 1 Job runs again"),
        ("a\nb c\n", "### `a` runs 1 Job; `b c` runs 1 Job"),
        (".", "### `a` runs 1 Job; `b c` runs 1 Job; `d` runs 1 Job"),
    ] {
        let mut job = Job::new().with("paths", paths);
        job.push(&files("x:1"), &files("x:2"));
        let outcome = job.run();
        assert_eq!(outcome.status, 0, "{outcome:?}");
        assert_eq!(job.server.comments().remove(0).lines().next().unwrap(), verdict, "{outcome:?}");
    }
}

#[test]
fn a_comment_has_room_for_1200_changed_jobs() {
    let all =
        |image: &str| (0..1200).map(|index| job(&format!("job-{index}"), image)).collect::<Vec<_>>().join("---\n");
    let mut job = Job::new();
    job.push(&[("apps/jobs.yaml", all("x:1"))], &[("apps/jobs.yaml", all("x:2"))]);
    let outcome = job.run();
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let [comment] = job.server.comments().try_into().unwrap();
    assert!(comment.chars().count() < 65_536 && comment.contains("1200 Jobs"), "{comment}");
    // Nothing is cut in the middle.
    assert_eq!(comment.matches("<details>").count(), comment.matches("</details>").count(), "{comment}");
    assert!(comment.matches("```").count().is_multiple_of(2), "{comment}");
    assert!(comment.trim_end().lines().last().unwrap().starts_with("<!-- argocd-jobs: comment "), "{comment}");
}

#[test]
fn a_pull_request_without_jobs_gets_no_comment_and_is_green() {
    let config =
        |value: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{a: {value}}}\n");
    let mut job = Job::new();
    job.push(&[("apps/config.yaml", config("one"))], &[("apps/config.yaml", config("two"))]);
    let outcome = job.run();
    assert_eq!((outcome.status, job.server.comments().len()), (0, 0), "{outcome:?}");
    assert_eq!(outcome.outputs["changed"], "false");
}
