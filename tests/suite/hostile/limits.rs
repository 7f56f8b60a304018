//! Documents and Jobs that are as large as they may be, and those with one value more.

use super::{job, refused, stays};
use crate::support::program::{self, Output};
use crate::support::scratch::Scratch;

const TOO_MANY: &str = "the document has more than 500,000 keys and values\nhelp: split the document: the items of a `List` can be \
                        documents of their own\n";

/// An object of five values and `more`, on two lines.
fn object(more: usize) -> String {
    format!("kind: A\nx: [{}]\n", "1,".repeat(more))
}

#[test]
fn a_document_may_have_500_000_keys_and_values() {
    stays(object(499_995));
    // At the value that is one too many.
    assert_eq!(refused(object(499_996)), format!("<stdin>:2:{}: {TOO_MANY}", 5 + 2 * 499_995));
    // A document after another, which is counted alone.
    stays(format!("---\n{}---\n{}", object(499_995), object(10)));
    assert_eq!(
        refused(format!("---\n{}---\n{}", object(10), object(499_996))),
        format!("<stdin>:6:999995: {TOO_MANY}")
    );
}

#[test]
fn what_is_made_of_a_document_may_be_larger_than_one() {
    let item = |number| {
        format!(
            "- {{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}}}, spec: {{template: {{}}}}}} # {number}\n"
        )
    };
    let input = format!("kind: List\nitems:\n{}", (0..38_000).map(item).collect::<String>());
    let output = super::run_within(super::Bounds::of(input.len()), &["generate", "-"], input.as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    // In place: comments stay.
    assert_eq!(output.text().lines().filter(|line| line.contains(" # ")).count(), 38_000);
}

#[test]
fn a_limit_is_not_got_around_with_json() {
    // The escape makes that the file is read as JSON, and not as YAML.
    let json = |more: usize| format!("{{\"kind\":\"A\",\"e\":\"\\/\",\"x\":[1{}]}}", ",1".repeat(more));
    let scratch = Scratch::new();
    for (more, status) in [(499_992, 0), (499_993, 2)] {
        scratch.write("a.json", json(more));
        let mut command = program::program(&scratch.source());
        command.args(["generate", "."]);
        let output = program::run(command, b"");
        assert_eq!(output.status, Some(status), "{more}: {}", output.stderr);
        assert!(status == 0 || output.stderr == format!("a.json:1:1000013: {TOO_MANY}"), "{}", output.stderr);
    }
}

#[test]
fn a_job_may_have_50_000_keys_and_values() {
    let small = job("a");
    let with = |more: usize| small.clone() + "  x: [" + &"1,".repeat(more) + "]\n";
    let message =
        "the Job has more than 50,000 keys and values\nhelp: put long data into a volume that the Job mounts\n";
    // A Job of 17 keys and values, with two more for the list.
    let output = super::run_within(super::Bounds::of(100_000), &["generate", "-"], with(49_981).as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(refused(with(49_982)), format!("<stdin>:1:1: {message}"));
    let item = with(49_982).replace("\n", "\n  ");
    assert_eq!(refused(format!("kind: List\nitems:\n- {}\n", item.trim_end())), format!("<stdin>:3:3: {message}"));
}

#[test]
fn a_document_may_have_16_mib_and_a_job_8() {
    let text = |bytes: usize| format!("kind: A\nx: {}\n", "y".repeat(bytes - 12));
    stays(text(16 << 20));
    let help = "help: split the document: the items of a `List` can be documents of their own\n";
    assert_eq!(refused(text((16 << 20) + 1)), format!("<stdin>:1:1: the document is larger than 16 MiB\n{help}"));
    let small = job("a");
    let with = |bytes: usize| format!("{small}  x: {}", "y".repeat(bytes - small.len() - 5));
    let output = super::run_within(super::Bounds::of(8 << 20), &["generate", "-"], with(8 << 20).as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    let help = "help: put long data into a volume that the Job mounts\n";
    assert_eq!(refused(with((8 << 20) + 1)), format!("<stdin>:1:1: the Job is larger than 8 MiB\n{help}"));
}

/// Runs a command over a stream.
fn run(arguments: &[&str], input: &str) -> Output {
    let scratch = Scratch::new();
    let mut command = program::program(&scratch.source());
    command.args(arguments);
    program::run(command, input.as_bytes())
}

/// The most items that `check` and `preview` read, of which there may be `most`, and one more for each `bytes` bytes.
fn limit(of: &dyn Fn(usize) -> String, (most, bytes): (usize, usize)) -> usize {
    let allowed = |count: usize| most + of(count).len() / bytes;
    let mut count = most;
    while allowed(count) > count {
        count = allowed(count);
    }
    while allowed(count + 1) > count {
        count += 1;
    }
    count
}

const PART: &str = "help: read a part of them at a time, such as one folder";

/// `check` and `preview` read `count` items, and refuse one more with this message.
fn is_limit(of: &dyn Fn(usize) -> String, count: usize, message: &str) {
    let (fits, exceeds) = (of(count), of(count + 1));
    assert_eq!(run(&["preview", "-", "--diff", "never"], &fits).status, Some(0));
    assert!(!run(&["check", "-"], &fits).text().contains(PART));
    let preview = run(&["preview", "-"], &exceeds);
    assert_eq!((preview.status, preview.stderr.as_str()), (Some(2), format!("{message}\n{PART}\n").as_str()));
    let check = run(&["check", "-"], &exceeds);
    let finding = format!("error[unreadable]: {message}\n{PART}\n\n1 finding: 1 error\n");
    assert_eq!((check.status, check.text()), (Some(1), finding));
    let generate = run(&["generate", "-"], &exceeds);
    assert!(generate.is_quiet_success(), "{}", generate.stderr);
}

#[test]
fn check_and_preview_read_16_000_objects_and_6_000_jobs_and_more_in_larger_manifests() {
    let objects = |count: usize| "kind: A\n---\n".repeat(count);
    let count = limit(&objects, (16_000, 256));
    let message = |found: usize, what: &str, most: usize| {
        format!(
            "the manifests have {found} {what}: `check` and `preview` read at most {most} in manifests of this size"
        )
    };
    is_limit(&objects, count, &message(count + 1, "objects", count));
    let jobs = |count: usize| (0..count).map(|number| format!("---\n{}", job(&format!("j{number}")))).collect();
    let count = limit(&jobs, (6_000, 2_048));
    is_limit(&jobs, count, &message(count + 1, "Jobs", count));
}

#[test]
fn generate_writes_120_000_jobs_and_more_in_larger_manifests() {
    let small = |number| format!("---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}}}}}\n");
    let jobs = |count: usize| (0..count).map(small).collect::<String>();
    // What is kept is only read, which takes less time.
    let arguments = ["generate", "-", "--strategy", "keep"];
    let count = limit(&jobs, (120_000, 256));
    assert_eq!(run(&arguments, &jobs(count)).status, Some(0));
    let output = run(&arguments, &jobs(count + 1));
    let message = format!(
        "the manifests have {} Jobs: `generate` writes at most {count} in manifests of this size\nhelp: split the Application\n",
        count + 1
    );
    assert_eq!((output.status, output.stderr), (Some(2), message));
    assert!(output.stdout.is_empty());
}

#[test]
fn check_and_preview_read_400_000_keys_and_values_of_jobs_and_more_in_larger_manifests() {
    // Nine Jobs of 45,000, and one with those that are left; an item of a list has two bytes.
    let with =
        |number: usize, items: usize| format!("---\n{}  x: [{}]\n", job(&format!("j{number}")), "1,".repeat(items));
    let own = 19;
    let jobs = |count: usize| {
        (0..=count / 45_000).map(|number| with(number, (count - number * 45_000).min(45_000) - own)).collect::<String>()
    };
    let count = limit(&jobs, (400_000, 8));
    let message = format!(
        "the manifests have {} keys and values in Jobs: `check` and `preview` read at most {count} in manifests of this size",
        count + 1
    );
    is_limit(&jobs, count, &message);
}

#[test]
fn check_and_preview_tell_10_000_findings_and_more_in_larger_manifests() {
    let findings = |count: usize| {
        let labels: String = (0..count).map(|number| format!("a{number}: 1, ")).collect();
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, labels: {{{labels}}}}}\n")
    };
    let count = limit(&findings, (10_000, 256));
    is_limit(&findings, count, &format!("the manifests have more than {count} findings, which are not shown"));
    // Of the text of documents.
    let findings = |count: usize| format!("kind: A\nx:\n{}", "  a: 1\n  a: 2\n".repeat(count / 2 + 1));
    let [fits, exceeds] = [10_000, 11_000].map(|count| run(&["check", "-"], &findings(count)));
    assert!(fits.text().contains("10001 findings"), "{}", fits.text().lines().last().unwrap_or(""));
    assert!(exceeds.text().contains("findings, which are not shown"), "{}", exceeds.text());
}

#[test]
fn nothing_is_compared_with_a_version_that_is_too_large() {
    let scratch = Scratch::new();
    scratch.write("new/a.yaml", job("a"));
    scratch.write("old/a.yaml", "kind: A\n---\n".repeat(17_000));
    for name in ["check", "preview"] {
        let mut command = program::program(&scratch.source());
        command.args([name, "new", "--base", "old"]);
        let output = program::run(command, b"");
        assert_eq!(output.status, Some(2), "{name}");
        let message = "the other version cannot be compared: the manifests have 17000 objects: ";
        assert!(output.stderr.starts_with(message), "{name}: {}", output.stderr);
    }
}
