//! Sixteen times the input takes sixteen times the time, not 256 times.
//!
//! The tests in `growth/` count the work for every shape of input. What the standard library does is not counted there, such as a search
//! through a long text, so that a few shapes are measured here too.
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
fn keys_of_a_template() {
    let key = |number| format!("    k{number}: v\n");
    grows_linearly(|size| job("a") + &(0..size).map(key).collect::<String>());
}

#[test]
fn one_long_line() {
    grows_linearly(|size| job("a") + &format!("  x: \"{}\"\n", "\\u0041 x".repeat(size)));
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
fn findings_in_a_list() {
    for look in LOOKS {
        command_grows_linearly(look, |size| {
            "kind: List\nitems:\n".to_owned()
                + &(0..size).map(|number| format!("- {}\n", odd_job(number))).collect::<String>()
        });
    }
}
