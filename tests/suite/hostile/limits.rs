//! Documents and Jobs that are as large as they may be, and those with one value more.

use super::{job, refused, stays};
use crate::support::program;
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
