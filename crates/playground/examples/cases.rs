//! Prints each golden case that the playground can answer, as a line of JSON: its name, the request, and what the program prints for it. The tests in
//! `docs/playground/test` ask WebAssembly the same. The last line counts the cases that are left out, by reason.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it is part of a test")]

#[path = "../tests/cases/mod.rs"]
mod cases;

use serde_json::json;

fn main() {
    let found = cases::find();
    for case in &found.cases {
        println!("{}", json!({ "name": case.name, "request": case.request, "expected": case.expected }));
    }
    println!("{}", json!({ "leftOut": found.left_out }));
}
