//! For a comment on a pull request: Markdown that stays below the size that GitHub takes.

use std::fmt::Write;

use super::against;
use super::changes::Changes;
use super::policy;
use super::text::change_line;
use crate::finding::{Finding, Level, State};
use crate::preview::{Comparison, JobReport, Report, Trigger};
use crate::text::{plural, visible};

/// Maximum size in bytes: GitHub accepts 65,536 characters in a comment.
pub const MAX_BYTES: usize = 60_000;

/// Prints a report.
pub fn print(report: &Report, findings: &[Finding], changes: &[Changes]) -> String {
    let mut out = Limited::default();
    out.add(&format!("### {}; {}\n", plural(report.jobs.len(), "Job"), plural(report.others, "other object")));
    if report.jobs.is_empty() {
        return out.text;
    }
    out.add("\n| Job | new name | strategy | chosen by | runs |\n|---|---|---|---|---|\n");
    for job in &report.jobs {
        out.add(&row(job));
    }
    let lines: Vec<String> = findings.iter().filter_map(finding).collect();
    if !lines.is_empty() {
        out.add(&format!("\n#### {}\n\n", plural(lines.len(), "finding")));
        lines.iter().for_each(|line| out.add(line));
    }
    out.add("\n#### Order of the sync\n\n");
    for step in &report.steps {
        let jobs = step.entries.iter().filter(|entry| entry.is_job);
        let mut names: Vec<String> = jobs.map(|job| format!("**Job {}**", code(&job.name))).collect();
        let others = step.entries.iter().filter(|entry| !entry.is_job).count();
        if others > 0 {
            names.push(plural(others, "other object"));
        }
        out.add(&format!("- {}, wave {}: {}\n", step.phase.as_str(), step.wave, names.join(", ")));
    }
    if report.trigger == Some(Trigger::Off) && report.asks_for_a_trigger() {
        out.add("\nA change of a hook alone starts no auto-sync: `trigger` is `false`.\n");
    }
    for line in policy::lines(report) {
        out.add(&format!("\n{}\n", cell(&line)));
    }
    diff(&mut out, changes);
    out.finish()
}

/// Prints a comparison.
pub fn print_against(comparison: &Comparison, named: &str) -> String {
    let mut out = Limited::default();
    out.add(&format!("### Jobs {}\n", visible(&against::headline(comparison, named))));
    if comparison.jobs.iter().any(|job| !job.is_as_before()) {
        out.add("\n| Job | what happens | why |\n|---|---|---|\n");
    }
    for job in comparison.jobs.iter().filter(|job| !job.is_as_before()) {
        let why: Vec<String> = against::reasons(job, comparison).iter().map(|line| cell(line)).collect();
        out.add(&format!(
            "| {} | {} | {} |\n",
            code(&against::qualified(job)),
            cell(&against::verdict(job)),
            why.join("<br>")
        ));
    }
    if let Some(line) = against::as_before(comparison) {
        out.add(&format!("\n{}\n", cell(&line)));
    }
    out.add(&format!("\n{}\n", cell(&against::starts(comparison))));
    out.finish()
}

fn row(job: &JobReport) -> String {
    let name = match &job.namespace {
        Some(namespace) => format!("{namespace}/{}", job.written),
        None => job.written.clone(),
    };
    let new = if job.emitted == job.written { "the same".to_owned() } else { code(&job.emitted) };
    let runs = cell(&job.when.to_string());
    format!("| {} | {new} | `{}` | {} | {runs} |\n", code(&name), job.strategy, cell(&job.chosen))
}

fn finding(finding: &Finding) -> Option<String> {
    if finding.state != State::Open || finding.rule.level == Level::Info {
        return None;
    }
    let place = finding.place.as_ref().map(|place| format!("{}: ", code(&place.to_string()))).unwrap_or_default();
    Some(format!("- **{}** `{}`: {place}{}\n", finding.rule.level, finding.rule.id, cell(&finding.message)))
}

fn diff(out: &mut Limited, changes: &[Changes]) {
    for change in changes {
        let body: String = change.lines.iter().map(|line| change_line(line)).collect();
        // Longer than any fence in it, so that it cannot end early.
        let longest = body.split(|found| found != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        let mut text = String::new();
        let _ = write!(text, "\n<details><summary>{}</summary>\n\n{fence}diff\n", escaped(&change.path));
        let _ = write!(text, "{body}{fence}\n\n</details>\n");
        out.add(&text);
    }
}

/// A text in backticks that may hold backticks.
fn code(text: &str) -> String {
    let longest = text.split(|found| found != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence}{}{fence}", visible(text).replace('|', "\\|"))
}

/// A sentence in a cell: what is in backticks stays as it is, a bar would end the cell.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|")
}

fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
