//! `generate` for another process: one line of JSON in, one line out. `interop/twin_test.go` is the other end.
//!
//! In: `{"files": {"a.yaml": base64}, "strategy": "hook"}`, or `"stream"` in the place of the files. Out: `{"status": 0, "stdout": base64,
//! "stderr": text}`. A panic is an answer too, with the status 101.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use argocd_jobs_fuzz::generate::run;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
// The counters of coverage, which every part of this is compiled with, are in there.
use libfuzzer_sys as _;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Question {
    stream: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    strategy: Option<String>,
    application: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    status: i32,
    stdout: String,
    stderr: String,
}

fn answer(line: &str) -> Option<Answer> {
    let question: Question = serde_json::from_str(line).ok()?;
    let decode = |text: &String| STANDARD.decode(text).ok();
    let stream = question.stream.as_ref().map(decode).unwrap_or_default();
    let files = question.files.iter().map(|(name, text)| Some((name.clone(), decode(text)?)));
    let files: Vec<(String, Vec<u8>)> = files.collect::<Option<_>>()?;
    let run = || run(stream, files, question.strategy.as_deref(), question.application);
    let (status, stdout, stderr) =
        catch_unwind(AssertUnwindSafe(run)).unwrap_or((101, Vec::new(), "a panic".to_owned()));
    Some(Answer { status, stdout: STANDARD.encode(stdout), stderr })
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?).ok_or_else(|| io::Error::other("a line that is not a question"))?;
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
