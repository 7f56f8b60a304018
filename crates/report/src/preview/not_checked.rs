//! What of several sources could not be checked, and what is only known in part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use deployment::row::{Outcome, PassedOver, Row};
use system::PathText;
use text::few;

use super::section::{Section, name};
use crate::show::Show;
use crate::sources;

/// The most names in a list.
const NAMES: usize = 4;

/// A sentence for each thing that is unknown. `is_compared` says whether there is a version to compare with.
pub(super) fn lines(
    sections: &[Section],
    rows: &[Row],
    passed_over: &PassedOver,
    is_compared: bool,
    show: Show,
) -> Vec<String> {
    let most = show.at_most(NAMES);
    let sentence = |names: BTreeSet<String>, one: &str, several: &str| {
        let names: Vec<String> = names.into_iter().collect();
        let verb = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{} {verb}.", few(&names, most)))
    };
    let mut lines: Vec<String> = Vec::new();
    let partly = if is_compared { partly(sections, rows) } else { BTreeSet::new() };
    if is_compared {
        let Unchecked { whole, in_part } = changed(rows, passed_over);
        let told = whole.clone();
        lines.extend(sentence(whole, "changes and was not checked", "change and were not checked"));
        let only = "checked only in part";
        lines.extend(sentence(in_part, &format!("changes and was {only}"), &format!("change and were {only}")));
        let unknown = of(rows, |row| matches!(row.outcome, Outcome::NotChecked(_)) && row.changed.is_none());
        // Of two sources of one Application, the change can have to do with one.
        let unknown = unknown.difference(&told).cloned().collect();
        lines.extend(sentence(unknown, "was not checked and may change", "were not checked and may change"));
        let all = "and not all could be compared";
        lines.extend(sentence(partly.clone(), &format!("changes, {all}"), &format!("change, {all}")));
        let unread = of(rows, |row| row.unread_base.is_some());
        let all = "only the base is broken, so all is shown and nothing is new or old";
        let unread: Vec<String> = unread.into_iter().collect();
        lines.extend((!unread.is_empty()).then(|| format!("{}: {all}.", few(&unread, most))));
    } else {
        lines.extend(sources::many_unused(rows, passed_over).map(|text| text + "."));
    }
    lines.extend(sentence(
        of(rows, |row| row.may_change_more).difference(&partly).cloned().collect(),
        "may have more Jobs",
        "may have more Jobs",
    ));
    let removed = passed_over.removed.iter().map(|name| format!("`{name}`")).collect();
    lines.extend(sentence(removed, "is removed, and is not rendered here", "are removed, and are not rendered here"));
    let quoted = |path: &Path| format!("`{}`", path.shown());
    let unused = passed_over.unused_changed.iter().map(|path| quoted(path)).collect();
    let reaches = "a changed Job that no known Application applies";
    lines.extend(sentence(unused, &format!("has {reaches}"), "have changed Jobs that no known Application applies"));
    let unread = passed_over.unused_unread.iter().filter_map(|file| file.path()).map(quoted).collect();
    let unread = sentence(unread, "could not be read", "could not be read");
    lines.extend(unread.map(|unread| format!("Not all Jobs are known: {unread}")));
    lines
}

/// Whether a file that nothing applies has changed Jobs, or may have.
pub(super) fn changes_unused(passed_over: &PassedOver) -> bool {
    !passed_over.unused_changed.is_empty() || !passed_over.unused_unread.is_empty()
}

/// The names of the rows that are meant, each once.
pub(super) fn of(rows: &[Row], is_meant: impl Fn(&Row) -> bool) -> BTreeSet<String> {
    rows.iter().filter(|row| is_meant(row)).map(|row| format!("`{}`", name(row))).collect()
}

/// What the change has to do with and could not be checked: Applications, or folders if there are none.
#[derive(Default)]
pub(super) struct Unchecked {
    /// Those of which nothing was checked.
    pub(super) whole: BTreeSet<String>,
    /// The Applications of which a source was checked, and another one not.
    in_part: BTreeSet<String>,
}

/// What the change has to do with and could not be checked.
pub(super) fn changed(rows: &[Row], passed_over: &PassedOver) -> Unchecked {
    let are_known = rows.iter().any(|row| row.application.is_some());
    let is_meant = |row: &Row| {
        let is_unseen = matches!(row.outcome, Outcome::NotChecked(_)) && row.changed == Some(true);
        is_unseen && row.gone.is_none() && !row.is_broken && (row.application.is_some() || !are_known)
    };
    let is_read = |name: &str, origin: &str| {
        let mut of_it = rows.iter().filter(|row| row.application.as_deref() == Some(name) && row.origin == origin);
        of_it.any(|row| matches!(row.outcome, Outcome::Read { .. }) && !row.is_of_base)
    };
    let rows_meant = rows.iter().filter(|row| is_meant(row));
    let of_rows = rows_meant.map(|row| {
        let is_in_part = row.application.as_deref().is_some_and(|name| is_read(name, &row.origin));
        (format!("`{}`", name(row)), is_in_part)
    });
    let skipped = passed_over.skipped.iter().filter(|one| one.changed == Some(true) && !one.name.is_empty());
    let skipped = skipped.map(|one| (format!("`{}`", one.name), is_read(&one.name, &one.place.origin.to_string())));
    let all: BTreeMap<String, bool> = of_rows.chain(skipped).collect();
    let mut unchecked = Unchecked::default();
    for (name, is_in_part) in all {
        if is_in_part { &mut unchecked.in_part } else { &mut unchecked.whole }.insert(name);
    }
    unchecked
}

/// The Applications that the change has to do with, that show no change, and of which not all could be compared.
fn partly(sections: &[Section], rows: &[Row]) -> BTreeSet<String> {
    let is_quiet = |index: usize| sections.iter().any(|section| section.row == index && section.is_quiet);
    let is_meant = |(index, row): &(usize, &Row)| row.may_change_unseen && is_quiet(*index);
    rows.iter().enumerate().filter(is_meant).map(|(_, row)| format!("`{}`", name(row))).collect()
}
