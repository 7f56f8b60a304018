//! Sections of a comparison that say the same of several Applications: one stands for all.

use std::collections::{BTreeMap, BTreeSet};

use preview::Comparison;

use super::answer::Answer;
use super::uses::base_name;
use crate::grouped::grouped;

/// The preview of one source.
#[derive(Clone, Debug)]
pub struct Section {
    /// The index of its row.
    pub row: usize,
    /// The first sentences of a comparison, on one line; empty without one.
    pub lead: String,
    /// The preview in the wanted format, without the sentences that `lead` has.
    pub text: String,
    /// Whether there is nothing in it to read: it has no Jobs.
    pub is_quiet: bool,
    /// What runs at the next sync.
    pub answer: Answer,
    /// Which changes start its sync, if it runs no Job and no hook.
    pub starts: Option<String>,
    /// Whether a hook is in it.
    pub has_hook: bool,
    /// What it has in common with sections that say the same (`masked`); none if it stands for itself.
    pub same: Option<String>,
}

/// What stands for the name of an Application; no name has this character.
const APPLICATION: &str = "\u{1}";

/// What stands for the only namespace of the Jobs.
const NAMESPACE: &str = "\u{2}";

/// What stands for the hash in a name.
const HASH: &str = "\u{3}";

/// What a section says in Markdown (`said`), without what only names its Application: two sections that say the same have the same text. Names
/// of objects that hold the name of the Application, or of the folder if no Application is known, are masked, and so is the namespace.
pub fn masked(comparison: &Comparison, said: &str, application: &str) -> String {
    let application = application.rsplit('/').next().unwrap_or_default();
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let own = |name: &str| match application {
        "" => name.to_owned(),
        application => name.replace(application, APPLICATION),
    };
    for job in &comparison.jobs {
        names.insert(&job.name, own(&job.name));
        if job.emitted != job.name {
            names.insert(&job.emitted, own(&job.name) + HASH);
        }
        for found in &job.uses {
            names.insert(&found.name, own(base_name(found)) + HASH);
        }
    }
    let of_steps = comparison.steps.iter().flat_map(|step| &step.entries).map(|entry| entry.name.as_str());
    let of_starts = comparison.starts.iter().flat_map(|start| start.object.split([' ', '/']));
    for name in of_steps.chain(of_starts).filter(|name| name.contains(application)) {
        names.entry(name).or_insert_with(|| own(name));
    }
    let namespaces: BTreeSet<&str> = comparison.jobs.iter().filter_map(|job| job.namespace.as_deref()).collect();
    let is_one = namespaces.len() == 1;
    names.extend(namespaces.iter().map(|name| (*name, if is_one { NAMESPACE.to_owned() } else { own(name) })));
    replaced(said, &names)
}

/// The text with whole words replaced.
fn replaced(text: &str, names: &BTreeMap<&str, String>) -> String {
    let is_in_a_name = |found: char| found.is_alphanumeric() || "-._".contains(found);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|found| !is_in_a_name(found)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        out.push_str(names.get(word).map_or(word, String::as_str));
        let next = behind.find(is_in_a_name).unwrap_or(behind.len());
        out.push_str(&behind[..next]);
        rest = &behind[next..];
    }
    out
}

/// The sections in which there is something to read, in groups that say the same. The first of a group stands for all. First what fails,
/// then what starts a sync.
pub(super) fn alike(sections: &[Section]) -> Vec<Vec<&Section>> {
    let mut shown: Vec<&Section> = sections.iter().filter(|section| !section.is_quiet).collect();
    shown.sort_by_key(|section| section.answer.rank());
    // Without a text in common a section stands for itself.
    grouped(shown, |section| section.same.as_deref().map(|same| (section.answer.rank(), same)).ok_or(section.row))
}
