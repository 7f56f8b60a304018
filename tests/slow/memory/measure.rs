//! Runs the program, and measures the memory and the processor time that it and those that it starts take.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use crate::support::program::BUG;
use crate::support::scratch::Scratch;
use crate::support::switches;

/// A megabyte.
pub(super) const MIB: u64 = 1 << 20;

/// Memory that grows in any way as long as it is less than this: what a run takes whatever it reads differs by some of it.
const NOISE: u64 = 16 * MIB;

/// The most memory that a run may take besides that of an empty one.
const MOST: u64 = 1536 * MIB;

/// What the system lets a run have: seconds of processor time and kibibytes of data. More than any run takes here; one that would take all of
/// the machine ends.
const ALLOWED: [&str; 2] = ["60", "3145728"];

/// Processor time below which nothing is said about its growth.
const SHORT: Duration = Duration::from_millis(40);

/// How much longer an input of four times the size may take: between 4, which is linear, and 16, which is quadratic.
const MOST_TIMES: f64 = 9.0;

/// How often a run is repeated before a ratio of times is believed. The smallest time counts: what else the machine does can only add to it.
const ROUNDS: usize = 3;

/// What a run takes.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The most memory in bytes that one of its processes had at a time.
    memory: u64,
    time: Duration,
}

/// Runs `arguments` in the source directory of `scratch`.
#[track_caller]
fn run(scratch: &Scratch, arguments: &[&str]) -> Taken {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\"; ulimit -d \"$1\"; shift; exec \"$@\""]).args(ALLOWED);
    command.arg(switches::program()).args(arguments).env_clear().current_dir(scratch.source());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    let ended = child.wait4().unwrap();
    let start: String = message.chars().take(500).collect();
    assert!(matches!(ended.status.code(), Some(0..=2)), "{arguments:?}: {:?} {start}", ended.status);
    assert!(!message.contains(BUG), "{arguments:?}: {start}");
    Taken { memory: ended.rusage.maxrss, time: ended.rusage.utime + ended.rusage.stime }
}

/// What is wrong with how a command grows with the input that `write` writes for a size: at this size, twice and four times that.
pub(super) fn judge(name: &str, arguments: &[&str], size: usize, write: &dyn Fn(&Scratch, usize)) -> Option<String> {
    let empty = Scratch::new();
    super::versions(&empty, &super::config_map("a: b"), "");
    let empty = run(&empty, arguments);
    let taken = [1, 2, 4].map(|factor| {
        let scratch = Scratch::new();
        write(&scratch, factor * size);
        let Taken { memory, time } = run(&scratch, arguments);
        let taken = Taken { memory: memory.saturating_sub(empty.memory), time: time.saturating_sub(empty.time) };
        (scratch, taken)
    });
    let [(small, one), (_, two), (large, mut four)] = taken;
    let memory = [one, two, four].map(|taken| taken.memory / MIB);
    switches::show(&format!("{name}, {arguments:?}: {memory:?} MiB, {:?} and {:?}", one.time, four.time));
    let is_linear =
        [(two, 2), (four, 4)].iter().all(|(taken, times)| taken.memory <= times * one.memory.max(NOISE) + NOISE);
    if !is_linear || four.memory > MOST {
        return Some(format!("{name}, {arguments:?}: {memory:?} MiB"));
    }
    let mut least = one.time;
    let ratio = |one: Duration, four: Duration| four.as_secs_f64() / one.max(SHORT).as_secs_f64();
    for _ in 0..ROUNDS {
        if ratio(least, four.time) <= MOST_TIMES {
            return None;
        }
        least = least.min(run(&small, arguments).time.saturating_sub(empty.time));
        four.time = four.time.min(run(&large, arguments).time.saturating_sub(empty.time));
    }
    Some(format!("{name}, {arguments:?}: {least:?} of processor time, and {:?} for four times as much", four.time))
}
