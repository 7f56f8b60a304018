//! Inputs that are too large or too broken to be committed. Each must end with the right status and a message that
//! begins with its place; a refused input prints nothing on standard output; time and memory are limited.
//!
//! The limits are generous: they catch only what grows out of proportion. Time is processor time, so that a busy
//! machine causes no failure.

mod bounded;
mod files;
mod graph;
mod limits;
mod system;

use crate::support::scratch::Scratch;
use crate::support::{program, switches};
use bounded::{Bounds, MIB, run_within};

/// The size of an input: a small one, or with `LONG=1` that of a hostile repository.
fn size(short: usize, long: usize) -> usize {
    if switches::long() { long } else { short }
}

/// A Job named `name`.
fn job(name: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      containers: []\n"
    )
}

/// Checks that `generate -` refuses `input` within the limits, at a place on standard input. Returns the message.
#[track_caller]
fn refused(input: impl AsRef<[u8]>) -> String {
    let input = input.as_ref();
    let output = run_within(Bounds::of(input.len()), &["generate", "-"], input);
    let shown = String::from_utf8_lossy(&input[..input.len().min(60)]).into_owned();
    assert_eq!(output.status, Some(2), "{shown}…: {}", output.stderr);
    assert!(output.stdout.is_empty(), "{shown}…: something was printed");
    let message = output.stderr.strip_prefix("error: ").unwrap_or(&output.stderr);
    assert!(message.starts_with("<stdin>:"), "{shown}…: the message does not begin with its place: {message}");
    assert!(output.stderr.len() < 2_000, "{shown}…: a message of {} bytes", output.stderr.len());
    output.stderr
}

/// Checks that `generate -` prints `want` for `input`, within the limits.
#[track_caller]
fn becomes(input: impl AsRef<[u8]>, want: impl AsRef<[u8]>) {
    let input = input.as_ref();
    let output = run_within(Bounds::of(input.len()), &["generate", "-"], input);
    assert!(output.is_quiet_success(), "status {:?}: {}", output.status, output.stderr);
    assert!(output.stdout == want.as_ref(), "{} bytes were wanted, {} came", want.as_ref().len(), output.stdout.len());
}

/// Checks that `generate -` prints `input` unchanged, within the limits.
#[track_caller]
fn stays(input: impl AsRef<[u8]>) {
    becomes(&input, &input);
}

/// A ConfigMap; `data` is the text after its key `data:`.
fn config_map(data: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:{data}\n")
}

#[test]
fn a_hundred_thousand_nested_brackets_are_refused() {
    refused("[".repeat(100_000));
    refused("kind: Job\nx: ".to_owned() + &"[".repeat(100_000) + &"]".repeat(100_000));
}

#[test]
fn a_hundred_thousand_nested_maps_are_refused() {
    refused("{a: ".repeat(100_000));
    refused("{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000));
}

#[test]
fn block_nesting_without_end_is_refused() {
    refused("kind: Job\nx:\n".to_owned() + &"- ".repeat(100_000) + "a\n");
    let stairs: String = (0..3_000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    refused("kind: Job\n".to_owned() + &stairs);
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut bomb = job("a") + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        bomb += &format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(", "));
    }
    refused(&bomb);
    refused(bomb.replace("kind: Job", "kind: Service"));
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    for broken in [&b"\xff"[..], b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80"] {
        let message = refused([config_map("\n  a: b").as_bytes(), b"  c: \"", broken, b"\"\n"].concat());
        assert!(message.contains("<stdin>:7:"), "{message}");
    }
}

#[test]
fn a_nul_byte_is_refused_with_its_line() {
    assert!(refused(config_map("\n  a: \"\0\"")).contains("<stdin>:6:"));
    assert!(refused(job("a") + "# a comment \0\n").contains("<stdin>:9:"));
}

#[test]
fn control_characters_are_refused() {
    refused(config_map("\n  a: \u{7}"));
    refused(config_map("\n  a: \u{1b}[31m"));
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    let text = config_map(" {a: b}");
    becomes(format!("\u{feff}{text}"), &text);
    becomes(format!("\u{feff}---\n{text}"), format!("---\n{text}"));
}

#[test]
fn a_scalar_of_megabytes_is_printed_unchanged() {
    let bytes = size(4, 15) * MIB;
    let line = "    some text of a line that is eighty bytes long, its newline counted as well\n";
    stays(config_map(format!("\n  a: |\n{}", line.repeat(bytes / line.len())).trim_end_matches('\n')));
    stays(config_map(&format!("\n  a: \"{}\"", "x".repeat(bytes))));
}

#[test]
fn many_documents_are_printed_unchanged() {
    let count = size(50_000, 100_000);
    stays("---\nkind: A\n".repeat(count));
    let nothing = "---\n".repeat(count);
    stays(nothing + &config_map(" {}"));
}

#[test]
fn many_keys_are_printed_unchanged() {
    let keys: String = (0..size(100_000, 240_000)).map(|key| format!("\n  k{key}: v")).collect();
    stays(config_map(&keys));
}

#[test]
fn megabytes_of_blank_lines_are_printed_unchanged() {
    let bytes = size(4, 15) * MIB;
    stays("\n".repeat(bytes) + &config_map(" {}"));
    stays("# a comment of some length\n".repeat(bytes / 27) + &job("a").replace("batch/v1", "v1"));
}

#[test]
fn a_list_of_megabytes_with_jobs_is_rewritten() {
    let bytes = size(3, 15) * MIB;
    let service = |number: usize| {
        let note = "x".repeat(400);
        format!(
            "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: s{number}\n    annotations: {{note: {note}}}\n"
        )
    };
    let mut list = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
    let mut jobs = 0;
    for number in 0.. {
        if list.len() > bytes {
            break;
        }
        list += &service(number);
        if number % 10 == 0 {
            list += &("- ".to_owned() + job(&format!("j{number}")).trim_end().replace('\n', "\n  ").as_str() + "\n");
            jobs += 1;
        }
    }
    let output = run_within(Bounds::of(list.len()), &["generate", "-"], list.as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(output.text().matches("argocd-jobs/name: ").count(), 2 * jobs);
}

#[test]
fn many_jobs_are_rewritten() {
    let count = size(2_000, 10_000);
    let jobs: String = (0..count).map(|number| format!("---\n{}", job(&format!("j{number}")))).collect();
    let output = run_within(Bounds::of(jobs.len()), &["generate", "-"], jobs.as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(output.text().matches("argocd-jobs/name: ").count(), 2 * count);
}

#[test]
fn a_job_with_a_huge_template_is_rewritten() {
    let args: String = (0..45_000).map(|number| format!("        - \"argument {number}\"\n")).collect();
    let text = job("a").replace("[]", format!("\n      - args:\n{args}").trim_end_matches('\n'));
    let output = run_within(Bounds::of(text.len()), &["generate", "-"], text.as_bytes());
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert!(output.text().contains("argocd-jobs/name: a\n"));
}

#[test]
fn a_syntax_error_at_the_end_of_many_documents_prints_nothing() {
    let count = size(50_000, 90_000);
    let message = refused(config_map(" {}") + &"---\nkind: A\n".repeat(count) + "---\nkind: [\n");
    let line = message.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    assert!(line.is_some_and(|line| (2 * count..2 * count + 10).contains(&line)), "{message}");
}

#[test]
fn what_the_parser_panics_on_is_an_answer_all_the_same() {
    stays("kind: A\nx: |\n  no newline at the end");
    refused("kind: A\nx: {a: !x, b: 1}\n---\n[");
}

#[test]
fn directives_without_end_are_refused() {
    let tags = |count: usize| (0..count).map(|n| format!("%TAG !t{n}! tag:example.com,2000:\n")).collect::<String>();
    for end in ["", "---\nkind: A\n"] {
        let message = refused(tags(100_000) + end);
        assert!(message.starts_with("<stdin>:65:1: more than 64 `%TAG` directives\nhelp: "), "{message}");
    }
    assert!(!refused(tags(64) + "---\nkind: A\n").contains("more than"));
    let lines: String = "    %TAG\n".repeat(100);
    stays(config_map(&format!("\n  a: |\n{lines}  b: \"\n{lines}    \"")));
}

#[test]
fn rules_without_end_are_refused() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", job("a"));
    let run = |config: &str| {
        scratch.write(".argocd-jobs.yaml", config);
        let mut command = bounded::limited(Bounds::of(config.len()), &["generate"]);
        command.current_dir(scratch.source());
        program::run(command, b"")
    };
    let rules = |count: usize| "rules:\n".to_owned() + &"- {match: {name: x}, rerun: a}\n".repeat(count);
    assert!(run(&rules(1_000)).is_quiet_success());
    let refused = run(&rules(1_001));
    assert_eq!(refused.status, Some(2));
    let message = ".argocd-jobs.yaml:1002:3: more than 1000 rules\nhelp: use a glob in `match`";
    assert!(refused.stderr.starts_with(message), "{}", refused.stderr);
    for key in ["name", "namespace"] {
        let rule = |length: usize| format!("rules:\n- match: {{{key}: \"{}\"}}\n  rerun: a\n", "*".repeat(length));
        assert!(run(&rule(4_096)).is_quiet_success());
        let refused = run(&rule(4_097));
        assert_eq!(refused.status, Some(2));
        assert!(refused.stderr.contains("expected a glob of at most 4096 bytes"), "{}", refused.stderr);
    }
    for key in ["include", "exclude"] {
        let refused = run(&format!("{key}: \"{}\"\n", "a".repeat(4_097)));
        assert_eq!(refused.status, Some(2));
        assert!(refused.stderr.contains("expected a glob of at most 4096 bytes"), "{}", refused.stderr);
    }
}
