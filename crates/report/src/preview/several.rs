//! Previews of several sources, in one output.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use deployment::row::{Outcome, PassedOver, Row, SkippedApplication};
use preview::GoneApplication;
use serde::Serialize;
use serde_json::value::RawValue;
use text::{few, listed, plural, visible};

use super::alike::{Section, alike};
use super::answer::Answer;
use super::gone;
use super::headline::{About, Headline, Said, Sentences, Unknown, compared_with};
use super::markdown::{MAX_BYTES, about_hooks, compared, headed};
use super::not_checked::{changed_unseen, changes_unused, only_in_part, partly, unread_base, unused};
use crate::json::to_json;
use crate::markdown::{At, code, fenced, folded, folded_code, sentence};
use crate::paint::Ink;
use crate::show::Show;
use crate::sources::{self, Coverage, Named, coverage, coverage_line, seen};

/// What runs at the next syncs of all sources, or what a merge does, with how many sources are not known; and what runs anyway. None when there
/// is no source.
fn answer(sections: &[Section], rows: &[Row], passed_over: &PassedOver, show: Show) -> Option<(Sentences, String)> {
    let [changed, partly, broken] = [changed_unseen(rows, passed_over), partly(sections, rows), broken(rows)];
    let seen = seen(rows, passed_over);
    let all = match sections.iter().map(|section| section.answer.clone()).reduce(Answer::and) {
        Some(all) => all,
        None if rows.is_empty() && !changes_unused(passed_over) => return None,
        None if changed.is_empty() && broken.is_empty() && !rows.is_empty() => {
            return Some((Sentences::of("No source could be read".to_owned()), seen.unwrap_or_default()));
        }
        None => Answer::Compared(Headline::default()),
    };
    let is_unknown = |row: &&Row| matches!(row.outcome, Outcome::NotChecked(_)) && row.changed.is_none();
    let unknown: Vec<String> = rows.iter().filter(is_unknown).map(|row| format!("`{}`", name(row))).collect();
    let incomplete = rows.iter().filter(|row| !row.unseen.is_empty()).count();
    let mut more = Vec::new();
    if !unknown.is_empty() {
        // The folders of many are in the table.
        let named = unknown.len() <= show.at_most(NAMED);
        let (count, names) = (unknown.len(), unknown.join(", "));
        more.push(Said::not_checked(match all {
            Answer::Compared(_) if named => format!("{names} could not be checked, and may change"),
            Answer::Compared(_) => format!("{count} sources could not be checked, and may change"),
            _ if named => format!("{count} of {} sources not checked: {names}", rows.len()),
            _ => format!("{count} of {} sources not checked", rows.len()),
        }));
    }
    more.extend(only_in_part(rows, show));
    if matches!(all, Answer::Alone(_)) {
        more.extend(sources::many_unused(rows, passed_over).map(Said::not_checked));
    }
    if incomplete > 0 {
        more.push(Said::not_checked(format!("not all Jobs of {} are known", plural(incomplete, "source"))));
    }
    if !passed_over.removed.is_empty() {
        let names: Vec<String> = passed_over.removed.iter().map(|name| format!("`{name}`")).collect();
        let (is, count) = if names.len() == 1 { ("is", "1 Application") } else { ("are", "Applications") };
        let text =
            format!("{count} that {is} not rendered here {is} removed: {}", few(&names, show.at_most(gone::NAMES)));
        more.push(Said { about: About::Removal, text });
    }
    let shown = sections.iter().filter(|section| !section.is_quiet).count();
    let is_partial = seen.is_some() || rows.iter().any(|row| row.unread_base.is_some()) || changes_unused(passed_over);
    let mut sentences = all.sentences(
        shown,
        &Unknown { changed, partly, unread_base: unread_base(rows, false), broken, more, is_partial },
    );
    sentences.more.splice(0..0, gone::sentences(rows, show));
    sentences.more.extend(unused(passed_over, show));
    let rest = seen.into_iter().chain(Some(all.rest()).filter(|rest| !rest.is_empty()));
    Some((sentences, rest.collect::<Vec<_>>().join("; ")))
}

/// The Application of a row, or else its path.
pub(super) fn name(row: &Row) -> &String {
    row.application.as_ref().unwrap_or(&row.path)
}

/// The Applications or folders that Argo CD can no longer render.
fn broken(rows: &[Row]) -> Vec<String> {
    let named = rows.iter().filter(|row| row.is_broken).map(|row| name(row).clone());
    named.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Text: what runs, a line with the path above each preview, and the table at the end. `named` is what the sources are compared with.
pub fn text(sections: &[Section], rows: &[Row], passed_over: &PassedOver, named: &str, show: Show) -> String {
    let paint = show.paint;
    let mut out = String::new();
    if let Some((answer, rest)) = answer(sections, rows, passed_over, show) {
        out += &show.inked(Ink::Strong, &answer.on_one_line());
        if !named.is_empty() {
            out += &show.inked(Ink::Faint, &compared_with(named, &rest));
        }
        out.push('\n');
    }
    let all = alike(sections);
    let is_alone = is_alone(&all);
    for alike in &all {
        let (first, others) = (alike[0], &alike[1..]);
        let row = &rows[first.row];
        let assumed = if row.is_assumed { ", assumed" } else { "" };
        let heading = format!("== {} ({}{assumed}){}", heading(row), row.kinds(), and_more(others));
        let _ = writeln!(out, "{}", paint.ink(Ink::Info, heading));
        if !is_alone && !first.lead.is_empty() {
            out += &show.line(&first.lead);
        }
        if let Some(line) = same_in(first, others, rows, show) {
            out += &show.inked(Ink::Faint, &line);
        }
        let _ = writeln!(out, "{}", first.text);
    }
    let idle = without_jobs(sections, rows);
    let most = idle.len().min(show.at_most(NAMED));
    if !idle.is_empty() {
        let _ = writeln!(out, "{}", paint.ink(Ink::Faint, WITHOUT_JOBS));
        idle[..most].iter().for_each(|line| _ = writeln!(out, "{}", show.wrapped(&visible(line), "  ", "    ")));
        if idle.len() > most {
            let _ = writeln!(out, "  and {} more (`--all` lists them)", idle.len() - most);
        }
        out.push('\n');
    }
    out + &sources::print(rows, passed_over, show) + &coverage_line(rows, passed_over, show)
}

/// Above the Applications whose syncs start and run nothing.
const WITHOUT_JOBS: &str = "Syncs that run no Job or hook:";

/// The Applications whose syncs start and run no Job and no hook: a line for each, with the changes that start the sync.
fn without_jobs(sections: &[Section], rows: &[Row]) -> Vec<String> {
    let line = |section: &Section| {
        let row = &rows[section.row];
        let name = name(row);
        section.starts.as_ref().filter(|_| section.is_quiet).map(|why| format!("`{name}`: {why}"))
    };
    sections.iter().filter_map(line).collect()
}

/// The most of them that a comment has.
const LINES: usize = 60;

/// These lines as a list for a comment, folded if there are many.
fn markdown_without_jobs(all: &[String]) -> String {
    let lines: String = all.iter().take(LINES).map(|line| format!("- {}\n", sentence(line, At::Line))).collect();
    let more = all.len().saturating_sub(LINES);
    let more = if more > 0 { format!("- and {more} more\n") } else { String::new() };
    match all.len() {
        0 => String::new(),
        1..=OPEN => format!("{WITHOUT_JOBS}\n\n{lines}\n"),
        count => format!("{}\n\n{lines}{more}\n</details>\n\n", folded(&format!("{count} syncs run no Job or hook"))),
    }
}

/// Whether there is only one section: then its first sentences are at the top already.
fn is_alone(all: &[Vec<&Section>]) -> bool {
    matches!(all, [alike] if alike.len() == 1)
}

/// ` and 2 more`
fn and_more(others: &[&Section]) -> String {
    if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) }
}

/// The most Applications of a group that are named.
const NAMED: usize = 8;

/// Which other sources have the same section.
fn same_in(first: &Section, others: &[&Section], rows: &[Row], show: Show) -> Option<String> {
    let most = show.at_most(NAMED);
    let name = |section: &&Section| name(&rows[section.row]).clone();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    others.iter().for_each(|section| *names.entry(name(section)).or_default() += 1);
    let shown = names.iter().take(most).map(|(name, count)| match count {
        1 => format!("`{name}`"),
        count => format!("`{name}` ({count})"),
    });
    let shown = listed(&shown.collect::<Vec<_>>(), names.values().skip(most).sum());
    let count = plural(others.len(), "more source");
    let text = match names.len() {
        0 => return None,
        1 if names.contains_key(&name(&first)) => format!("The same in {count} of this name."),
        _ if others.len() == 1 => format!("The same in {count}: {shown}."),
        _ => format!("The same in {count}, with their own names: {shown}."),
    };
    Some(visible(&text).into_owned())
}

/// The path, after the Application that names it and the Applications that render that one.
fn heading(row: &Row) -> String {
    let whole = match &row.application {
        Some(application) => format!(
            "{}{application}: {}",
            row.from.iter().map(|above| format!("{above} → ")).collect::<String>(),
            row.paths()
        ),
        None => row.with_value_set(),
    };
    visible(&whole).into_owned()
}

/// Markdown: likewise; what would make a comment too long is left out, and counted.
pub fn markdown(sections: &[Section], rows: &[Row], passed_over: &PassedOver, named: &str) -> String {
    let table = sources::print(rows, passed_over, Show { only_new: !named.is_empty(), ..Show::default() });
    let table = shortened(&table) + &coverage_line(rows, passed_over, Show::default());
    let mut out = String::new();
    if let Some((answer, rest)) = answer(sections, rows, passed_over, Show::default()) {
        let _ = writeln!(out, "## {}\n", headed(&answer));
        if !named.is_empty() {
            let _ = writeln!(out, "{}\n", compared(named, &rest));
        }
    }
    let mut left_out = 0;
    let all = alike(sections);
    for (index, one) in all.iter().enumerate() {
        let is_open = index < OPEN || one[0].answer.rank() == 0;
        let section = markdown_section(one, rows, is_open, is_alone(&all));
        if out.len() + section.len() + table.len() > MAX_BYTES {
            left_out += one.len();
            continue;
        }
        out += &section;
    }
    let idle = markdown_without_jobs(&without_jobs(sections, rows));
    if out.len() + idle.len() + table.len() <= MAX_BYTES {
        out += &idle;
    }
    if left_out > 0 {
        let _ = writeln!(out, "{left_out} more previews are left out: run `argocd-jobs preview` for all of them.\n");
    }
    let about = about_hooks(sections.iter().any(|section| section.has_hook), &out);
    out + &fenced("text", &table) + &about
}

/// As many lines of the table as fit into half of a comment.
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
fn markdown_section(alike: &[&Section], rows: &[Row], is_open: bool, is_alone: bool) -> String {
    let (first, others) = (alike[0], &alike[1..]);
    let (row, more) = (&rows[first.row], and_more(others));
    let heading = heading(row);
    let mut out = match (is_open, &row.application) {
        (true, Some(application)) => {
            format!("### {}{more}\n\n{}\n", code(application, At::Line), code(&heading, At::Line))
        }
        (true, None) => format!("### {}{more}\n", code(&heading, At::Line)),
        (false, _) => format!("{}\n", folded_code(&(heading + &more))),
    };
    if !is_alone && !first.lead.is_empty() {
        let _ = write!(out, "\n{}\n", sentence(&first.lead, At::Line));
    }
    if let Some(line) = same_in(first, others, rows, Show::default()) {
        let _ = write!(out, "\n{}\n", sentence(&line, At::Line));
    }
    let _ = writeln!(out, "{}{}", if first.lead.is_empty() { "\n" } else { "" }, first.text);
    if is_open { out } else { out + "</details>\n\n" }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Several<'s> {
    version: u32,
    sources: Vec<Source<'s>>,
    skipped: &'s [SkippedApplication],
    passed_over: &'s PassedOver,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
    next_sync: Option<String>,
}

#[derive(Serialize)]
struct Source<'s> {
    #[serde(flatten)]
    named: Named<'s>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<&'s GoneApplication>,
}

/// JSON: `sources`, each with its `preview` or the `reason` why there is none.
pub fn json(sections: &[Section], rows: &[Row], passed_over: &PassedOver) -> String {
    let mut previews = sections.iter().peekable();
    let mut all = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let preview = previews.next_if(|section| section.row == index);
        // No text in JSON holds a line break: each begins a line.
        let indented = |text: &str| text.trim_end().replace('\n', "\n      ");
        let preview = preview.and_then(|section| RawValue::from_string(indented(&section.text)).ok());
        let reason = match &row.outcome {
            Outcome::NotChecked(reason) => Some(reason.as_str()),
            Outcome::Read { .. } => row.unread_base.as_ref().or(row.unseen.first()).map(String::as_str),
        };
        all.push(Source { named: Named::of(row), preview, reason, changed: row.changed, gone: row.gone.as_ref() });
    }
    let coverage = coverage(rows, passed_over);
    to_json(&Several {
        version: 1,
        sources: all,
        skipped: &passed_over.skipped,
        passed_over,
        coverage,
        next_sync: answer(sections, rows, passed_over, Show::default()).map(|(answer, _)| answer.on_one_line()),
    })
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
