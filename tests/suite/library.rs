//! The program prints what the library returns. This allows other tests to use the library, because a process for
//! each of thousands of inputs takes too long.

use crate::laws::generate::generate;
use crate::support::inputs::{self, Input, hold_for_all};
use crate::support::program;

/// Only each 25th input is run through the program, too.
const SAMPLE: usize = 25;

#[test]
fn the_program_prints_what_the_library_returns() {
    let sample: Vec<Input> = inputs::all().into_iter().step_by(SAMPLE).collect();
    assert!(sample.len() > 40, "only {} inputs", sample.len());
    hold_for_all(&sample, |input| {
        let (library, program) =
            (generate(&input.bytes, Some("hook")), program::generate(&input.bytes, &["--strategy", "hook"]));
        let is_same = library.stdout == program.stdout
            && library.status == program.status
            && program.stderr.trim_end().starts_with(&library.stderr);
        (!is_same).then(|| format!("{}: {library:?}\n{program:?}", input.name))
    });
}
