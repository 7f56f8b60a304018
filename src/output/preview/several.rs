//! Previews of several sources, in one output.

use std::fmt::Write;

use serde::Serialize;
use serde_json::value::RawValue;

use super::answer::Answer;
use super::headline::compared_with;
use super::markdown::{MAX_BYTES, compared, headed};
use crate::output::json::to_json;
use crate::output::markdown::{At, code, fenced};
use crate::output::paint::Ink;
use crate::output::show::Show;
use crate::output::sources::{
    self, Coverage, Outcome, PassedOver, PassedOverJson, Row, SkippedJson, coverage, coverage_line, passed_over_json,
    skipped_json,
};
use crate::text::{plural, visible};

/// The preview of one source.
#[derive(Clone, Debug)]
pub struct Section {
    /// The index of its row.
    pub row: usize,
    /// The preview, in the format that is wanted.
    pub text: String,
    /// Whether there is nothing in it to read: it has no Jobs.
    pub is_quiet: bool,
    /// What runs at the next sync.
    pub answer: Answer,
}

/// What runs at the next syncs of all sources, or what a merge does, with how many sources are not known; and what runs anyway. None when no
/// source could be read.
fn answer(sections: &[Section], rows: &[Row], named: &str) -> Option<(Vec<String>, String)> {
    let all = sections.iter().map(|section| section.answer.clone()).reduce(Answer::and)?;
    let unknown = rows.iter().filter(|row| matches!(row.outcome, Outcome::NotChecked(_))).count();
    let partly = rows.iter().filter(|row| !row.unseen.is_empty()).count();
    let mut unseen = String::new();
    if unknown > 0 {
        let _ = write!(unseen, "; {unknown} of {} sources not checked", rows.len());
    }
    if partly > 0 {
        let _ = write!(unseen, "; not all Jobs of {} are known", plural(partly, "source"));
    }
    let shown = sections.iter().filter(|section| !section.is_quiet).count();
    let sentences = match &all {
        Answer::Compared(_) => all.sentences(&unseen),
        Answer::Alone(_) if shown > 1 => all.sentences(&format!(", in {shown} sources{unseen}")),
        Answer::Alone(_) => all.sentences(&unseen),
    };
    let many = |text: String| if named.is_empty() { text.replacen("sync", "syncs", 1) } else { text };
    Some((sentences.into_iter().map(many).collect(), all.rest()))
}

/// The sections in which there is something to read: first what fails, then what starts a sync.
fn shown(sections: &[Section]) -> Vec<&Section> {
    let mut shown: Vec<&Section> = sections.iter().filter(|section| !section.is_quiet).collect();
    shown.sort_by_key(|section| section.answer.rank());
    shown
}

/// Text: what runs, a line with the path above each preview, and the table at the end. `named` is what the sources are compared with.
pub fn text(sections: &[Section], rows: &[Row], passed_over: &PassedOver, named: &str, show: Show) -> String {
    let paint = show.paint;
    let mut out = String::new();
    if let Some((answer, rest)) = answer(sections, rows, named) {
        let answer = show.wrapped(&visible(&answer.join(" ")), "", "  ");
        let _ = writeln!(out, "{}", paint.ink(Ink::Strong, answer));
        let about = if named.is_empty() { String::new() } else { compared_with(named, &rest) };
        let about = show.wrapped(&visible(&about), "", "  ");
        let _ = writeln!(out, "{}", if about.is_empty() { about } else { paint.ink(Ink::Faint, about) + "\n" });
    }
    for section in shown(sections) {
        let row = &rows[section.row];
        let assumed = if row.is_assumed { ", assumed" } else { "" };
        let heading = format!("== {} ({}{assumed})", heading(row), row.kind);
        let _ = writeln!(out, "{}\n{}", paint.ink(Ink::Info, heading), section.text);
    }
    out + &sources::print(rows, passed_over, show) + &coverage_line(rows, passed_over)
}

/// The path, and the Application that names it, after those that render it.
fn heading(row: &Row) -> String {
    let whole = match &row.application {
        Some(application) => format!(
            "{}{application}: {}",
            row.from.iter().map(|above| format!("{above} → ")).collect::<String>(),
            row.path
        ),
        None => row.path.clone(),
    };
    visible(&whole).into_owned()
}

/// Markdown: likewise; what would make a comment too long is left out, and counted.
pub fn markdown(sections: &[Section], rows: &[Row], passed_over: &PassedOver, named: &str) -> String {
    let table = sources::print(rows, passed_over, Show { only_new: !named.is_empty(), ..Show::default() });
    let table = table + &coverage_line(rows, passed_over);
    let mut out = String::new();
    if let Some((answer, rest)) = answer(sections, rows, named) {
        let _ = writeln!(out, "## {}\n", headed(&answer));
        if !named.is_empty() {
            let _ = writeln!(out, "{}\n", compared(named, &rest));
        }
    }
    let mut left_out = 0;
    for section in shown(sections) {
        let heading = format!("### {}\n\n", code(&heading(&rows[section.row]), At::Line));
        if out.len() + heading.len() + section.text.len() + table.len() > MAX_BYTES {
            left_out += 1;
            continue;
        }
        let _ = writeln!(out, "{heading}{}", section.text);
    }
    if left_out > 0 {
        let _ = writeln!(out, "{left_out} more previews are left out: run `argocd-jobs preview` for all of them.\n");
    }
    out + &fenced("text", &table)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Several<'s> {
    version: u32,
    sources: Vec<Source<'s>>,
    skipped: Vec<SkippedJson<'s>>,
    passed_over: PassedOverJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
    next_sync: Option<String>,
}

#[derive(Serialize)]
struct Source<'s> {
    path: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'s str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'s [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    kind: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

/// JSON: `sources`, each with its `preview` or the `reason` why there is none.
pub fn json(sections: &[Section], rows: &[Row], passed_over: &PassedOver, named: &str) -> String {
    let mut previews = sections.iter().peekable();
    let mut all = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let preview = previews.next_if(|section| section.row == index);
        // No text in JSON holds a line break: each begins a line.
        let indented = |text: &str| text.trim_end().replace('\n', "\n      ");
        let preview = preview.and_then(|section| RawValue::from_string(indented(&section.text)).ok());
        let reason = match &row.outcome {
            Outcome::NotChecked(reason) => Some(reason.as_str()),
            Outcome::Read { .. } => row.unseen.first().map(String::as_str),
        };
        let application = row.application.as_deref();
        all.push(Source {
            path: &row.path,
            application,
            from: &row.from,
            assumed: row.is_assumed,
            kind: row.kind,
            preview,
            reason,
            changed: row.changed,
        });
    }
    let skipped = skipped_json(passed_over);
    let coverage = coverage(rows, passed_over);
    let passed_over = passed_over_json(passed_over);
    to_json(&Several {
        version: 1,
        sources: all,
        skipped,
        passed_over,
        coverage,
        next_sync: answer(sections, rows, named).map(|(answer, _)| answer.join(" ")),
    })
}
