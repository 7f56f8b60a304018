//! The lines of the Applications that are not rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use deployment::row::SkippedApplication;
use text::{few, plural, visible};

use crate::paint::Ink;
use crate::show::Show;

/// The most names of a group that are printed.
const NAMES: usize = 10;

/// The most mistakes in Applications that are printed.
const MISTAKES: usize = 3;

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
            None => broken.push((text, help.as_deref().filter(|_| *is_alone))),
        }
    }
    let most = |few: usize| if show.all { usize::MAX } else { few };
    let mut out = String::new();
    for (group, names) in groups {
        let names = few(&names, most(NAMES));
        let _ = writeln!(out, "{}", show.wrapped(&format!("not rendered, {group}: {names}"), "", "  "));
        out += &help_line(helps.get(group).copied(), show);
    }
    for (line, help) in broken.iter().take(most(MISTAKES)) {
        let _ = writeln!(out, "{}", show.wrapped(&visible(line), "not rendered: ", "  "));
        out += &help_line(*help, show);
    }
    for (place, reason) in unread {
        let text = format!("not all Jobs are known: {place}: {reason}");
        out += &show.labelled(Ink::Bad, "error[not-rendered]", &text);
    }
    let more = broken.len().saturating_sub(most(MISTAKES));
    if more > 0 {
        let _ = writeln!(out, "not rendered: {}; `--all` lists them", plural(more, "more Application"));
    }
    out
}

fn help_line(help: Option<&str>, show: Show) -> String {
    help.map_or_else(String::new, |help| show.wrapped(help, "  help: ", "  ") + "\n")
}
