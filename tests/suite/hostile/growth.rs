//! Sixteen times the input takes sixteen times the work, not 256 times.
//!
//! Work is the processor time that the system charges to the program: a busy machine makes a run longer, and charges no more for it.
//! Each input is doubled until it takes [`work`] worth measuring, so that no size has to fit a machine or a profile. What is quadratic
//! with a small factor shows at large sizes only: `.ci/run` takes them, with `LONG=1` and the released program.

use std::sync::OnceLock;
use std::time::Duration;

use super::bounded::processor_time;
use super::job;
use crate::support::switches;

/// How much larger the larger input is.
const FACTOR: usize = 16;

/// Between `FACTOR`, which is linear, and its square. At this ratio the larger input takes 2.5 times as long as a linear one.
/// An input that outgrows the machine's caches at the larger size takes up to twice as long for that reason alone.
const LARGEST_RATIO: f64 = 40.0;

/// How often both sizes are measured before a ratio is believed. The smallest time counts: what else the machine does can only add to it.
const ROUNDS: usize = 4;

/// The size that each input begins with: copies of what it is made of.
const FIRST_SIZE: usize = 16;

/// The least processor time of the smaller run beside its start.
fn work() -> Duration {
    Duration::from_millis(if switches::long() { 60 } else { 20 })
}

/// The processor time that a run takes before its first byte.
fn start() -> Duration {
    static START: OnceLock<Duration> = OnceLock::new();
    *START.get_or_init(|| (0..5).map(|_| processor_time(&["generate", "-"], b"kind: A\n")).min().unwrap())
}

/// Fails when `generate -` takes far more than `FACTOR` times as long for `make(FACTOR * size)` as for `make(size)`.
#[track_caller]
fn grows_linearly(make: impl Fn(usize) -> String) {
    command_grows_linearly(&["generate", "-"], make);
}

/// The same for any command.
#[track_caller]
fn command_grows_linearly(arguments: &[&str], make: impl Fn(usize) -> String) {
    let time = |input: &str| processor_time(arguments, input.as_bytes()).saturating_sub(start());
    let mut size = FIRST_SIZE;
    let mut small = make(size);
    let mut small_time = time(&small);
    while small_time < work() {
        size *= 2;
        small = make(size);
        small_time = time(&small);
    }
    let large = make(FACTOR * size);
    let mut large_time = time(&large);
    let ratio = |small: Duration, large: Duration| large.as_secs_f64() / small.as_secs_f64();
    for _ in 1..ROUNDS {
        if ratio(small_time, large_time) >= LARGEST_RATIO {
            (small_time, large_time) = (small_time.min(time(&small)), large_time.min(time(&large)));
        }
    }
    let ratio = ratio(small_time, large_time);
    assert!(
        ratio < LARGEST_RATIO,
        "{arguments:?}: {small_time:?} of processor time for {size}, {large_time:?} for {FACTOR} times as many: a ratio of {ratio:.1}"
    );
}

#[test]
fn jobs_in_a_stream() {
    grows_linearly(|size| (0..size).map(|number| format!("---\n{}", job(&format!("j{number}")))).collect());
}

#[test]
fn jobs_in_a_list() {
    let item = |number| "- ".to_owned() + &job(&format!("j{number}")).trim_end().replace('\n', "\n  ") + "\n";
    grows_linearly(|size| "kind: List\nitems:\n".to_owned() + &(0..size).map(item).collect::<String>());
}

#[test]
fn jobs_in_one_line_of_json() {
    let item =
        |number| format!(r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j{number}"}},"spec":{{}}}}"#);
    grows_linearly(|size| {
        format!(r#"{{"kind":"List","items":[{}]}}"#, (0..size).map(item).collect::<Vec<_>>().join(","))
    });
}

#[test]
fn json_objects_one_after_another() {
    let object =
        |number| format!(r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j{number}"}},"spec":{{}}}}"#);
    grows_linearly(|size| (0..size).map(object).collect());
}

#[test]
fn jobs_that_are_written_out_anew() {
    let aliased =
        |number| format!("---\nx: &m {{name: j{number}}}\napiVersion: batch/v1\nkind: Job\nmetadata: *m\nspec: {{}}\n");
    grows_linearly(|size| (0..size).map(aliased).collect());
}

#[test]
fn keys_of_a_template() {
    let key = |number| format!("    k{number}: v\n");
    grows_linearly(|size| job("a") + &(0..size).map(key).collect::<String>());
}

#[test]
fn annotations_of_a_job() {
    let annotation = |number| format!("    k{number}: v\n");
    grows_linearly(|size| {
        let annotations: String = (0..size).map(annotation).collect();
        job("a").replace("spec:\n  template", &format!("  annotations:\n{annotations}spec:\n  template"))
    });
}

#[test]
fn anchors_and_aliases() {
    let pair = |number| format!("  - &a{number} x\n  - *a{number}\n");
    grows_linearly(|size| job("a") + "  x:\n" + &(0..size).map(pair).collect::<String>());
}

#[test]
fn next_lines_in_a_text() {
    grows_linearly(|size| job("a") + "  x: \"<" + &"\\N".repeat(size) + ">\"\n");
}

#[test]
fn merge_keys() {
    grows_linearly(|size| job("a") + "  b: &b {k: v}\n  x:\n" + &"  - {<<: *b}\n".repeat(size));
}

#[test]
fn items_of_a_comma_list() {
    grows_linearly(|size| {
        let options: Vec<String> =
            (0..size).map(|number| format!("PrunePropagationPolicy{number}=foreground")).collect();
        let annotations =
            format!("  annotations: {{argocd.argoproj.io/sync-options: \"{}\"}}\nspec:\n  t", options.join(","));
        job("a").replace("spec:\n  t", &annotations)
    });
}

#[test]
fn flow_brackets_side_by_side() {
    grows_linearly(|size| job("a") + &format!("  x: [{}]\n", "[[]],".repeat(size)));
}

#[test]
fn separators_and_nothing_else() {
    grows_linearly(|size| "---\n".repeat(size) + &job("a"));
}

#[test]
fn one_long_line() {
    grows_linearly(|size| job("a") + &format!("  x: \"{}\"\n", "\\u0041 x".repeat(size)));
}

#[test]
fn line_ends_of_another_kind() {
    grows_linearly(|size| (job("a") + &"  x: y # \u{2028}\n".repeat(size)).replace('\n', "\r\n"));
}

/// What looks at manifests, in all formats that look at lines.
const LOOKS: [&[&str]; 4] = [
    &["check", "-", "--deny", "info"],
    &["check", "-", "--format", "sarif"],
    &["preview", "-", "--diff", "always"],
    &["preview", "-", "--format", "json"],
];

/// A Job with three findings at least, on one line of JSON.
pub(super) fn odd_job(number: usize) -> String {
    let (head, tail) = (
        r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"#,
        r#""annotations":{"argocd.argoproj.io/hook":"presync","argocd.argoproj.io/sync-wave":"x","note":1}},"spec":{}}"#,
    );
    format!(r#"{head}"j{number}",{tail}"#)
}

#[test]
fn findings_in_a_stream() {
    for look in LOOKS {
        command_grows_linearly(look, |size| (0..size).map(|number| format!("---\n{}\n", odd_job(number))).collect());
    }
}

#[test]
fn findings_in_a_list() {
    for look in LOOKS {
        command_grows_linearly(look, |size| {
            "kind: List\nitems:\n".to_owned()
                + &(0..size).map(|number| format!("- {}\n", odd_job(number))).collect::<String>()
        });
    }
}

#[test]
fn findings_on_one_line() {
    for look in LOOKS {
        let items = |size| (0..size).map(odd_job).collect::<Vec<_>>().join(",");
        command_grows_linearly(look, |size| format!(r#"{{"kind":"List","items":[{}]}}"#, items(size)));
    }
}

#[test]
fn comments_and_keys_that_are_there_twice() {
    let lines = |number| format!("  k{number}: a # argocd-jobs: ignore[null-value] x\n  k{number}: b\n");
    command_grows_linearly(LOOKS[0], |size| job("a") + &(0..size).map(lines).collect::<String>());
}

#[test]
fn refusals() {
    let refused = |number| format!("---\n{}", job(&format!("j{number}\n  annotations: {{argocd-jobs/strategy: x}}")));
    for look in [&["generate", "-"][..], LOOKS[0]] {
        command_grows_linearly(look, |size| (0..size).map(refused).collect());
        command_grows_linearly(look, |size| format!("---\n{}", job("a")).repeat(size));
    }
}
