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
fn generate_writes_50_000_jobs_and_more_in_larger_manifests() {
    let small = |number| format!("---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: j{number}}}}}\n");
    let jobs = |count: usize| (0..count).map(small).collect::<String>();
    // What is kept is only read, which takes less time.
    let arguments = ["generate", "-", "--strategy", "keep"];
    let count = limit(&jobs, (50_000, 512));
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

/// Runs a command in a folder of sources with these texts, each in a folder of its own.
fn run_over(arguments: &[&str], texts: &[String]) -> Output {
    let scratch = Scratch::new();
    for (number, text) in texts.iter().enumerate() {
        scratch.write(&format!("{number}/a.yaml"), text);
    }
    let mut command = program::program(&scratch.source());
    command.args(arguments);
    program::run(command, b"")
}

#[test]
fn of_all_sources_no_more_is_kept_than_of_one() {
    let object = "apiVersion: v1\nkind: A\n---\n";
    let most = limit(&|count| object.repeat(count), (16_000, 256));
    let sources = |count: usize| [count / 2, count - count / 2].map(|count| object.repeat(count));
    let findings = |count: usize| {
        let labels: String = (0..count).map(|number| format!("a{number}: 1, ")).collect();
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, labels: {{{labels}}}}}\n")
    };
    let bytes = object.len() * (most + 1);
    let message = format!(
        "the manifests of all sources have too many objects: `check` and `preview` read at most {most}, with at most {} Jobs and {} keys and \
         values in Jobs, in manifests of this size\n{PART}\n",
        6_000 + bytes / 2_048,
        400_000 + bytes / 8
    );
    let bytes = findings(6_000).len() * 2;
    let too_many = format!(
        "the manifests of all sources have more than {} findings, which are not shown\n{PART}\n",
        10_000 + bytes / 256
    );
    for name in ["check", "preview"] {
        assert!(run_over(&[name, "."], &sources(most)).status < Some(2), "{name}");
        let refused = run_over(&[name, "."], &sources(most + 1));
        assert_eq!((refused.status, refused.stderr.as_str()), (Some(2), message.as_str()), "{name}");
        assert!(refused.stdout.is_empty());
        assert!(run_over(&[name, "."], &[findings(4_000), findings(4_000)]).status < Some(2), "{name}");
        let refused = run_over(&[name, "."], &[findings(6_000), findings(6_000)]);
        assert_eq!((refused.status, refused.stderr.as_str()), (Some(2), too_many.as_str()), "{name}");
    }
    // Nothing is fixed.
    let refused = run_over(&["check", ".", "--fix=all", "--diff"], &[findings(6_000), findings(6_000)]);
    assert_eq!((refused.status, refused.stderr, refused.stdout.len()), (Some(2), too_many, 0));
    // Of the version that is compared with, too.
    let scratch = Scratch::new();
    for number in ["0", "1"] {
        scratch.write(&format!("new/{number}/a.yaml"), object);
        scratch.write(&format!("old/new/{number}/a.yaml"), object.repeat(9_000));
    }
    let mut command = program::program(&scratch.source());
    command.args(["preview", "new/0", "new/1", "--base", "old"]);
    let refused = program::run(command, b"");
    assert_eq!((refused.status, refused.stdout.is_empty()), (Some(2), true));
    assert!(refused.stderr.starts_with("the manifests of all sources have too many objects: "), "{}", refused.stderr);
}

#[test]
fn there_may_be_4_000_sources_and_more_with_larger_manifests() {
    let text = "apiVersion: v1\nkind: A\n".to_owned();
    let most = limit(&|count| text.repeat(count), (4_000, 2_048));
    for name in ["check", "preview"] {
        assert_eq!(run_over(&[name, "."], &vec![text.clone(); most]).status, Some(0), "{name}");
        let refused = run_over(&[name, "."], &vec![text.clone(); most + 1]);
        let message = format!("more than {most} sources, with manifests as small as these\n{PART}\n");
        assert_eq!((refused.status, refused.stderr), (Some(2), message), "{name}");
    }
}

#[test]
fn a_directory_may_have_32_000_files_and_4_mib_of_paths() {
    let message = "more than 32,000 files of manifests, or more than 4 MiB of their paths\nhelp: split the directory: each part can be an Application\n";
    let run = |scratch: &Scratch| {
        let mut command = program::program(&scratch.source());
        command.args(["generate", ".", "--recurse"]);
        program::run(command, b"")
    };
    let scratch = Scratch::new();
    scratch.write("a.yaml", job("a"));
    for number in 0..31_999 {
        scratch.write(&format!("{number}.yaml"), "");
        // These are not looked at.
        scratch.write(&format!("{number}.txt"), "");
    }
    assert_eq!(run(&scratch).status, Some(0));
    scratch.write("b.yaml", "");
    let refused = run(&scratch);
    assert_eq!((refused.status, refused.stderr), (Some(2), format!(".: {message}")));
    let scratch = Scratch::new();
    let folder = format!("{}/", "d".repeat(127)).repeat(16);
    // 2,048 bytes each.
    let long = |number: usize| format!("{}{number:04}.yaml", folder[..folder.len() - 10].to_owned() + "/");
    scratch.write(&long(0), job("a"));
    for number in 1..2_048 {
        scratch.write(&long(number), "");
    }
    assert_eq!(long(0).len(), 2_048);
    assert_eq!(run(&scratch).status, Some(0));
    scratch.write("a.yaml", "");
    let refused = run(&scratch);
    assert_eq!((refused.status, refused.stderr), (Some(2), format!(".: {message}")));
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
