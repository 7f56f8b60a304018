//! Previews of several sources, in one output.

use std::collections::BTreeMap;
use std::fmt::Write;

use deployment::row::{PassedOver, Row};
use text::{listed, plural, visible};

use super::effects::effects;
use super::markdown::MAX_BYTES;
use super::not_checked::{self, changes_unused};
use super::section::{Section, alike, heading, name};
use super::shared;
use super::words::alone::alone;
use super::words::{gone, with_count};
use crate::markdown::{At, code, fenced, folded, folded_code, folded_with, sentence};
use crate::paint::Ink;
use crate::show::Show;
use crate::sources::{self, coverage_line};

/// The first sentence: a fold of the sections. None when there is no source.
pub(super) fn summary(sections: &[Section], rows: &[Row], passed_over: &PassedOver) -> Option<String> {
    if is_compared(sections, rows) || rows.is_empty() && changes_unused(passed_over) {
        return Some(effects(sections, rows, passed_over) + ".");
    }
    if rows.is_empty() {
        return None;
    }
    if sections.is_empty() {
        return Some("No source could be read.".to_owned());
    }
    let shown = sections.iter().filter(|section| !section.is_quiet).count();
    let in_sources = if shown > 1 { format!(", in {shown} sources") } else { String::new() };
    Some(alone(sections.iter().map(|section| &section.forecast)) + &in_sources)
}

/// Whether a source was compared with another version, or would have been.
fn is_compared(sections: &[Section], rows: &[Row]) -> bool {
    sections.iter().any(|section| section.forecast.start.is_some())
        || rows.iter().any(|row| row.is_broken || row.changed.is_some() || row.unread_base.is_some())
}

/// Text: the first line, the sections, what is unknown, and the table of sources.
pub fn text(sections: &[Section], rows: &[Row], passed_over: &PassedOver, show: Show) -> String {
    let paint = show.paint;
    let mut out = String::new();
    if let Some(summary) = summary(sections, rows, passed_over) {
        out += &show.inked(Ink::Strong, &summary);
        gone::sentences(rows, passed_over, show).iter().for_each(|line| out += &show.line(&format!("{line}.")));
        out.push('\n');
    }
    for alike in &alike(sections) {
        let (first, others) = (alike[0], &alike[1..]);
        let [name, detail] = heading(&rows[first.row]);
        let status = first.status(show.all);
        let status = if status.is_empty() { status } else { format!("  {}", visible(&status)) };
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let head = format!("{}{more} ({detail}){status}", paint.ink(Ink::Strong, &name));
        let _ = writeln!(out, "{}", show.wrapped(&head, "", "    "));
        if let Some(line) = same_in(first, others, rows, show) {
            let _ = writeln!(out, "{}", show.wrapped(&paint.ink(Ink::Faint, &line), "  ", "    "));
        }
        out += &first.text;
        out.push('\n');
    }
    let idle = without_jobs(sections, rows, show.all);
    let most = idle.len().min(show.at_most(NAMED));
    for [name, status] in &idle[..most] {
        let line = format!("{}  {}", paint.ink(Ink::Strong, visible(name)), visible(status));
        let _ = writeln!(out, "{}", show.wrapped(&line, "", "    "));
    }
    if idle.len() > most {
        let _ = writeln!(out, "and {} more syncs that run no Job (`--all` lists them)", idle.len() - most);
    }
    if most > 0 {
        out.push('\n');
    }
    let mut lines = not_checked::lines(sections, rows, passed_over, is_compared(sections, rows), show);
    lines.extend(shared::lines(sections, rows, show));
    lines.iter().for_each(|line| out += &show.inked(Ink::Warning, line));
    if !lines.is_empty() {
        out.push('\n');
    }
    out + &sources::print(rows, passed_over, show) + &coverage_line(rows, passed_over, show)
}

/// The Applications whose syncs start and run no Job and no hook, each with what starts the sync.
fn without_jobs(sections: &[Section], rows: &[Row], all: bool) -> Vec<[String; 2]> {
    let is_meant = |section: &&Section| section.is_quiet && section.forecast.rows.is_empty() && section.is_changed();
    let line = |section: &Section| [name(&rows[section.row]).clone(), format!("runs no Job; {}", section.status(all))];
    sections.iter().filter(is_meant).map(line).collect()
}

/// The most of them that a comment has.
const LINES: usize = 60;

/// Writes lines as a list for a comment, folded if there are many.
fn markdown_without_jobs(all: &[[String; 2]]) -> String {
    let line =
        |[name, status]: &[String; 2]| format!("**{}** {}\n\n", code(name, At::Line), sentence(status, At::Line));
    let lines: String = all.iter().take(LINES).map(line).collect();
    let more = all.len().saturating_sub(LINES);
    let more = if more > 0 { format!("and {more} more\n\n") } else { String::new() };
    match all.len() {
        0..=OPEN => lines,
        count => format!("{}\n\n{lines}{more}</details>\n\n", folded(&format!("{count} syncs run no Job"))),
    }
}

/// The most Applications of a group that are named.
const NAMED: usize = 8;

/// Which other sources have the same section.
fn same_in(first: &Section, others: &[&Section], rows: &[Row], show: Show) -> Option<String> {
    let most = show.at_most(NAMED);
    let name = |section: &&Section| name(&rows[section.row]).clone();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    others.iter().for_each(|section| *names.entry(name(section)).or_default() += 1);
    let shown = names.iter().take(most).map(|(name, count)| with_count(name, *count));
    let shown = listed(&shown.collect::<Vec<_>>(), names.values().skip(most).sum());
    let text = match names.len() {
        0 => return None,
        1 if names.contains_key(&name(&first)) => {
            format!("the same in {} of this name", plural(others.len(), "more source"))
        }
        _ => format!("the same in {shown}"),
    };
    Some(visible(&text).into_owned())
}

/// Markdown: likewise; what would make a comment too long is left out, and counted.
pub fn markdown(sections: &[Section], rows: &[Row], passed_over: &PassedOver, base: &str) -> String {
    let show = Show { only_new: !base.is_empty(), ..Show::default() };
    let table = shortened(&sources::print(rows, passed_over, show)) + &coverage_line(rows, passed_over, show);
    let mut out = String::new();
    if let Some(summary) = summary(sections, rows, passed_over) {
        let is_bad = sections.iter().any(|section| section.forecast.is_bad()) || rows.iter().any(|row| row.is_broken);
        let mark = if is_bad && !base.is_empty() { "❌ " } else { "" };
        let _ = writeln!(out, "### {mark}{}\n", sentence(summary.trim_end_matches('.'), At::Line));
        for line in gone::sentences(rows, passed_over, Show::default()) {
            let _ = writeln!(out, "{}.\n", sentence(&line, At::Line));
        }
    }
    let mut lines = not_checked::lines(sections, rows, passed_over, is_compared(sections, rows), Show::default());
    lines.extend(shared::lines(sections, rows, Show::default()));
    let lines: String = lines.iter().map(|line| format!("{}\n\n", sentence(line, At::Line))).collect();
    let mut left_out = 0;
    for (index, one) in alike(sections).iter().enumerate() {
        let is_open = index < OPEN || one[0].forecast.is_bad();
        let section = markdown_section(one, rows, is_open);
        if out.len() + section.len() + table.len() + lines.len() > MAX_BYTES {
            left_out += one.len();
            continue;
        }
        out += &section;
    }
    let idle = markdown_without_jobs(&without_jobs(sections, rows, false));
    if out.len() + idle.len() + table.len() + lines.len() <= MAX_BYTES {
        out += &idle;
    }
    if left_out > 0 {
        let _ = writeln!(out, "{left_out} more previews are left out: run `argocd-jobs preview` for all of them.\n");
    }
    out += &lines;
    let head = if base.is_empty() { folded("all sources") } else { folded_with("all sources, compared with", base) };
    out + &format!("{head}\n\n{}\n</details>\n", fenced("text", &table))
}

/// Cuts the table to as many lines as fit into half of a comment.
fn shortened(table: &str) -> String {
    let mut end = 0;
    let fits = |line: &&str| {
        end += line.len();
        end <= MAX_BYTES / 2
    };
    let mut out: String = table.split_inclusive('\n').take_while(fits).collect();
    let left_out = table[out.len()..].lines().count();
    if left_out > 0 {
        let _ = writeln!(out, "{left_out} more lines are left out: run `argocd-jobs preview` for all of them");
    }
    out
}

/// The most sections that are open, besides the sections with a failure.
const OPEN: usize = 3;

/// A section with its heading; a closed one shows the heading alone.
fn markdown_section(alike: &[&Section], rows: &[Row], is_open: bool) -> String {
    let (first, others) = (alike[0], &alike[1..]);
    let [name, detail] = heading(&rows[first.row]);
    let status = first.status(false);
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let mut out = match is_open {
        true => {
            let status = if status.is_empty() { status } else { format!(" {}", sentence(&status, At::Line)) };
            format!("**{}**{more} ({}){status}\n", code(&name, At::Line), code(&detail, At::Line))
        }
        false => format!("{}\n", folded_code(&format!("{name}{more} ({detail}) {status}"))),
    };
    if let Some(line) = same_in(first, others, rows, Show::default()) {
        let _ = write!(out, "\n{}\n", sentence(&line, At::Line));
    }
    let _ = writeln!(out, "{}", first.text);
    if is_open { out } else { out + "</details>\n\n" }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, shortened};

    #[test]
    fn a_table_takes_at_most_half_of_a_comment() {
        let line = "apps/shop  kustomize  2  1 error\n";
        assert_eq!(shortened(line), line);
        let lines = MAX_BYTES / line.len();
        let short = shortened(&line.repeat(lines));
        let (kept, note) = short.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(kept.lines().count(), MAX_BYTES / 2 / line.len());
        assert!(note.starts_with(&format!("{} more lines", lines - kept.lines().count())), "{note}");
    }
}
