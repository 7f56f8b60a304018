//! The first sentences of a comparison: which syncs start with the merge, what runs in them because of the change, what fails.
//!
//! They are made from the values of the sections below, of one source or of several.

mod part;
mod said;
mod starts;
mod sync;

use std::collections::{BTreeMap, BTreeSet};

use deployment::Owner;
use preview::{AutoSync, Comparison, Kind, counted};
use text::capitalized;

use crate::grouped::grouped;
pub use part::Whose;
use part::{How, Part, Reason, Run};
pub use said::{About, Said, Sentences};
use starts::{condition, starts, why_none, without_application};
use sync::{Next, Sync, by_application};

/// The most names in a list.
const NAMES: usize = 4;

/// What a merge does in some Applications.
#[derive(Clone, Debug, Default)]
pub struct Headline {
    /// A part for each source.
    parts: Vec<Part>,
}

impl Headline {
    /// Of one source, which belongs to `whose` if there are several.
    pub(super) fn of(comparison: &Comparison, whose: Option<Whose>) -> Self {
        Self { parts: vec![Part::of(comparison, whose)] }
    }

    /// Of both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self.parts.iter_mut().for_each(Part::forget_what_failed_before);
        self
    }

    /// The sentences, the first of them with what is not known: `Merging starts 1 sync: `shop`.`, `1 Job runs again: `migrate`, in PreSync,
    /// because its image changes (`v1` → `v2`).`
    pub(super) fn sentences(&self, unknown: &Unknown) -> Sentences {
        let syncs = by_application(&self.parts);
        let mut first = starts(&syncs, unknown);
        first.extend(unknown.more.iter().cloned());
        let mut more = what_happens(&syncs);
        // An Application that the change removes can have hooks for that.
        let is_known = |sync: &Sync<'_>| *sync.auto_sync != AutoSync::Gone;
        let is_all_known = unknown.changed.is_empty()
            && unknown.broken.is_empty()
            && unknown.more.is_empty()
            && syncs.iter().all(is_known);
        if more.is_empty() && is_all_known && syncs.iter().any(|sync| sync.auto_sync.may_start()) {
            more.push(Said { about: About::Run, text: "No Job or hook runs".to_owned() });
        }
        Sentences { first, more }
    }

    /// The sentences about one Application in its own section: `Its sync starts with the merge.`
    pub(super) fn of_its_own(&self) -> Sentences {
        let mut syncs = by_application(&self.parts);
        // The heading above has it.
        syncs.iter_mut().for_each(|sync| sync.name = None);
        let first = syncs.first().map(|sync| match condition(sync.auto_sync) {
            _ if sync.starts_if_synced() => without_application(sync.owner, "this folder"),
            Some(condition) if condition.is_empty() => "Its sync starts with the merge".to_owned(),
            Some(condition) => format!("Its sync starts{condition}"),
            None if *sync.auto_sync == AutoSync::Gone => "The Application is gone".to_owned(),
            None => format!("Its sync does not start with the merge: {}", why_none(&[sync], false)),
        });
        let first = first.map(|text| Said { about: About::Start, text: capitalized(&text) });
        Sentences { first: first.into_iter().collect(), more: what_happens(&syncs) }
    }

    /// Where its section stands among others: first what fails, then what starts a sync.
    pub(super) fn rank(&self) -> usize {
        let is_any = |is_meant: fn(&Part) -> bool| self.parts.iter().any(is_meant);
        match () {
            () if is_any(|part| !part.fails.is_empty() || !part.lost.is_empty()) => 0,
            () if is_any(|part| part.auto_sync.may_start() || part.is_touched()) => 1,
            () => 2,
        }
    }

    /// `1 unchanged hook runs at the next sync; 2 Jobs do not run; 1 Job is gone`
    pub(super) fn rest(&self) -> String {
        let of = |list: fn(&Part) -> Vec<(&Kind, bool)>, which: &str, words: [&str; 2]| {
            // Of several sources, only the ones in which something changes count.
            let is_meant = |part: &&Part| self.parts.len() == 1 || part.is_touched() || part.has_changed_hook;
            let parts = self.parts.iter().filter(is_meant);
            let all: Vec<(&Kind, bool)> = parts.flat_map(list).collect();
            let word = words[usize::from(all.len() > 1)];
            (!all.is_empty()).then(|| format!("{} {word}", counted(all, which)))
        };
        let parts = [
            of(Part::unchanged_runs_later, "unchanged ", ["runs at the next sync", "run at the next sync"]),
            of(|part| listed(&part.if_it_fails), "", ["runs only if the sync fails", "run only if the sync fails"]),
            of(|part| listed(&part.idle), "", ["does not run", "do not run"]),
            of(|part| listed(&part.gone), "", ["is gone", "are gone"]),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// With the kinds borrowed.
fn listed(all: &[(Kind, bool)]) -> Vec<(&Kind, bool)> {
    all.iter().map(|(kind, is_hook)| (kind, *is_hook)).collect()
}

/// What the first sentences of several sources cannot know.
#[derive(Clone, Debug, Default)]
pub struct Unknown {
    /// What is not known of the sources that may have changed: `2 of 9 sources not checked`, and the like.
    pub more: Vec<Said>,
    /// The Applications that the change has to do with and that could not be checked.
    pub changed: Vec<String>,
    /// The Applications that the change has to do with and of which only a part could be compared.
    pub partly: Vec<String>,
    /// The Applications of which only the base is broken, so that nothing could be compared.
    pub unread_base: Vec<String>,
    /// The Applications that Argo CD could render before, and can no longer.
    pub broken: Vec<String>,
    /// Whether there are Applications that were not seen, or changed Jobs that belong to none.
    pub is_partial: bool,
}

/// What is compared, and what runs anyway: `compared with `main`; 1 hook runs at every sync, changed or not`.
pub(super) fn compared_with(base: &str, rest: &str) -> String {
    let separator = if rest.is_empty() { "" } else { "; " };
    format!("compared with `{base}`{separator}{rest}")
}

/// When a sync starts that sync windows hold back.
pub(super) fn in_windows(project: &str) -> String {
    format!(" when the sync windows of project `{project}` allow it")
}

/// What the next syncs run because of the change, and what fails.
fn what_happens(syncs: &[Sync<'_>]) -> Vec<Said> {
    let runs = goes_back(syncs).into_iter().chain(runs(syncs)).map(|text| Said { about: About::Run, text });
    let failures = failures(syncs).into_iter().chain(lost(syncs));
    runs.chain(failures.map(|text| Said { about: About::Failure, text })).collect()
}

/// `` `shop` goes back to the manifests of `89abcdef01`: nothing undoes what newer Jobs did``; one sentence for each commit.
fn goes_back(syncs: &[Sync<'_>]) -> Vec<String> {
    let mut by_commit: BTreeMap<&str, Vec<&Sync<'_>>> = BTreeMap::new();
    for sync in syncs {
        let commits: BTreeSet<&str> = sync.parts.iter().filter_map(|part| part.goes_back_to.as_deref()).collect();
        commits.into_iter().for_each(|commit| by_commit.entry(commit).or_default().push(sync));
    }
    let text = |(commit, syncs): (&str, Vec<&Sync<'_>>)| {
        let (whose, s) = match names(&syncs).filter(|names| !names.is_empty()) {
            Some(names) => (names, if syncs.len() == 1 { "es" } else { "" }),
            None => ("The source".to_owned(), "es"),
        };
        format!("{whose} go{s} back to the manifests of `{commit}`: nothing undoes what newer Jobs did")
    };
    by_commit.into_iter().map(text).collect()
}

/// `The sync of `shop` fails at Job `migrate`: `field is immutable``; one sentence for all that fail alike.
fn failures(syncs: &[Sync<'_>]) -> Vec<String> {
    let all = syncs.iter().flat_map(|sync| sync.fails().into_iter().map(move |fails| (fails, sync)));
    let text = |alike: Vec<([String; 4], &Sync<'_>)>| {
        let ([which, what, verb, at], _) = &alike[0];
        let all: Vec<&Sync<'_>> = alike.iter().map(|(_, sync)| *sync).collect();
        let of = names(&all).filter(|names| !names.is_empty()).map_or_else(String::new, |names| format!(" of {names}"));
        match (all.len(), which.as_str()) {
            (1, _) => format!("{which} {what}{of} {verb}s {at}"),
            (_, "A") => format!("{}s{of} {verb} {at}", capitalized(what)),
            _ => format!("{which} {what}s{of} {verb} {at}"),
        }
    };
    grouped(all, |(fails, _)| fails.clone()).into_iter().map(text).collect()
}

/// `1 Job runs again: `migrate`, in PreSync, because its image changes (`v1` → `v2`)`; one sentence for each [`Next`] and each [`How`].
fn runs(syncs: &[Sync<'_>]) -> Vec<String> {
    // An Application that the change removes has no next sync.
    let with_next = || syncs.iter().filter(|sync| *sync.auto_sync != AutoSync::Gone);
    let mut alike: BTreeMap<(Next, How), Vec<(&Sync<'_>, &Run)>> = BTreeMap::new();
    for (sync, run) in with_next().flat_map(|sync| sync.runs().map(move |run| (sync, run))) {
        alike.entry((sync.next(), run.how)).or_default().push((sync, run));
    }
    let text = |((next, how), all): ((Next, How), Vec<(&Sync<'_>, &Run)>)| {
        // The first sentence names the Application of a single sync that the merge starts, and a single folder without one.
        let is_told = matches!(next, Next::Started | Next::IfSynced);
        let is_single = is_told && with_next().filter(|sync| sync.next() == next).count() == 1;
        let is_beside_others = syncs.iter().any(|sync| sync.next() != next && sync.is_changed());
        runs_like(&all, (next, how), syncs.len() > 1 && !is_single, is_beside_others)
    };
    alike.into_iter().map(text).collect()
}

/// The sentence about everything that comes to run in one way. `is_named` says whether the Applications are named, `is_beside_others` whether others
/// change whose syncs come otherwise.
fn runs_like(all: &[(&Sync<'_>, &Run)], (next, how): (Next, How), is_named: bool, is_beside_others: bool) -> String {
    let which = match how {
        How::New => "new ",
        How::Unchanged => "unchanged ",
        _ => "",
    };
    let counted = counted(all.iter().map(|(_, run)| (&run.kind, run.is_hook)), which);
    let applied = all
        .iter()
        .map(|(_, run)| &run.kind)
        .find(|kind| !kind.is_only_applied())
        .or(all.first().map(|(_, run)| &run.kind));
    let verb = applied.map_or("run", |kind| kind.verb(all.len() == 1));
    let is_anyway = how == How::Anyway;
    let how = match how {
        How::New | How::Resumed | How::Unchanged => "",
        How::Again => " again",
        How::Anyway if next == Next::Started => "",
        How::Anyway => " at every sync anyway",
        How::AfterFailure => " because the sync fails",
    };
    let mut applications: Vec<Option<&String>> = all.iter().map(|(sync, _)| sync.name.as_ref()).collect();
    applications.dedup();
    let is_listed = all.len() <= NAMES;
    let other = if is_beside_others && next != Next::Started { "other " } else { "" };
    let whose = match applications.len() {
        count if is_named && !is_listed && count > 1 => format!(" of {count} {other}{}", sources(all)),
        _ => String::new(),
    };
    let mut about: Vec<String> = Vec::new();
    if is_listed {
        about.extend(all.chunk_by(|(one, _), (other, _)| one.name == other.name).map(|runs| {
            let names: Vec<String> = runs.iter().map(|(_, run)| format!("`{}`", run.name)).collect();
            let application = runs.first().and_then(|(sync, _)| sync.name.as_ref()).filter(|_| is_named);
            names.join(", ") + &application.map_or_else(String::new, |name| format!(" of `{name}`"))
        }));
    } else if let ([Some(application)], true) = (applications.as_slice(), is_named) {
        about.push(format!("of `{application}`"));
    }
    let common = |text: &dyn Fn(&Run) -> String| {
        let first = all.first().map(|(_, run)| text(run)).unwrap_or_default();
        Some(first).filter(|first| !first.is_empty() && all.iter().all(|(_, run)| text(run) == *first))
    };
    about.extend(common(&|run| run.when.clone()));
    let said = |reason: &Reason| reason.said(all.len() == 1, next == Next::Started);
    let reason = common(&|run| run.reason.as_ref().map(said).unwrap_or_default());
    let reason = reason.or_else(|| is_anyway.then(|| said(&Reason::With("changed".to_owned())))).unwrap_or_default();
    let condition = if is_anyway { "" } else { next.condition(applications.len() == 1) };
    let about = match (about.is_empty(), is_listed) {
        (true, _) => String::new(),
        (false, true) => format!(": {}", about.join(", ")),
        (false, false) => format!(", {}", about.join(", ")),
    };
    format!("{counted}{whose} {verb}{how}{condition}{about}{reason}")
}

/// What they belong to.
fn sources(all: &[(&Sync<'_>, &Run)]) -> &'static str {
    let is_application = |(sync, _): &(&Sync<'_>, &Run)| sync.owner == Some(Owner::Application);
    match (all.iter().any(is_application), all.iter().all(is_application)) {
        (_, true) => "Applications",
        (false, _) => "folders",
        (true, false) => "Applications and folders",
    }
}

/// What does not run, although it should.
fn lost(syncs: &[Sync<'_>]) -> Option<String> {
    let all: Vec<&str> =
        syncs.iter().flat_map(|sync| &sync.parts).flat_map(|part| &part.lost).map(String::as_str).collect();
    match all.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [first, _] => Some(format!("{first}, and 1 more does not run")),
        [first, more @ ..] => Some(format!("{first}, and {} more do not run", more.len())),
    }
}

/// The names in a list, first the syncs that run something; empty where a sync has no name, and none where there are no syncs.
fn names(syncs: &[&Sync<'_>]) -> Option<String> {
    let (with, without): (Vec<&Sync<'_>>, Vec<&Sync<'_>>) = syncs.iter().partition(|sync| sync.runs().next().is_some());
    let named = with.into_iter().chain(without).filter(|sync| sync.name.is_some());
    let all: Vec<(&Sync<'_>, usize)> =
        grouped(named, |sync| sync.short.0).iter().map(|alike| (alike[0], alike.len())).collect();
    let name = |(sync, count): &(&Sync<'_>, usize)| match (count, sync.short) {
        (1, _) => format!("`{}`", sync.name.as_deref().unwrap_or_default()),
        (count, (name, all)) if *count == all => format!("`{name}` ({count} Applications)"),
        (count, (name, all)) => format!("`{name}` ({count} of {all} Applications)"),
    };
    let more: usize = all.iter().skip(NAMES).map(|(_, count)| count).sum();
    let shown: Vec<String> = all.iter().take(NAMES).map(name).collect();
    (!syncs.is_empty()).then(|| text::listed(&shown, more))
}
