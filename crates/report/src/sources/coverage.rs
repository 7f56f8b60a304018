//! How much of what is deployed was checked: its Applications and their Jobs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use deployment::row::{Outcome, PassedOver, Row};
use serde::Serialize;
use text::{plural, visible};

use super::reason;
use crate::show::Show;

/// The most reasons that are printed.
const MOST: usize = 3;

/// What was checked of the Applications.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Coverage {
    /// The Jobs of the Applications that were checked.
    jobs: usize,
    /// How many Applications there are.
    applications: usize,
    /// How many of them were checked, with all their sources.
    checked: usize,
    /// Why the others were not checked: each reason once, the most frequent first.
    not_checked: Vec<NotChecked>,
}

/// The Applications that were not checked for one reason.
#[derive(Debug, Serialize)]
struct NotChecked {
    reason: String,
    /// Whether another source of them was checked.
    #[serde(skip)]
    is_in_part: bool,
    /// How many there are. One with several sources counts once, one of several environments once for each.
    count: usize,
    names: BTreeSet<String>,
}

/// The coverage; none where no Application is known.
pub(crate) fn coverage(rows: &[Row], passed_over: &PassedOver) -> Option<Coverage> {
    let mut names = BTreeSet::new();
    let mut reasons: BTreeMap<Known, Reason> = BTreeMap::new();
    let (mut in_part, mut of_rows) = (BTreeSet::new(), BTreeMap::new());
    let mut jobs = 0;
    for row in rows.iter().filter(|row| row.gone.is_none()) {
        let Some(name) = &row.application else { continue };
        let key = (row.from.join("/") + &row.origin, name.clone());
        names.insert(key.clone());
        of_rows.insert((row.origin.clone(), name.clone()), key.clone());
        match &row.outcome {
            Outcome::Read { jobs: of_source, .. } => {
                jobs += of_source;
                in_part.extend(Some(key).filter(|_| !row.is_of_base));
            }
            Outcome::NotChecked(reason) => {
                reasons.entry(key).or_insert_with(|| Reason {
                    key: reason::Key::of(&row.path, reason),
                    short: reason::short(&row.path, reason),
                });
            }
        }
    }
    for skipped in passed_over.skipped.iter().filter(|skipped| !skipped.is_nowhere) {
        // What cannot be read has no name.
        let name = if skipped.name.is_empty() { skipped.place.to_string() } else { skipped.name.clone() };
        let origin = skipped.place.origin.to_string();
        // Another source of an Application of which one is read: its file says less of where it is.
        let of_row = of_rows.get(&(origin.clone(), name.clone())).filter(|_| skipped.from.is_empty());
        let key = of_row.cloned().unwrap_or_else(|| (skipped.from.join("/") + &origin, name));
        names.insert(key.clone());
        let short = skipped.group.unwrap_or(&skipped.reason).to_owned();
        // A source that has the text says the same.
        let cause =
            if skipped.name.is_empty() { reason::Key::of_text(&short) } else { reason::Key::Text(short.clone()) };
        reasons.entry(key).or_insert_with(|| Reason { key: cause, short });
    }
    let checked = names.len() - reasons.len();
    let not_checked = by_reason(reasons, &in_part);
    (!names.is_empty()).then_some(Coverage { jobs, applications: names.len(), checked, not_checked })
}

/// The way to an Application and where it is, and its name.
type Known = (String, String);

/// Why an Application was not checked.
struct Reason {
    /// The part of the reason that Applications can have in common.
    key: reason::Key,
    /// The words for this Application alone.
    short: String,
}

/// Groups Applications by the reason why they were not checked, and whether that holds only for a part: for one that is among `in_part` too.
fn by_reason(reasons: BTreeMap<Known, Reason>, in_part: &BTreeSet<Known>) -> Vec<NotChecked> {
    let mut named: BTreeMap<(reason::Key, bool), Vec<(String, String)>> = BTreeMap::new();
    for (known, Reason { key, short }) in reasons {
        let is_in_part = in_part.contains(&known);
        named.entry((key, is_in_part)).or_default().push((known.1, short));
    }
    let group = |((key, is_in_part), all): ((reason::Key, bool), Vec<(String, String)>)| NotChecked {
        reason: key.words(all.iter().map(|(_, short)| short.as_str())),
        is_in_part,
        count: all.len(),
        names: all.into_iter().map(|(name, _)| name).collect(),
    };
    let mut groups: Vec<NotChecked> = named.into_iter().map(group).collect();
    groups.sort_by_key(|group| Reverse(group.count));
    groups
}

/// Whether each source and each Application was checked.
pub fn is_all_checked(rows: &[Row], passed_over: &PassedOver) -> bool {
    let is_checked = rows
        .iter()
        .all(|row| matches!(row.outcome, Outcome::Read { .. }) && row.without.is_empty() || row.gone.is_some());
    is_checked && coverage(rows, passed_over).is_none_or(|coverage| coverage.is_full())
}

/// How much of the Applications was checked, as a line; nothing where none is known.
pub(crate) fn coverage_line(rows: &[Row], passed_over: &PassedOver, show: Show) -> String {
    coverage(rows, passed_over).map_or_else(String::new, |coverage| coverage.line(show))
}

impl Coverage {
    /// How many Applications there are.
    pub(crate) fn applications(&self) -> usize {
        self.applications
    }

    /// Whether each Application was checked.
    pub(crate) fn is_full(&self) -> bool {
        self.checked == self.applications
    }

    /// A line: `coverage: 73 Jobs in 59 of 61 Applications; 2 not checked: needs the network`.
    pub(crate) fn line(&self, show: Show) -> String {
        let Self { jobs, applications, checked, not_checked } = self;
        let count = plural(*applications, "Application");
        let whole = if checked == applications { count } else { format!("{checked} of {count}") };
        let mut text = format!("coverage: {} in {whole}", plural(*jobs, "Job"));
        for NotChecked { reason, count, is_in_part, .. } in not_checked.iter().take(show.at_most(MOST)) {
            let what = if *is_in_part { "checked in part" } else { "not checked" };
            text += &format!("; {count} {what}: {}", visible(reason));
        }
        let more: usize = not_checked.iter().skip(show.at_most(MOST)).map(|group| group.count).sum();
        if more > 0 {
            text += &format!("; {more} not checked for other reasons");
        }
        text + "\n"
    }
}

/// That there are at least as many Jobs in folders that no Application uses as in the Applications; none otherwise.
pub fn many_unused(rows: &[Row], passed_over: &PassedOver) -> Option<String> {
    let PassedOver { unused, unused_jobs, unused_templates, .. } = *passed_over;
    let used: usize = rows
        .iter()
        .map(|row| match row.outcome {
            Outcome::Read { jobs, .. } => jobs,
            Outcome::NotChecked(_) => 0,
        })
        .sum();
    let all = unused_jobs + unused_templates;
    (all > 0 && all >= used).then(|| {
        let folders = unused_folders(passed_over);
        let them = if unused == 1 { "it" } else { "them" };
        format!("{folders} not checked, because no Application here uses {them} (`--unused` checks {them})")
    })
}

/// The line of the folders that no Application uses; nothing when there are none.
pub(crate) fn unused(passed_over: &PassedOver) -> String {
    if passed_over.unused == 0 {
        return String::new();
    }
    let them = if passed_over.unused == 1 { "it" } else { "them" };
    format!("not used by any Application here: {}; `--unused` checks {them}\n", unused_folders(passed_over))
}

/// How many folders no Application uses, and what is in them: `3 folders with 2 Jobs and 1 template of a Job`.
fn unused_folders(passed_over: &PassedOver) -> String {
    let PassedOver { unused, unused_jobs, unused_templates, .. } = *passed_over;
    let templates = match unused_templates {
        1 => "1 template of a Job".to_owned(),
        many => format!("{many} templates of Jobs"),
    };
    let jobs = (unused_jobs > 0).then(|| plural(unused_jobs, "Job"));
    let with: Vec<String> = jobs.into_iter().chain((unused_templates > 0).then_some(templates)).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(" and ")) };
    plural(unused, "folder") + &with
}
