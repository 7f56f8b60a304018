//! The syncs of a comparison: the sources of one Application are one sync, and so is a source without an Application.

use std::collections::{BTreeMap, BTreeSet};

use deployment::Owner;
use preview::AutoSync;

use super::part::{How, Part, Run, Whose};
use crate::grouped::grouped;

/// The sources of one Application.
pub(super) struct Sync<'h> {
    /// The name, with the way to it where others have the same name.
    pub(super) name: Option<String>,
    /// The name alone, and how many Applications have it.
    pub(super) short: (&'h str, usize),
    pub(super) auto_sync: &'h AutoSync,
    /// Who is known to sync it. None for the only source: it is what somebody typed, and its sync is that of whoever syncs it.
    pub(super) owner: Option<Owner>,
    pub(super) parts: Vec<&'h Part>,
}

/// The syncs, one for each Application, in the order of the sources.
pub(super) fn by_application(parts: &[Part]) -> Vec<Sync<'_>> {
    let all: BTreeSet<&Whose> = parts.iter().filter_map(|part| part.whose.as_ref()).collect();
    let mut of_name: BTreeMap<&str, Vec<&Whose>> = BTreeMap::new();
    all.iter().for_each(|whose| of_name.entry(whose.name()).or_default().push(whose));
    // Only a single part has no name.
    let of_application = grouped(parts, |part| part.whose.as_ref());
    let syncs = of_application.into_iter().filter_map(|parts| {
        let fails = parts.iter().find(|part| part.auto_sync == AutoSync::ComparisonFails);
        let auto_sync = fails.or_else(|| parts.iter().min_by_key(|part| &part.auto_sync)).map(|part| &part.auto_sync);
        let whose = parts.first().and_then(|part| part.whose.as_ref());
        let others = whose.and_then(|whose| of_name.get(whose.name())).map(Vec::as_slice).unwrap_or_default();
        let short = whose.map_or(("", 1), |whose| (whose.name(), others.len()));
        let (name, owner) = (whose.map(|whose| whose.among(others)), whose.map(|whose| whose.owner));
        Some(Sync { name, short, auto_sync: auto_sync?, owner, parts })
    });
    syncs.collect()
}

impl<'h> Sync<'h> {
    /// Whether the change is in one of several sources, and nobody knows whether anything syncs that one.
    pub(super) fn starts_if_synced(&self) -> bool {
        let is_known_to_none = matches!(self.owner, Some(Owner::ApplicationOfTheChange | Owner::Unknown));
        is_known_to_none && self.auto_sync.may_start()
    }

    /// What it runs: all of it if it starts with the merge or if something syncs the source, otherwise what runs because of the change.
    pub(super) fn runs(&self) -> impl Iterator<Item = &'h Run> {
        let is_started = self.auto_sync.may_start();
        self.parts.iter().flat_map(|part| &part.runs).filter(move |run| is_started || run.how != How::Unchanged)
    }

    pub(super) fn has_changed_hook(&self) -> bool {
        self.parts.iter().any(|part| part.has_changed_hook)
    }

    pub(super) fn is_changed(&self) -> bool {
        self.parts.iter().any(|part| part.is_changed || part.changed_runs().next().is_some())
    }

    /// When it comes.
    pub(super) fn next(&self) -> Next {
        match self.auto_sync {
            _ if self.starts_if_synced() => Next::IfSynced,
            auto_sync if auto_sync.may_start() => Next::Started,
            AutoSync::Manual => Next::ByHand,
            _ => Next::Later,
        }
    }

    /// What fails or waits, and where: `The next`, `sync`, `fail`, `at Job `migrate`: `field is immutable``.
    pub(super) fn fails(&self) -> Vec<[String; 4]> {
        let which = match self.next() {
            Next::Started => "The",
            Next::IfSynced => "A",
            Next::ByHand | Next::Later => "The next",
        };
        let of_sync = |verb: &str, at: String| [which, "sync", verb, &at].map(ToOwned::to_owned);
        let reasons: Vec<&str> = self.parts.iter().flat_map(|part| &part.fails).map(String::as_str).collect();
        let fails = reasons.split_first().map(|(first, more)| {
            let is_early = self.parts.iter().any(|part| part.fails_in_comparison);
            let more = if more.is_empty() { String::new() } else { format!(", and at {} more", more.len()) };
            let at = format!("at {first}{more}");
            if is_early { ["The", "comparison", "fail", &at].map(ToOwned::to_owned) } else { of_sync("fail", at) }
        });
        let waits = self.parts.iter().filter_map(|part| Some(of_sync("wait", part.waits?.to_owned())));
        fails.into_iter().chain(waits).collect()
    }
}

/// When a sync comes, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Next {
    /// With the merge.
    Started,
    /// When somebody starts it.
    ByHand,
    /// With the merge or later, if anything syncs the source.
    IfSynced,
    /// With another change.
    Later,
}

impl Next {
    /// What follows the verb, for one Application or for several.
    pub(super) fn condition(self, is_one: bool) -> &'static str {
        match self {
            Self::Started => "",
            Self::ByHand => " when somebody syncs",
            Self::IfSynced if is_one => " if something syncs the folder",
            Self::IfSynced => " if something syncs the folders",
            Self::Later if is_one => " at the next sync",
            Self::Later => " at their next syncs",
        }
    }
}
