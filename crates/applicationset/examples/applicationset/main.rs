//! Answers lines of JSON: an ApplicationSet and its world in, the Applications and the problems out. The tests in `interop/applicationset`
//! are the other end.

mod answer;

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let question = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer::answer(&question))?;
        out.flush()?;
    }
    Ok(())
}
