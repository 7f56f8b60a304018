//! How much memory each byte of input may take: three times itself for `generate` and eight times for the other commands, with 64 MiB for
//! the program itself. Where more is needed, the table below says how much, and so does `docs/limits.md`.
//!
//! The input is what needs the most: nothing but small Jobs, in every form in which there can be many of them.

use super::counted;
use super::shapes::{self, Shape};
use crate::support::scratch::Scratch;
use crate::support::switches;

/// How many bytes the program may need whatever it reads.
pub(super) const FIXED: i64 = 64 << 20;

/// How many bytes of memory a byte of input may take.
#[derive(Clone, Copy)]
struct Factors {
    generate: i64,
    check: i64,
    preview: i64,
    /// `check` and `preview` with `--base`, of both versions together.
    base: i64,
    test: i64,
}

/// What is promised.
const PROMISED: Factors = Factors { generate: 3, check: 8, preview: 8, base: 8, test: 8 };

/// What is needed, where it is more than what is promised. Of a List `generate` needs more for each byte, but a List has limits: that it stays
/// within the promise is tested in `largest.rs`.
const NEEDED: [(&str, Factors); 5] = [
    ("Jobs in documents", Factors { check: 32, preview: 38, base: 38, test: 16, ..PROMISED }),
    ("JSON objects, one a line", Factors { check: 32, preview: 48, base: 38, test: 16, ..PROMISED }),
    ("findings in a stream", Factors { check: 34, preview: 36, base: 38, test: 16, ..PROMISED }),
    ("Jobs in a List", Factors { generate: 25, check: 36, preview: 46, base: 38, test: 17 }),
    ("Jobs on one line of JSON", Factors { generate: 27, check: 37, preview: 54, base: 41, test: 19 }),
];

/// A command over one of the shapes, and how much of the memory is for each byte.
type Run = (&'static [&'static str], fn(&Factors) -> i64);

const RUNS: [Run; 10] = [
    (&["generate", "-"], |factors| factors.generate),
    (&["generate", "-", "--strategy", "hook"], |factors| factors.generate),
    (&["check", "-"], |factors| factors.check),
    (&["check", "-", "--format", "json"], |factors| factors.check),
    (&["preview", "-"], |factors| factors.preview),
    (&["preview", "-", "--format", "json"], |factors| factors.preview),
    (&["preview", "-", "--format", "markdown"], |factors| factors.preview),
    (&["check", "new", "--base", "old"], |factors| factors.base),
    (&["preview", "new", "--base", "old"], |factors| factors.base),
    (&["test", "case"], |factors| factors.test),
];

/// How many Jobs there are; twice as many are compared with them.
fn size() -> usize {
    if switches::long() { 30_000 } else { 500 }
}

/// The bytes that a command reads with so many Jobs, and the most memory that it needs.
fn measured(arguments: &[&str], shape: &Shape, size: usize) -> (i64, i64) {
    let scratch = Scratch::new();
    let input = shape.make(size);
    let mut stream: &[u8] = b"";
    let mut read = input.len();
    match arguments {
        [_, "-", ..] => stream = input.as_bytes(),
        ["test", ..] => drop(scratch.write("case/in/a.yaml", &input)),
        _ => {
            let old = shape.of(0..size, "new");
            read += old.len();
            scratch.write("new/a.yaml", &input);
            scratch.write("old/a.yaml", &old);
        }
    }
    (read as i64, counted::run(&scratch, arguments, stream).memory())
}

/// What is wrong with the memory of a command; nothing when it is as much as it may be.
fn judged(run: Run, shape: &Shape, needed: &Factors) -> Option<String> {
    let (arguments, factor_of) = run;
    let (first, second) = (measured(arguments, shape, size()), measured(arguments, shape, 2 * size()));
    let (read, memory) = (second.0 - first.0, second.1 - first.1);
    let factor = factor_of(needed);
    let is_over = memory > factor * read || second.1 > FIXED + factor * second.0;
    let ratio = memory as f64 / read as f64;
    is_over.then(|| format!("{arguments:?}, {}: {ratio:.2} bytes for each byte, not {factor}", shape.name))
}

#[test]
fn memory_grows_with_the_input_as_the_documents_say() {
    if !counted::is_there() {
        return;
    }
    let shapes = shapes::all();
    let mut wrong = Vec::new();
    for (name, needed) in &NEEDED {
        let shape = shapes.iter().find(|shape| shape.name == *name).unwrap();
        wrong.extend(RUNS.into_iter().filter_map(|run| judged(run, shape, needed)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
