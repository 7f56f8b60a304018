//! The golden cases of the program, answered by the playground. `docs/playground/test` compares the same ones in WebAssembly.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod cases;

use playground::answer;

/// Fewer cases mean that the reading of cases is broken.
const LEAST: usize = 500;

#[test]
fn the_playground_prints_what_the_program_prints() {
    let found = cases::find();
    let differing: Vec<String> = found.cases.iter().filter_map(difference).collect();
    assert!(differing.is_empty(), "{} of {}:\n{}", differing.len(), found.cases.len(), differing.join("\n"));
    assert!(found.cases.len() >= LEAST, "{} cases; left out: {:?}", found.cases.len(), found.left_out);
}

fn difference(case: &cases::Case) -> Option<String> {
    let got = answer(&case.request);
    (got != case.expected).then(|| format!("{}\n  want {:?}\n  got  {:?}", case.name, case.expected, got))
}
