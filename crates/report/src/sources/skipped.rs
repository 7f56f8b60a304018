//! The lines of the Applications that are not rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use deployment::row::{PassedOver, SkippedApplication, UnreadFile};
use text::{Place, few, plural, visible};

use crate::paint::Ink;
use crate::show::Show;

/// The most names of a group that are printed.
const NAMES: usize = 10;

/// The most mistakes in Applications that are printed, each with all that it makes wrong.
const MISTAKES: usize = 8;

/// The Applications that are not rendered: a line for each group, with some of their names, and one for each mistake.
pub(crate) fn skipped<'s>(all: impl IntoIterator<Item = &'s SkippedApplication>, show: Show) -> String {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut helps: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut broken, mut unread, mut known) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for SkippedApplication { name, place, group, reason, is_alone, is_unread, help, .. } in all {
        if *is_unread {
            unread.insert((place, reason));
            continue;
        }
        if let (Some(group), Some(help)) = (group, help) {
            helps.insert(group, help);
        }
        let group = group.filter(|_| !is_alone);
        let text = match group {
            Some(_) => format!("`{}`", visible(name)),
            None if name.is_empty() => format!("{place}: {reason}"),
            None => format!("{place}: Application `{name}`: {reason}"),
        };
        match group {
            // Several sources can render the same one.
            _ if !known.insert((group, text.clone())) => {}
            Some(group) => groups.entry(group).or_default().push(text),
            None => {
                broken.push(Mistake { line: text, place, reason, help: help.as_deref().filter(|_| *is_alone), more: 0 })
            }
        }
    }
    let mut out = String::new();
    for (group, names) in groups {
        let names = few(&names, show.at_most(NAMES));
        let _ = writeln!(out, "{}", show.wrapped(&format!("not rendered, {group}: {names}"), "", "  "));
        out += &help_line(helps.get(group).copied(), show);
    }
    let broken = if show.all { broken } else { by_cause(broken) };
    for Mistake { line, help, more, .. } in broken.iter().take(show.at_most(MISTAKES)) {
        let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
        let _ = writeln!(out, "{}", show.wrapped(&visible(&(line.clone() + &more)), "not rendered: ", "  "));
        out += &help_line(*help, show);
    }
    for (place, reason) in unread {
        out += &not_read(place, reason, show);
    }
    let more: usize = broken.iter().skip(show.at_most(MISTAKES)).map(|mistake| mistake.more + 1).sum();
    if more > 0 {
        let _ = writeln!(out, "not rendered: {}; `--all` lists them", plural(more, "more Application"));
    }
    out
}

/// The files that were not read, and in which there may be changed Jobs.
pub(crate) fn unread(passed_over: &PassedOver, show: Show) -> String {
    passed_over.unused_unread.iter().map(|UnreadFile { place, reason }| not_read(place, reason, show)).collect()
}

fn not_read(place: &Place, reason: &str, show: Show) -> String {
    let text = format!("not all Jobs are known: {place}: {reason}");
    show.labelled(Ink::Bad, "error[not-rendered]", &text)
}

/// Why Applications are not rendered: a mistake of their own.
struct Mistake<'s> {
    line: String,
    place: &'s Place,
    reason: &'s str,
    help: Option<&'s str>,
    /// How many more have the same cause.
    more: usize,
}

/// One for each cause: for each manifest, such as that of an ApplicationSet, and for each reason.
fn by_cause(all: Vec<Mistake<'_>>) -> Vec<Mistake<'_>> {
    let mut causes: Vec<Mistake<'_>> = Vec::new();
    let (mut of_place, mut of_reason) = (BTreeMap::new(), BTreeMap::new());
    for mistake in all {
        let place = mistake.place.to_string();
        let known = of_place.get(&place).or_else(|| of_reason.get(mistake.reason)).copied();
        let cause: usize = known.unwrap_or(causes.len());
        of_place.insert(place, cause);
        of_reason.insert(mistake.reason, cause);
        match causes.get_mut(cause) {
            Some(cause) => cause.more += 1,
            None => causes.push(mistake),
        }
    }
    causes
}

fn help_line(help: Option<&str>, show: Show) -> String {
    help.map_or_else(String::new, |help| show.wrapped(help, "  help: ", "  ") + "\n")
}
