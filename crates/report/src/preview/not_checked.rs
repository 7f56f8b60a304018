//! What of several sources could not be checked, and what is only known in part.

use std::collections::BTreeSet;
use std::path::Path;

use deployment::row::{Outcome, PassedOver, Row};
use system::PathText;
use text::few;

use super::alike::Section;
use super::gone;
use super::headline::Said;
use super::several::name;
use crate::show::Show;

/// The sources of which only the base is broken, and those that are not checked and that somebody syncs.
pub(super) fn only_in_part(rows: &[Row], show: Show) -> Vec<Said> {
    let named = |is_meant: fn(&Row) -> bool| -> Vec<String> {
        let names = rows.iter().filter(|row| is_meant(row)).map(|row| format!("`{}`", name(row)));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    };
    let unread: Vec<String> = unread_base(rows, true).iter().map(|name| format!("`{name}`")).collect();
    let manual = named(|row| {
        let is_unseen = matches!(row.outcome, Outcome::NotChecked(_)) && row.changed == Some(true);
        is_unseen && row.is_manual && row.gone.is_none() && !row.is_broken
    });
    let sentence = |names: &[String], what: &str| {
        (!names.is_empty()).then(|| Said::not_checked(few(names, show.at_most(gone::NAMES)) + what))
    };
    let unread = sentence(&unread, ": only the base is broken, so all is shown and nothing is new or old");
    let manual = sentence(&manual, " could not be checked, and no sync starts by itself there");
    unread.into_iter().chain(manual).collect()
}

/// Whether a file that nothing applies has changed Jobs, or may have.
pub(super) fn changes_unused(passed_over: &PassedOver) -> bool {
    !passed_over.unused_changed.is_empty() || !passed_over.unused_unread.is_empty()
}

/// The manifests of Jobs that change, and that nothing applies; and the changed files that could not be read.
pub(super) fn unused(passed_over: &PassedOver, show: Show) -> Vec<Said> {
    let quoted = |path: &Path| format!("`{}`", path.shown());
    let names: Vec<String> = passed_over.unused_changed.iter().map(|path| quoted(path)).collect();
    let unread: Vec<String> = passed_over.unused_unread.iter().filter_map(|file| file.path()).map(quoted).collect();
    let most = show.at_most(gone::NAMES);
    let mut said = Vec::new();
    if !names.is_empty() {
        let (job, reach) = if names.len() == 1 { ("Job", "reaches") } else { ("Jobs", "reach") };
        said.push(format!("The changed {job} in {} {reach} no known Application", few(&names, most)));
    }
    if !unread.is_empty() {
        said.push(format!("Not all Jobs are known: the changed {} could not be read", few(&unread, most)));
    }
    said.into_iter().map(Said::not_checked).collect()
}

/// The Applications that the change has to do with and that could not be checked; folders, if there are no Applications.
pub(super) fn changed_unseen(rows: &[Row], passed_over: &PassedOver) -> Vec<String> {
    let are_known = rows.iter().any(|row| row.application.is_some());
    let is_meant = |row: &&Row| {
        matches!(row.outcome, Outcome::NotChecked(_))
            && row.changed == Some(true)
            && row.gone.is_none()
            && !row.is_broken
            && !row.is_manual
    };
    let rows = rows.iter().filter(is_meant).filter(|row| row.application.is_some() || !are_known);
    let of_rows = rows.map(|row| name(row).clone());
    let skipped = passed_over.skipped.iter().filter(|one| one.changed == Some(true) && !one.name.is_empty());
    let names: BTreeSet<String> = of_rows.chain(skipped.map(|one| one.name.clone())).collect();
    names.into_iter().collect()
}

/// The Applications that the change has to do with, that show no change, and of which not all could be compared.
pub(super) fn partly(sections: &[Section], rows: &[Row]) -> Vec<String> {
    let is_quiet = |index: usize| sections.iter().any(|section| section.row == index && section.is_quiet);
    let is_meant = |(index, row): &(usize, &Row)| row.may_change_unseen && !row.is_manual && is_quiet(*index);
    let names: BTreeSet<&String> = rows.iter().enumerate().filter(is_meant).map(|(_, row)| name(row)).collect();
    names.into_iter().cloned().collect()
}

/// The Applications of which only the base is broken: those that may sync by themselves, or the others.
pub(super) fn unread_base(rows: &[Row], is_manual: bool) -> Vec<String> {
    let is_meant = |row: &&Row| row.unread_base.is_some() && row.is_manual == is_manual;
    let names: BTreeSet<&String> = rows.iter().filter(is_meant).map(name).collect();
    names.into_iter().cloned().collect()
}
