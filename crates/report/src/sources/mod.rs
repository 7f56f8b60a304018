//! The table of the sources that were looked at, when there are several: where each is, how many Jobs it has, what is wrong.

mod cells;
mod coverage;
mod json;
mod reason;
mod requires;
mod skipped;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use deployment::row::{Outcome, PassedOver, Row, SkippedApplication};
use text::{Place, agreed, on_one_line, plural, visible};

use super::paint::Ink;
use super::show::Show;
use super::table::{Cell, fitted};
use cells::{COLUMNS, cells, count, noun};
pub(super) use coverage::{Coverage, coverage, coverage_line};
pub use coverage::{is_all_checked, many_unused};
pub(super) use json::{Json, Named, json};
pub use requires::required;
pub(super) use skipped::{skipped, unread};

/// More sources than this with one reason, or with nothing wrong, share a line.
const FEW: usize = 3;

/// The most rows of the table: what is printed last should fit on a screen.
const ROWS: usize = 12;

/// The sources that have Jobs, findings, or were not checked; then how many others there are.
pub fn print(rows: &[Row], passed_over: &PassedOver, show: impl Into<Show>) -> String {
    let show = show.into();
    if show.only_new && !show.all {
        return print_new(rows, passed_over, show);
    }
    print_rows(rows, passed_over, &counts(rows, passed_over), show)
}

/// The rows, the `counts` and what to do.
fn print_rows(rows: &[Row], passed_over: &PassedOver, counts: &str, show: Show) -> String {
    let folded = Folded::of(rows, show);
    let mut named: BTreeMap<_, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *named.entry((&row.path, &row.application)).or_default() += 1);
    let is_ambiguous = |row: &Row| named.get(&(&row.path, &row.application)).is_some_and(|count| *count > 1);
    let shown: Vec<Vec<Cell>> = folded.left(rows).map(|(_, row)| cells(row, is_ambiguous(row), show.all)).collect();
    let mut out = String::new();
    if !shown.is_empty() {
        out.push_str(&fitted(&COLUMNS, &shown, show.width.filter(|_| !show.all), show.paint));
    }
    folded.print(&mut out, show);
    out.push_str(counts);
    let said = said(rows, &folded);
    let is_left = |one: &&SkippedApplication| !one.is_finding && !one.is_told_at(&said);
    out.push_str(&skipped(passed_over.skipped.iter().filter(is_left), show));
    out += &unread(passed_over, show);
    let broken = rows.iter().filter(|row| row.is_broken).count();
    if broken > 0 {
        let (sources, them) = (plural(broken, "source"), if broken == 1 { "it" } else { "them" });
        let text = format!("{sources} can no longer be read, so Argo CD could not sync {them}");
        out += &show.labelled(Ink::Bad, "error[not-rendered]", &text);
    }
    let unread = rows.iter().filter(|row| row.is_unread).count();
    if unread > 0 {
        let them = if unread == 1 { "it" } else { "them" };
        let sources = agreed(unread, noun(rows), "was", "were");
        let text = format!("not all Jobs are known: {sources} not read, and Argo CD may read {them}");
        out += &show.labelled(Ink::Bad, "error[not-rendered]", &text);
    }
    let is_unknown = |row: &&Row| matches!(row.outcome, Outcome::NotChecked(_)) && !row.is_broken && !row.is_unread;
    let not_checked = rows.iter().filter(is_unknown).count();
    if not_checked > 0 {
        let their = if not_checked == 1 { "its" } else { "their" };
        let sources = agreed(not_checked, noun(rows), "was", "were");
        let text = format!("{sources} not checked: nothing is known about {their} Jobs");
        let text = match rows.iter().filter(|row| is_unknown(row) && row.may_work).count() {
            0 => text,
            1 if not_checked == 1 => text + "; Argo CD may still render it",
            all if all == not_checked => text + "; Argo CD may still render them",
            some => format!("{text}; Argo CD may still render {some} of them"),
        };
        out += &show.labelled(Ink::Warning, "warning[not-rendered]", &text);
    }
    out += &unseen(rows, show);
    out += &requires::print(rows, show);
    for (help, path, count) in reason::helps(rows) {
        let whose = if count > 1 { plural(count, noun(rows)) } else { visible(path).into_owned() };
        let first = format!("{}: {whose}: ", show.paint.ink(Ink::Info, "help"));
        let _ = writeln!(out, "{}", show.wrapped(&visible(help), &first, "  "));
    }
    out
}

/// Why Jobs of sources that were read are unknown, and which are new: of a few sources, and how many others there are.
fn unseen(rows: &[Row], show: Show) -> String {
    let unread = rows.iter().filter_map(|row| Some((row, "only the base is broken", row.unread_base.as_ref()?)));
    let told = rows.iter().filter(|row| row.may_change_more || show.all);
    let unseen = told.flat_map(|row| row.unseen.iter().map(move |why| (row, "not all Jobs are known", why)));
    // The value sets of a chart have the same.
    let mut said = BTreeSet::new();
    let all: Vec<(&Row, &str, &String)> =
        unread.chain(unseen).filter(|(row, _, why)| said.insert((row.path.clone(), why.to_string()))).collect();
    let most = if show.all || all.len() <= FEW { all.len() } else { FEW - 1 };
    let mut out = String::new();
    for (row, what, why) in &all[..most] {
        let text = format!("{}: {what}: {}", row.path, on_one_line(why));
        out += &show.labelled(Ink::Warning, "warning[not-rendered]", &text);
    }
    let more: BTreeSet<&String> = all[most..].iter().map(|(row, ..)| &row.path).collect();
    if !more.is_empty() {
        let text = format!("not all is known of {} (`--all` lists them)", plural(more.len(), "more source"));
        out += &show.labelled(Ink::Warning, "warning[not-rendered]", &text);
    }
    out
}

/// The sources about which there is something new, and how many others there are.
fn print_new(rows: &[Row], passed_over: &PassedOver, show: Show) -> String {
    let (new, old): (Vec<Row>, Vec<Row>) = rows.iter().cloned().partition(|row| row.is_new || row.may_change_more);
    let mut out = print_rows(&new, &PassedOver::default(), "", show);
    let count = |is_meant: fn(&Row) -> bool| old.iter().filter(|row| is_meant(row)).count();
    let with_jobs = count(|row| matches!(row.outcome, Outcome::Read { jobs: 1.., .. }));
    let without = count(|row| matches!(row.outcome, Outcome::Read { jobs: 0, .. }));
    if with_jobs + without > 0 {
        let with_jobs = (with_jobs > 0).then(|| format!("nothing new in {} with Jobs", plural(with_jobs, "source")));
        let without = (without > 0).then(|| format!("no Jobs in {}", plural(without, "source")));
        let both: Vec<String> = with_jobs.into_iter().chain(without).collect();
        let _ = writeln!(out, "{} (`--all` lists them)", both.join("; "));
    }
    // The coverage has the Applications.
    let is_folder = |row: &&Row| matches!(row.outcome, Outcome::NotChecked(_)) && row.application.is_none();
    let folders: Vec<String> = old.iter().filter(is_folder).map(|row| visible(&row.path).into_owned()).collect();
    match folders.as_slice() {
        [] => {}
        few if few.len() <= FEW => _ = writeln!(out, "not checked in either version: {}", few.join(", ")),
        many => _ = writeln!(out, "not checked in either version: {} folders (`--all` lists them)", many.len()),
    }
    let said = said(&new, &Folded::of(&new, show));
    let is_changed = |one: &SkippedApplication| one.changed == Some(true) || one.is_unread;
    let is_left = |one: &&SkippedApplication| is_changed(one) && !one.is_finding && !one.is_told_at(&said);
    out += &skipped(passed_over.skipped.iter().filter(is_left), show);
    out + &unread(passed_over, show)
}

/// The places of the mistakes that rows with a line of their own have as the reason why they were not checked.
fn said<'r>(rows: &'r [Row], folded: &Folded) -> BTreeSet<&'r Place> {
    let place = |row: &'r Row| match &row.outcome {
        Outcome::NotChecked(reason) => reason.at.as_ref(),
        Outcome::Read { .. } => None,
    };
    folded.left(rows).filter_map(|(_, row)| place(row)).collect()
}

/// The sources that share a line.
#[derive(Default)]
struct Folded {
    /// The reasons that many were not checked for, and how many: the most frequent first.
    reasons: Vec<(String, usize)>,
    /// How many have Jobs and nothing that has to be looked at; 0 when each has its row.
    clean: usize,
    /// How many have no Jobs and nothing that has to be looked at, but something to report, such as a dependency that was left out.
    clean_without_jobs: usize,
    /// How many others there are.
    more: usize,
    /// The indices of their rows.
    rows: BTreeSet<usize>,
}

impl Folded {
    fn of(rows: &[Row], show: Show) -> Self {
        let mut folded = Self::default();
        if show.all {
            return folded;
        }
        let mut reasons: BTreeMap<reason::Key, Vec<(usize, String)>> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            // Each value set of a chart has its row, as long as there are not too many.
            let is_listed = !row.value_sets.is_empty() && rows.len() <= ROWS;
            if let (Outcome::NotChecked(reason), false) = (&row.outcome, is_listed) {
                let alike = reasons.entry(reason::Key::of(&row.path, reason)).or_default();
                alike.push((index, reason::short(&row.path, reason)));
            }
        }
        for (key, rows) in reasons.into_iter().filter(|(_, rows)| rows.len() > FEW) {
            folded.reasons.push((key.words(rows.iter().map(|(_, short)| short.as_str())), rows.len()));
            folded.rows.extend(rows.into_iter().map(|(index, _)| index));
        }
        folded.reasons.sort_by_key(|(_, count)| Reverse(*count));
        folded.fold_clean_if_too_many(rows);
        let mut worst: Vec<(usize, &Row)> = folded.left(rows).collect();
        worst.sort_by_key(|(_, row)| Reverse(row.severity()));
        folded.more = worst.len().saturating_sub(ROWS);
        folded.rows.extend(worst.into_iter().skip(ROWS).map(|(index, _)| index));
        folded
    }

    /// The rows that still have a line of their own.
    fn left<'r>(&self, rows: &'r [Row]) -> impl Iterator<Item = (usize, &'r Row)> {
        rows.iter().enumerate().filter(|(index, row)| !row.is_quiet() && !self.rows.contains(index))
    }

    /// Folds the rows without errors and warnings when there are too many of all kinds.
    fn fold_clean_if_too_many(&mut self, rows: &[Row]) {
        let left: Vec<(usize, &Row)> = self.left(rows).collect();
        if left.len() <= ROWS {
            return;
        }
        for (index, row) in left.into_iter().filter(|(_, row)| row.severity() == (0, 0)) {
            self.rows.insert(index);
            match row.outcome {
                Outcome::Read { jobs: 1.., .. } => self.clean += 1,
                _ => self.clean_without_jobs += 1,
            }
        }
    }

    fn print(&self, out: &mut String, show: Show) {
        for (reason, count) in &self.reasons {
            let text = format!("{reason}; `--all` lists them");
            *out += &show.labelled(Ink::Bad, &format!("{count} sources not checked"), &text);
        }
        if self.more > 0 {
            let _ = writeln!(out, "{}; `--all` lists them", plural(self.more, "more source"));
        }
        if self.clean > 0 {
            let sources = plural(self.clean, "source");
            let _ = writeln!(out, "{sources} with Jobs and no errors or warnings shown; `--all` lists them");
        }
        if self.clean_without_jobs > 0 {
            let sources = plural(self.clean_without_jobs, "source");
            let _ = writeln!(out, "{sources} with no Jobs, errors or warnings shown; `--all` lists them");
        }
    }
}

/// The last lines of a report: `line` with the number of sources that were not checked, if there are any, and how much of the Applications was
/// checked.
pub fn with_coverage(line: &str, rows: &[Row], passed_over: &PassedOver, show: Show) -> String {
    let line = match coverage(rows, passed_over) {
        Some(coverage) => return line.to_owned() + &coverage.line(show),
        None => line,
    };
    match count(rows.iter().filter(|row| matches!(row.outcome, Outcome::NotChecked(_)))) {
        0 => line.to_owned(),
        unknown => format!("{}; {unknown} of {} not checked\n", line.trim_end(), plural(count(rows), noun(rows))),
    }
}

/// The counts of a table without its rows, and how much of the Applications was checked.
pub fn counts_and_coverage(rows: &[Row], passed_over: &PassedOver, show: Show) -> String {
    counts(rows, passed_over) + &coverage_line(rows, passed_over, show)
}

/// Lines without any name: `84 sources: 12 with Jobs, 70 without, 2 not checked`, and `skipped: …`, when there is something.
fn counts(rows: &[Row], passed_over: &PassedOver) -> String {
    let of = |is_meant: fn(&Outcome) -> bool| count(rows.iter().filter(|row| is_meant(&row.outcome)));
    let without_jobs = of(|outcome| matches!(outcome, Outcome::Read { jobs: 0, .. }));
    let not_checked = of(|outcome| matches!(outcome, Outcome::NotChecked(_)));
    let with_jobs = of(|outcome| matches!(outcome, Outcome::Read { jobs: 1.., .. }));
    let mut parts = vec![format!("{with_jobs} with Jobs")];
    if without_jobs > 0 {
        parts.push(format!("{without_jobs} without"));
    }
    if not_checked > 0 {
        parts.push(format!("{not_checked} not checked"));
    }
    let mut text = format!("{}: {}", plural(count(rows), noun(rows)), parts.join(", "));
    let PassedOver { parts, templates, files, .. } = *passed_over;
    let passed: Vec<String> = [
        (parts, "part of another source", "parts of other sources"),
        (templates, "folder of templates without a chart", "folders of templates without a chart"),
        (files, "file that is not a manifest", "files that are not manifests"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
    .collect();
    if !passed.is_empty() {
        let _ = write!(text, "\nskipped: {}", passed.join(", "));
    }
    text + "\n" + &coverage::unused(passed_over)
}
