//! For a comment on a pull request: Markdown that stays below the size that GitHub takes.

use std::fmt::Write;

use lint::{Finding, Level, State};
use preview::{Comparison, Entry, Report, Runnable, Step, Stop, Trigger};
use text::{capitalized, diff, plural};

use super::against::{self, of_interest, old_errors};
use super::answer::Answer;
use super::changes::Changes;
use super::findings::same;
use super::groups::{Group, groups};
use super::headline::{Sentences, Unknown, compared_with};
use super::next_step::next_step;
use super::order::{ends, waiting};
use super::policy;
use crate::markdown::{At, code, fenced, folded, folded_code, sentence};

/// Maximum size in bytes: GitHub accepts 65,536 characters in a comment.
pub const MAX_BYTES: usize = 60_000;

/// The first sentence or the worst one, for a heading, and below it the others.
pub(super) fn headed(sentences: &Sentences) -> String {
    let (heading, others, is_list) = sentences.with_heading();
    let heading = sentence(heading.trim_end_matches('.'), At::Line);
    let below = match is_list {
        true => others.iter().map(|text| format!("\n- {}", sentence(text, At::Line))).collect(),
        false => others.iter().map(|text| format!("\n{}", sentence(text, At::Line))).collect::<String>(),
    };
    if below.is_empty() { heading } else { format!("{heading}\n{below}") }
}

/// What somebody has to know who does not know Argo CD's hooks.
const HOOKS: &str = "\nArgo CD runs a hook at every sync: in `PreSync` before it applies the rest, in `Sync` with it, in `PostSync` after it, \
                     in `SyncFail` if the sync fails.\n";

/// What somebody has to know who does not know waves.
const WAVES: &str = "\nWithin each phase, Argo CD applies the waves one after another, from the lowest number on.\n";

/// Last lines about hooks, if there is one, and about waves, if `text` names one.
pub fn about_hooks(has_hook: bool, text: &str) -> String {
    let hooks = if has_hook { HOOKS } else { "" };
    let waves = if text.contains(" wave ") { WAVES } else { "" };
    format!("{hooks}{waves}")
}

/// What is compared, and what runs anyway.
pub(super) fn compared(base: &str, rest: &str) -> String {
    format!("{}.", sentence(&capitalized(&compared_with(base, rest)), At::Line))
}

/// Prints a report.
pub fn print(report: &Report, findings: &[Finding], changes: &[Changes]) -> String {
    let mut out = Limited::default();
    if report.jobs.is_empty() {
        out.add(&format!("### No Jobs among {}\n", plural(report.others, "resource")));
        return out.text;
    }
    out.add(&format!("### {}\n", sentence(&Answer::of_report(report).text(1), At::Line)));
    let open = || findings.iter().filter(|finding| finding.state == State::Open);
    findings_of(&mut out, open, Level::Error);
    out.add("\n| name | new name | strategy | chosen by | runs |\n|---|---|---|---|---|\n");
    report.jobs.iter().for_each(|job| out.add(&row(job)));
    order(&mut out, "Sync order", &report.steps, report.stop);
    findings_of(&mut out, open, Level::Warning);
    if report.trigger == Some(Trigger::Off) && report.asks_for_a_trigger() {
        out.add("\nChanging only a hook does not trigger auto-sync: `trigger` is `false`.\n");
    }
    out.lines(policy::lines(report));
    diff(&mut out, changes);
    out.finish()
}

/// Prints a comparison.
pub fn print_against(comparison: &Comparison, base: &str) -> String {
    let answer = Answer::of_comparison(comparison, None);
    let head =
        format!("### {}\n\n{}\n", headed(&answer.sentences(1, &Unknown::default())), compared(base, &answer.rest()));
    let mut out = Limited::default();
    out.add(&head);
    rows_of(&mut out, comparison);
    out.finish()
}

/// Prints what stands below the first sentences of a comparison.
pub fn rows(comparison: &Comparison) -> String {
    let mut out = Limited::default();
    rows_of(&mut out, comparison);
    out.finish()
}

fn rows_of(out: &mut Limited, comparison: &Comparison) {
    let all_in = against::all_in(comparison, "All Jobs are");
    if !all_in.is_empty() {
        out.add(&format!("\n{}.\n", sentence(&all_in, At::Line)));
    }
    let name = against::name_in(comparison);
    out.lines(comparison.refused.iter().map(against::refused).chain(next_step(comparison)));
    findings_of(out, || of_interest(comparison, Level::Error, false), Level::Error);
    out.lines(old_errors(comparison));
    table(out, comparison, name);
    out.lines(against::as_before(comparison, name, false));
    // The row says the phase and the wave of what is alone.
    if comparison.steps.len() > 1 || comparison.stop.is_some() {
        order(out, "Sync order of what runs", &comparison.steps, None);
    }
    findings_of(out, || of_interest(comparison, Level::Warning, false), Level::Warning);
    out.lines(against::starts(comparison, false));
}

/// A row for each group, and the names of the Jobs that are too many for a row.
fn table(out: &mut Limited, comparison: &Comparison, name: against::Name) {
    let groups = groups(comparison, false);
    if !groups.is_empty() {
        out.add("\n| name | what happens | why |\n|---|---|---|\n");
    }
    groups.iter().for_each(|group| out.add(&group_row(group, name)));
    groups.iter().filter(|group| group.jobs.len() > NAMED).for_each(|group| names(out, group, name));
}

/// The most Jobs of a group that its row names, and the most reasons.
const NAMED: usize = 4;

/// The row of the Jobs of a group.
fn group_row(group: &Group<'_>, name: against::Name) -> String {
    let Some((first, own)) = group.jobs.first() else { return String::new() };
    let is_one = group.jobs.len() == 1;
    let shown = group.jobs.iter().take(NAMED).map(|(job, _)| code(&name(job), At::Cell)).collect::<Vec<_>>();
    let more = group.jobs.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("<br>and {more} more") } else { String::new() };
    let new_name = against::new_name(first).filter(|_| is_one).map(|name| format!(", as {}", code(name, At::Cell)));
    let what = sentence(&against::sentence(first, is_one), At::Cell) + &new_name.unwrap_or_default();
    let own = own.iter().filter(|_| is_one);
    let mut why: Vec<String> =
        group.reasons.iter().chain(own).take(NAMED).map(|line| sentence(line, At::Cell)).collect();
    let hidden = group.reasons.len().saturating_sub(NAMED);
    if hidden > 0 {
        why.push(format!("and {hidden} more"));
    }
    why.extend(group.notes.iter().map(|line| sentence(line, At::Cell)));
    let count = plural(group.jobs.len(), &first.kind.name);
    let count = if is_one { String::new() } else { format!("**{}**<br>", sentence(&count, At::Cell)) };
    format!("| {count}{}{more} | {what} | {} |\n", shown.join("<br>"), why.join("<br>"))
}

/// The most Jobs of a group that are listed.
const LISTED: usize = 100;

/// The Jobs of a group with their new names and the reasons that only they have, folded.
fn names(out: &mut Limited, group: &Group<'_>, name: against::Name) {
    let mut text = format!("\n{}\n\n", folded(&format!("{} Jobs with their new names", group.jobs.len())));
    for (job, own) in group.jobs.iter().take(LISTED) {
        let new =
            if job.emitted == job.name { String::new() } else { format!(", as {}", code(&job.emitted, At::Line)) };
        let own: String = own.iter().take(NAMED).map(|line| format!("; {}", sentence(line, At::Line))).collect();
        let _ = writeln!(text, "- {}{new}{own}", code(&name(job), At::Line));
    }
    if group.jobs.len() > LISTED {
        let _ = writeln!(text, "- and {} more: run `argocd-jobs preview --all`", group.jobs.len() - LISTED);
    }
    out.add(&format!("{text}\n</details>\n"));
}

fn order(out: &mut Limited, heading: &str, steps: &[Step], stop: Option<Stop>) {
    if steps.is_empty() {
        return;
    }
    out.add(&format!("\n#### {heading}\n\n"));
    if let Some(stop) = stop {
        out.add(&format!("{}\n\n", sentence(&ends(stop), At::Line)));
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

fn row(job: &Runnable) -> String {
    let name = job.kind.named(job.namespace.as_deref(), &job.written);
    let new = if job.emitted == job.written { "unchanged".to_owned() } else { code(&job.emitted, At::Cell) };
    let runs = sentence(&job.runs(), At::Cell);
    format!(
        "| {} | {new} | `{}` | {} | {runs} |\n",
        code(&name, At::Cell),
        job.strategy,
        sentence(&job.chosen, At::Cell)
    )
}

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
