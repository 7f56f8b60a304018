//! Documents and Jobs of the maximum size, and of one value more.

use super::{MIB, config_map, job, refused, stays};
use crate::support::program::{self, Output};
use crate::support::scratch::Scratch;
use crate::support::switches;

const TOO_MANY: &str = "the document has more than 500,000 keys and values, a limit of argocd-jobs\nhelp: split the document: the items of a `List` can be \
                        documents of their own\n";

/// An object with five values and `more`, on two lines.
fn object(more: usize) -> String {
    format!("kind: A\nx: [{}]\n", "1,".repeat(more))
}

#[test]
fn a_document_may_have_500_000_keys_and_values() {
    stays(object(499_995));
    // The place is that of the first value too many.
    assert_eq!(refused(object(499_996)), format!("<stdin>:2:{}: {TOO_MANY}", 5 + 2 * 499_995));
    // A second document is counted separately.
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
    // Edited in place: comments stay.
    assert_eq!(output.text().lines().filter(|line| line.contains(" # ")).count(), 38_000);
}

#[test]
fn a_limit_is_not_got_around_with_json() {
    // The escape `\/` makes the file valid JSON only.
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
    let message = "the Job has more than 50,000 keys and values, a limit of argocd-jobs\nhelp: put long data into a volume that the Job mounts\n";
    // The Job has 17 keys and values, and two more for the list.
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
    assert_eq!(
        refused(text((16 << 20) + 1)),
        format!("<stdin>:1:1: the document is larger than 16 MiB, a limit of argocd-jobs\n{help}")
    );
    let small = job("a");
    let with = |bytes: usize| format!("{small}  x: {}", "y".repeat(bytes - small.len() - 5));
    let output = super::run_within(super::Bounds::of(8 << 20), &["generate", "-"], with(8 << 20).as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    let help = "help: put long data into a volume that the Job mounts\n";
    assert_eq!(
        refused(with((8 << 20) + 1)),
        format!("<stdin>:1:1: the Job is larger than 8 MiB, a limit of argocd-jobs\n{help}")
    );
}

/// Runs a command over a stream.
fn run(arguments: &[&str], input: &str) -> Output {
    let scratch = Scratch::new();
    let mut command = program::program(&scratch.source());
    command.args(arguments);
    program::run(command, input.as_bytes())
}

const MANY: &str = "help: split the Application; `check` and `preview` can read one folder at a time\n";

#[test]
fn a_run_may_have_100_000_objects() {
    let objects = |count: usize| "kind: A\n---\n".repeat(count);
    let message = format!("the manifests have more than 100,000 objects\n{MANY}");
    for arguments in [&["generate", "-"][..], &["check", "-"], &["preview", "-"]] {
        assert!(run(arguments, &objects(100_000)).status < Some(2), "{arguments:?}");
    }
    for name in ["generate", "preview"] {
        let refused = run(&[name, "-"], &objects(100_001));
        assert_eq!((refused.status, refused.stderr.as_str()), (Some(2), message.as_str()), "{name}");
        assert!(refused.stdout.is_empty(), "{name}");
    }
    let check = run(&["check", "-"], &objects(100_001));
    assert_eq!((check.status, check.text()), (Some(1), format!("error[unreadable]: {message}\n1 finding: 1 error\n")));
    // Items of a List count, and objects of all sources together.
    let list =
        |count: usize| format!("apiVersion: v1\nkind: List\nitems:\n{}", "- {apiVersion: v1, kind: A}\n".repeat(count));
    assert_eq!(run(&["generate", "-"], &format!("{}---\n{}", list(50_000), list(50_001))).stderr, message);
    for name in ["check", "preview"] {
        let refused = run_over(&[name, "."], &[list(50_000), list(50_001)]);
        assert_eq!((refused.status, refused.stderr.as_str()), (Some(2), message.as_str()), "{name}");
        assert!(refused.stdout.is_empty(), "{name}");
    }
}

#[test]
fn a_run_may_have_50_000_findings() {
    // Each document has a hundred findings.
    let findings = |count: usize| {
        let labels = |count: usize| (0..count).map(|number| format!("a{number}: 1, ")).collect::<String>();
        let object = |count| {
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, labels: {{{}}}}}\n", labels(count))
        };
        object(100).repeat(count / 100) + &object(count % 100)
    };
    let message = format!("the manifests have more than 50,000 findings, which are not shown\n{MANY}");
    let check = run(&["check", "-"], &findings(50_001));
    assert_eq!((check.status, check.text()), (Some(1), format!("error[unreadable]: {message}\n1 finding: 1 error\n")));
    for arguments in [&["check", "."][..], &["preview", "."], &["check", ".", "--fix=all", "--diff"]] {
        let refused = run_over(arguments, &[findings(25_000), findings(25_001)]);
        assert_eq!((refused.status, refused.stderr.as_str()), (Some(2), message.as_str()), "{arguments:?}");
        assert!(refused.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn aliases_of_a_document_and_of_a_run_may_expand_to_6_mib() {
    let aliases = |text: usize| config_map(&format!("\n  a: &a {}\n  b: [*a, *a]", "x".repeat(text)));
    stays(aliases(3 << 20).replace("[*a, *a]", "*a"));
    let help = "help: write the value itself in place of the alias\n";
    let refused_at =
        format!("<stdin>:7:11: with this alias, aliases expand to more than 6 MiB, a limit of argocd-jobs\n{help}");
    assert_eq!(refused(aliases(3 << 20)), refused_at);
    let documents = |count: usize| format!("---\n{}", aliases(1 << 20)).repeat(count);
    stays(documents(2));
    let output = run(&["generate", "-"], &documents(3));
    let message = "the aliases of all manifests expand to more than 6 MiB\nhelp: write the values themselves in place of the aliases\n";
    assert_eq!((output.status, output.stderr.as_str(), output.stdout.len()), (Some(2), message, 0));
}

/// Runs a command in a folder in which each of these texts is a source of its own.
fn run_over(arguments: &[&str], texts: &[String]) -> Output {
    let scratch = Scratch::new();
    for (number, text) in texts.iter().enumerate() {
        scratch.write(&format!("{number}/a.yaml"), text);
    }
    run_in(&scratch, arguments)
}

/// Runs a command in the source directory.
fn run_in(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = program::program(&scratch.source());
    command.args(arguments);
    program::run(command, b"")
}

#[test]
fn texts_that_go_into_every_job_are_not_long() {
    let scratch = Scratch::new();
    let run = |key: &str, length: usize, at: &str| {
        scratch.write("new/.argocd-jobs.yaml", format!("{at}{key}: {}\n", "x".repeat(length)));
        run_in(&scratch, &["generate", "new"])
    };
    scratch.write("new/a.yaml", job("a"));
    for (key, most, at) in [("rerun", 1024, ""), ("base-name", 253, "rules:\n- match: {}\n  ")] {
        assert_eq!(run(key, most, at).status, Some(0), "{key}");
        let refused = run(key, most + 1, at);
        assert_eq!(refused.status, Some(2), "{key}");
        let shown = format!("invalid value `{}…`, expected", "x".repeat(40));
        assert!(refused.stderr.contains(&shown), "{}", refused.stderr);
        assert!(refused.stderr.len() < 300, "{}", refused.stderr);
    }
}

#[test]
fn data_that_many_jobs_refer_to_is_hashed_up_to_a_limit() {
    let volume = "      volumes: [{name: v, configMap: {name: a}}]\n";
    let make = |jobs: usize| {
        let data = config_map(&format!(" {{k: {}}}", "x".repeat(MIB)));
        let jobs: String = (0..jobs).map(|number| format!("---\n{}{volume}", job(&format!("j{number}")))).collect();
        data + &jobs
    };
    let run = |jobs| self::run(&["generate", "-", "--hash-references"], &make(jobs));
    assert!(run(if switches::long() { 255 } else { 10 }).is_quiet_success());
    let refused = run(260);
    assert_eq!((refused.status, refused.stdout.len()), (Some(2), 0));
    let message = "with `hash-references`, more than 256 MiB of ConfigMaps and Secrets would be hashed (each counts once for every Job that \
                   refers to it)\nhelp: set `hash-references` to `false`, or let fewer Jobs refer to the largest of them\n";
    assert_eq!(refused.stderr, message);
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
        // Files with such names do not count.
        scratch.write(&format!("{number}.txt"), "");
    }
    assert_eq!(run(&scratch).status, Some(0));
    scratch.write("b.yaml", "");
    let refused = run(&scratch);
    assert_eq!((refused.status, refused.stderr), (Some(2), format!(".: {message}")));
    let scratch = Scratch::new();
    let folder = format!("{}/", "d".repeat(127)).repeat(16);
    // Each path has 2,048 bytes.
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
    scratch.write("old/a.yaml", "kind: A\n---\n".repeat(100_001));
    for name in ["check", "preview"] {
        let mut command = program::program(&scratch.source());
        command.args([name, "new", "--base", "old"]);
        let output = program::run(command, b"");
        assert_eq!(output.status, Some(2), "{name}");
        let message = "the other version cannot be compared: the manifests have more than 100,000 objects\n";
        assert!(output.stderr.starts_with(message), "{name}: {}", output.stderr);
    }
}
