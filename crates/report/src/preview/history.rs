//! The runs whose Jobs still exist, and why earlier runs are missing: as a table, and for programs.
//! Version 1 of the latter is frozen in `schema/history.v1.json`: keys may come, none goes or changes its meaning.

use std::fmt::Write;

use preview::{History, LiveState, Missing, Run};
use serde::Serialize;
use text::plural;

use crate::json::to_json;
use crate::paint::Ink;
use crate::show::Show;
use crate::table::{Cell, Column, Narrow, fitted};

const COLUMNS: [Column; 7] = [
    Column { heading: "JOB", narrow: Narrow::CutStart },
    Column { heading: "HASH", narrow: Narrow::Drop(0) },
    Column { heading: "IMAGES", narrow: Narrow::CutStart },
    Column { heading: "STARTED", narrow: Narrow::Keep },
    Column { heading: "TOOK", narrow: Narrow::Keep },
    Column { heading: "RESULT", narrow: Narrow::Keep },
    Column { heading: "MESSAGE", narrow: Narrow::CutEnd },
];

/// The table, and below it what deletes runs.
pub fn text(history: &History, show: Show) -> String {
    let mut out = match history.runs.len() {
        0 => "no runs\n".to_owned(),
        count => format!("{}\n\n", plural(count, "run")),
    };
    if !history.runs.is_empty() {
        let rows: Vec<Vec<Cell>> = history.runs.iter().map(row).collect();
        out.push_str(&fitted(&COLUMNS, &rows, show.width, show.paint));
    }
    if !history.gone.is_empty() {
        let _ = write!(out, "\n{}\n", show.paint.ink(Ink::Faint, "WHY EARLIER RUNS ARE MISSING"));
    }
    for Missing { name, why } in &history.gone {
        out += &show.line(&format!("{name}: {why}"));
    }
    if history.of_cron_jobs > 0 {
        let _ = write!(out, "\nleft out: {} of CronJobs\n", plural(history.of_cron_jobs, "Job"));
    }
    out
}

fn row(run: &Run) -> Vec<Cell> {
    let plain = |text: &str| (text.to_owned(), None);
    let (message, ink) = match &run.state {
        LiveState::Failed { reason, message, .. } => (joined(reason, message), Some(Ink::Bad)),
        LiveState::Complete { .. } => (String::new(), Some(Ink::Good)),
        _ => (String::new(), Some(Ink::Warning)),
    };
    vec![
        (run.name.clone(), Some(Ink::Strong)),
        plain(run.hash.as_deref().unwrap_or_default()),
        plain(&run.images.join(", ")),
        plain(&run.started.as_ref().map(ToString::to_string).unwrap_or_default()),
        plain(run.took.as_deref().unwrap_or_default()),
        (run.state.as_str().to_owned(), ink),
        (message, None),
    ]
}

fn joined(reason: &str, message: &str) -> String {
    [reason, message].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'h> {
    version: u8,
    runs: &'h [Run],
    missing: &'h [Missing],
    of_cron_jobs: usize,
}

/// The history as JSON.
pub fn json(history: &History) -> String {
    to_json(&Report { version: 1, runs: &history.runs, missing: &history.gone, of_cron_jobs: history.of_cron_jobs })
}
