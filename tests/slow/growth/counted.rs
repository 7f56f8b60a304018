//! Runs the program that counts, and judges what it has counted.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::support::program::BUG;
use crate::support::scratch::Scratch;
use crate::support::switches;

/// The smallest size of a short run: how many items there are.
const SHORT: usize = 32;

/// The smallest size.
fn first_size() -> usize {
    if switches::long() { 16 * SHORT } else { SHORT }
}

/// The sizes at which each input is measured.
pub(super) fn sizes() -> [usize; 3] {
    [1, 2, 4].map(|factor| factor * first_size())
}

/// What is counted, how much more of it the second half of the largest input may take than the first, and how much of it is nothing in a short
/// run. Linear is 2, and what sorts n items takes n log n; a list that grows by doubling makes more of a difference than that, and with more
/// items it is a longer list: so in a long run, more is nothing.
const UNITS: [Unit; 3] = [
    ("blocks", |counts| counts.blocks, 2.5, 20_000),
    ("bytes", |counts| counts.bytes, 2.6, 500_000),
    ("memory", |counts| counts.memory, 2.6, 400_000),
];

type Unit = (&'static str, fn(Counts) -> i64, f64, i64);

/// What a run was counted to take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Basic blocks of the program that ran.
    blocks: i64,
    /// Bytes that the functions of C copied, compared or filled.
    bytes: i64,
    /// The most bytes that were allocated at a time, by the program or one that it started.
    memory: i64,
}

impl Counts {
    /// The most bytes that were allocated at a time.
    pub(super) fn memory(self) -> i64 {
        self.memory
    }
}

/// The program that counts, where there is one.
pub(super) fn is_there() -> bool {
    switches::counted_program().is_some()
}

/// Runs `arguments` in `dir` and returns what the program counted.
#[track_caller]
pub(super) fn run(dir: &Scratch, arguments: &[&str], input: &[u8]) -> Counts {
    let Some(program) = switches::counted_program() else { return Counts::default() };
    let counts = dir.write("../counts", "");
    let mut command = Command::new("sh");
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(dir.source());
    command.arg("-c").arg("exec 9>>\"$0\"; exec \"$@\"").arg(&counts).arg(program).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that refuses early closes its input: that is not a failure of the test.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0..=2)), "{arguments:?}: {message}");
    assert!(!message.contains(BUG), "{arguments:?}: {message}");
    sum(&counts)
}

/// What the processes have written, together.
fn sum(counts: &Path) -> Counts {
    let mut sum = Counts::default();
    for line in fs::read_to_string(counts).unwrap().lines() {
        let numbers: Vec<i64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        let [blocks, bytes, memory] = numbers[..] else { panic!("{line}") };
        sum.blocks += blocks;
        sum.bytes += bytes;
        sum.memory = sum.memory.max(memory);
    }
    assert!(sum.blocks > 0, "the program has counted nothing");
    sum
}

/// What is wrong with the growth from each size to twice that.
pub(super) fn judge(what: &str, [small, middle, large]: [Counts; 3]) -> Vec<String> {
    let grows_too_much = |(unit, of, most, nothing): Unit| {
        let (first, second) = (of(middle) - of(small), of(large) - of(middle));
        let nothing = nothing * (first_size() / SHORT) as i64;
        let ratio = second as f64 / first.max(nothing) as f64;
        let counts = [small, middle, large].map(of);
        (ratio > most).then(|| format!("{what}: {unit}: {counts:?}, a ratio of {ratio:.2}"))
    };
    UNITS.into_iter().filter_map(grows_too_much).collect()
}
