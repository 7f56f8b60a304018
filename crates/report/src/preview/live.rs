//! What a sync does to the Jobs of a cluster, for people and for programs.

use std::fmt::Write;

use preview::{Halt, Judged, LIVE_VERDICTS, LiveVerdict, Row};
use serde::Serialize;
use text::{Place, Time, agreed, capitalized, plural, visible};

use crate::json::to_json;
use crate::paint::Ink;
use crate::show::Show;

/// The answer, then a line for each Job. Without `now` there are no ages.
pub fn text(judged: &Judged, now: Option<&Time>, show: Show) -> String {
    let paint = show.paint;
    let mut out = show.inked(Ink::Strong, &answer(judged)) + "\n";
    for row in &judged.rows {
        let (place, name) =
            (visible(&row.place.to_string()).into_owned(), paint.ink(Ink::Strong, visible(&row.full_name())));
        let sentence = paint.ink(ink(row), visible(&row.sentence(now)));
        let _ = writeln!(out, "{}", show.wrapped(&format!("{place}: {name} {sentence}"), "", "  "));
    }
    if let Some(note) = strangers(judged) {
        let _ = write!(out, "\n{}", show.line(&note));
    }
    out
}

fn ink(row: &Row) -> Ink {
    match &row.verdict {
        verdict if verdict.is_an_error() => Ink::Bad,
        LiveVerdict::Runs(_) | LiveVerdict::RunsAgain(_) => Ink::Good,
        LiveVerdict::Nothing | LiveVerdict::GateDone | LiveVerdict::DoesNotRun(_) => Ink::Faint,
        _ => Ink::Warning,
    }
}

/// The first sentences: how the sync ends, what runs, and how many Jobs have each other verdict.
fn answer(judged: &Judged) -> String {
    let end = match judged.stop.map(|stop| (stop.why, stop.moment)) {
        Some((Halt::Comparison, _)) => "The comparison fails, so no sync starts. ".to_owned(),
        Some((Halt::Failure, Some(moment))) => format!("The sync fails in {moment}. "),
        Some((Halt::Failure, None)) => "The sync fails before anything is applied. ".to_owned(),
        Some((_, Some(moment))) => format!("The sync waits in {moment}. "),
        Some((_, None)) => "The sync waits. ".to_owned(),
        None => String::new(),
    };
    let count = |is_meant: &dyn Fn(&Row) -> bool| judged.rows.iter().filter(|row| is_meant(row)).count();
    let (runs, kills) = (count(&|row| row.runs()), count(&Row::kills));
    let of = |id: &str| count(&|row| row.verdict.row().id == id);
    let unknown = of("unknown");
    let mut said = vec![match runs {
        0 if unknown > 0 => format!("it is not known whether {} run", plural(unknown, "Job")),
        0 => "no Job runs".to_owned(),
        runs => agreed(runs, "Job", "runs", "run"),
    }];
    said.extend((kills > 0).then(|| agreed(kills, "running Job", "is killed", "are killed")));
    for (id, noun, one, several) in [
        ("refused", "Job", "makes it fail", "make it fail"),
        ("trapped", "Job", "is not run because of the conversion trap", "are not run because of the conversion trap"),
        ("nothing-failed", "failed Job", "does not run again", "do not run again"),
        ("not-reached", "Job", "is not reached", "are not reached"),
        ("left", "Job", "is not in the source", "are not in the source"),
        ("unknown", "Job", "is unknown", "are unknown"),
    ] {
        debug_assert!(LIVE_VERDICTS.iter().any(|row| row.id == id));
        let found = of(id);
        let is_said = found > 0 && !(id == "unknown" && runs == 0);
        said.extend(is_said.then(|| agreed(found, noun, one, several)));
    }
    format!("{end}{}. Only Jobs are looked at.", capitalized(&said.join("; ")))
}

fn strangers(judged: &Judged) -> Option<String> {
    let are = agreed(judged.strangers, "other live Job", "is", "are");
    let why =
        "not judged, because the Application's name is not known; set `ARGOCD_APP_NAME` to see what is left behind";
    (judged.strangers > 0).then(|| format!("{are} {why}."))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'j> {
    version: u8,
    live: Vec<Job<'j>>,
    answer: String,
    not_judged: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Job<'j> {
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'j str>,
    name: &'j str,
    #[serde(flatten)]
    at: &'j Place,
    verdict: &'static str,
    runs: bool,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    fields: Vec<String>,
}

/// The answer and the Jobs, for programs.
pub fn json(judged: &Judged, now: Option<&Time>) -> String {
    let live = judged.rows.iter().map(|row| Job {
        namespace: row.namespace.as_deref(),
        name: &row.name,
        at: &row.place,
        verdict: row.verdict.row().id,
        runs: row.runs(),
        text: row.sentence(now),
        state: row.state.as_ref().map(|state| state.as_str()),
        since: row.state.as_ref().and_then(|state| state.since()).map(ToString::to_string),
        fields: row.fields(),
    });
    to_json(&Report { version: 2, live: live.collect(), answer: answer(judged), not_judged: judged.strangers })
}
