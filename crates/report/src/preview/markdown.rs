//! For a comment on a pull request: Markdown that stays below the size that GitHub takes.

use std::fmt::Write;

use lint::{Finding, Level, State};
use preview::{Comparison, Entry, Forecast, Report, Step, Trigger};
use text::{diff, plural};

use super::changes::Changes;
use super::compared::{self, of_interest, old_errors};
use super::findings::same;
use super::policy;
use super::table::markdown::table;
use super::words::alone::alone;
use super::words::end::end;
use super::words::reason::waiting;
use super::words::summary::summary;
use crate::markdown::{At, code, fenced, folded, folded_code, folded_with, sentence};

/// Maximum size in bytes: GitHub accepts 65,536 characters in a comment.
pub const MAX_BYTES: usize = 60_000;

/// Prints the preview of one version. A section has its first line above.
pub fn print(
    report: &Report,
    forecast: &Forecast,
    findings: &[Finding],
    changes: &[Changes],
    is_alone: bool,
) -> String {
    let mut out = Limited::default();
    let open = || findings.iter().filter(|finding| finding.state == State::Open);
    if report.jobs.is_empty() {
        out.add(&format!("### No Jobs among {}\n", plural(report.others, "resource")));
        findings_of(&mut out, open, Level::Error);
        findings_of(&mut out, open, Level::Warning);
        return out.finish();
    }
    if is_alone {
        out.add(&format!("### {}\n", sentence(&alone([forecast]), At::Line)));
    }
    table(forecast).iter().for_each(|line| out.add(line));
    out.lines(forecast.end.as_ref().map(end));
    findings_of(&mut out, open, Level::Error);
    findings_of(&mut out, open, Level::Warning);
    if report.trigger == Some(Trigger::Off) && report.asks_for_a_trigger() {
        out.add("\nChanging only a hook does not trigger auto-sync: `trigger` is `false`.\n");
    }
    out.lines(policy::lines(report));
    if is_alone {
        let mut details = Limited::default();
        order(&mut details, &report.steps);
        out.folded(&folded("Order of the sync"), &details.text);
    }
    diff(&mut out, changes);
    out.finish()
}

/// Prints a comparison.
pub fn print_against(comparison: &Comparison, forecast: &Forecast, base: &str) -> String {
    let mark = if forecast.is_bad() || comparison.failing_jobs() > 0 { "❌ " } else { "" };
    let mut out = Limited::default();
    out.add(&format!("### {mark}{}\n", sentence(summary(forecast).trim_end_matches('.'), At::Line)));
    rows_of(&mut out, comparison, forecast, Some(base));
    out.finish()
}

/// Prints what is below the heading of a section of a comparison.
pub fn rows(comparison: &Comparison, forecast: &Forecast) -> String {
    let mut out = Limited::default();
    rows_of(&mut out, comparison, forecast, None);
    out.finish()
}

/// `base` is what the only source is compared with.
fn rows_of(out: &mut Limited, comparison: &Comparison, forecast: &Forecast, base: Option<&str>) {
    table(forecast).iter().for_each(|line| out.add(line));
    out.lines(compared::lines(forecast, base.is_some(), false));
    findings_of(out, || of_interest(comparison, Level::Error, false), Level::Error);
    let mut details = Limited::default();
    findings_of(&mut details, || of_interest(comparison, Level::Warning, false), Level::Warning);
    if base.is_some() {
        details.lines(old_errors(comparison));
        order(&mut details, &comparison.steps);
    }
    let warnings = of_interest(comparison, Level::Warning, false).count();
    let warnings = (warnings > 0).then(|| plural(warnings, "new warning"));
    let head = match (&warnings, base) {
        (Some(warnings), Some(base)) => folded_with(&format!("{warnings} · compared with"), base),
        (None, Some(base)) => folded_with("compared with", base),
        (Some(warnings), None) => folded(warnings),
        (None, None) => String::new(),
    };
    out.folded(&head, &details.text);
}

fn order(out: &mut Limited, steps: &[Step]) {
    if !steps.is_empty() {
        out.add("\nOrder of what runs:\n\n");
    }
    for step in steps {
        let jobs: Vec<&Entry> = step.entries.iter().filter(|entry| entry.runs).collect();
        let name = |entry: &Entry| match entry.kind.as_str() {
            "Job" => format!("**Job {}**", code(&entry.name, At::Line)),
            kind => format!("**{}**", code(&format!("{kind} {}", entry.name), At::Line)),
        };
        let note = |entry: &Entry| {
            entry.held.as_ref().map_or_else(String::new, |held| format!(" ({})", sentence(&waiting(held), At::Line)))
        };
        let named = jobs.iter().take(JOBS_OF_A_WAVE).map(|entry| name(entry) + &note(entry));
        let mut names: Vec<String> = named.collect();
        if jobs.len() > JOBS_OF_A_WAVE {
            names.push(format!("{} more", jobs.len() - JOBS_OF_A_WAVE));
        }
        let others = step.entries.len() - jobs.len();
        if others > 0 {
            names.push(plural(others, "other resource"));
        }
        out.add(&format!("- {}, wave {}: {}\n", step.phase.as_str(), step.wave, names.join(", ")));
    }
}

/// The most Jobs of a wave that are named.
const JOBS_OF_A_WAVE: usize = 10;

/// The findings of a level, equal ones together.
fn findings_of<'f, I: Iterator<Item = &'f Finding>>(out: &mut Limited, findings: impl Fn() -> I, level: Level) {
    let all = findings().filter(|finding| finding.level == level).count();
    if all == 0 {
        return;
    }
    out.add(&format!("\n#### {}\n\n", plural(all, level.as_str())));
    for alike in same(findings(), level) {
        let (first, count) = (alike[0], alike.len());
        let place = first.place.as_ref().map(|place| code(&place.to_string(), At::Line) + ": ").unwrap_or_default();
        let times = if count > 1 { format!(", {count} times") } else { String::new() };
        let help = if first.help.is_empty() {
            String::new()
        } else {
            format!("<br>help: {}", sentence(&first.help.to_string(), At::Line))
        };
        out.add(&format!(
            "- **{level}** `{}`{times}: {place}{}{help}\n",
            first.rule.id,
            sentence(&first.message, At::Line)
        ));
    }
}

fn diff(out: &mut Limited, changes: &[Changes]) {
    for change in changes {
        let body: String = change.lines.iter().map(|line| diff::shown(line) + "\n").collect();
        let text = format!("\n{}\n\n{}\n</details>\n", folded_code(&change.path), fenced("diff", &body));
        out.add(&text);
    }
}

/// A text that takes whole parts as long as there is room.
#[derive(Default)]
struct Limited {
    text: String,
    left_out: usize,
}

impl Limited {
    fn add(&mut self, part: &str) {
        if self.left_out == 0 && self.text.len() + part.len() <= MAX_BYTES {
            self.text.push_str(part);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds sentences, each as a paragraph.
    fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.add(&format!("\n{}\n", sentence(&line, At::Line))));
    }

    /// Adds a text that is folded under a head; nothing if it is empty.
    fn folded(&mut self, head: &str, text: &str) {
        if !text.is_empty() {
            self.add(&format!("\n{head}\n{text}\n</details>\n"));
        }
    }

    fn finish(mut self) -> String {
        if self.left_out > 0 {
            let _ = write!(
                self.text,
                "\n{} left out: run `argocd-jobs preview` for all of it.\n",
                plural(self.left_out, "part")
            );
        }
        self.text
    }
}
