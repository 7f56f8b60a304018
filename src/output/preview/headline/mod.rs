//! The first sentences of a comparison: which syncs start with the merge, what runs in them because of the change, what fails.
//!
//! They are made from the values of the sections below, of one source or of several.

mod part;

use std::collections::{BTreeMap, BTreeSet};

use crate::preview::{AutoSync, Comparison, Kind, counted};
use crate::text::plural;

pub use part::Whose;
use part::{How, Part, Run};

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

    /// True when there are no Jobs and no other hooks, and nothing fails.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(Part::is_empty)
    }

    /// The sentences, the first of them with what is not known (`; 2 of 9 sources not checked`): `Merging starts 1 sync: `shop`.`, `1 Job runs
    /// again: `migrate`, in PreSync, because its image changes (`v1` → `v2`).`
    pub(super) fn sentences(&self, unknown: &str) -> Vec<String> {
        let syncs = by_application(&self.parts);
        let mut sentences = vec![format!("{}{unknown}.", starts(&syncs))];
        let is_only_hooks = is_only_hooks(&syncs);
        let condition = |sync: &&Sync<'_>| match sync.auto_sync {
            auto_sync if auto_sync.may_start() => Some(""),
            AutoSync::Manual => Some(" when somebody syncs"),
            // Then the first sentence says it.
            AutoSync::NothingChanged | AutoSync::PruneOff if !is_only_hooks => Some(" at the next sync"),
            _ => None,
        };
        for wanted in ["", " when somebody syncs", " at the next sync"] {
            let of_kind: Vec<&Sync<'_>> = syncs.iter().filter(|sync| condition(sync) == Some(wanted)).collect();
            sentences.extend(runs(&of_kind, wanted));
        }
        sentences.extend(syncs.iter().flat_map(Sync::fails));
        sentences.extend(lost(&syncs));
        sentences
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

    /// `1 hook runs at every sync; 2 Jobs do not run; 1 Job is gone`
    pub(super) fn rest(&self) -> String {
        let of = |list: fn(&Part) -> &Vec<(Kind, bool)>, words: [&str; 2]| {
            // Of several, those are named in which something changes.
            let parts = self.parts.iter().filter(|part| self.parts.len() == 1 || part.is_touched());
            let all: Vec<(&Kind, bool)> = parts.flat_map(list).map(|(kind, is_hook)| (kind, *is_hook)).collect();
            let count = all.len();
            (count > 0).then(|| format!("{} {}", counted(all), words[usize::from(count > 1)]))
        };
        let parts = [
            of(|part| &part.every_sync, ["runs at every sync, changed or not", "run at every sync, changed or not"]),
            of(|part| &part.expired, ["runs because its TTL has deleted it", "run because their TTL has deleted them"]),
            of(|part| &part.idle, ["does not run", "do not run"]),
            of(|part| &part.gone, ["is gone", "are gone"]),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// What is compared, and what runs anyway: `compared with `main`; 1 hook runs at every sync, changed or not`.
pub(super) fn compared_with(base: &str, rest: &str) -> String {
    let separator = if rest.is_empty() { "" } else { "; " };
    format!("compared with `{base}`{separator}{rest}")
}

/// The sources of one Application.
struct Sync<'h> {
    /// The name, with the way to it where others have the same name.
    name: Option<String>,
    auto_sync: &'h AutoSync,
    parts: Vec<&'h Part>,
}

/// The syncs, one for each Application, in the order of the sources.
fn by_application(parts: &[Part]) -> Vec<Sync<'_>> {
    let mut syncs: Vec<Sync<'_>> = Vec::new();
    let mut known: BTreeMap<&Whose, usize> = BTreeMap::new();
    let all: BTreeSet<&Whose> = parts.iter().filter_map(|part| part.whose.as_ref()).collect();
    let mut counts: BTreeMap<Option<&String>, usize> = BTreeMap::new();
    all.iter().for_each(|whose| *counts.entry(whose.way.last()).or_default() += 1);
    let name = |whose: &Whose| match counts.get(&whose.way.last()) {
        Some(1) => whose.way.last().cloned().unwrap_or_default(),
        _ if whose.way.len() > 1 => whose.way.join(" → "),
        _ => format!("{} ({})", whose.way.concat(), whose.origin),
    };
    for part in parts {
        let index = part.whose.as_ref().and_then(|whose| known.get(whose).copied());
        match index {
            Some(index) => {
                let sync = &mut syncs[index];
                let fails = [sync.auto_sync, &part.auto_sync].contains(&&AutoSync::ComparisonFails);
                let first = sync.auto_sync.min(&part.auto_sync);
                sync.auto_sync = if fails { &AutoSync::ComparisonFails } else { first };
                sync.parts.push(part);
            }
            None => {
                part.whose.as_ref().map(|whose| known.insert(whose, syncs.len()));
                syncs.push(Sync { name: part.whose.as_ref().map(name), auto_sync: &part.auto_sync, parts: vec![part] });
            }
        }
    }
    syncs
}

impl<'h> Sync<'h> {
    fn runs(&self) -> impl Iterator<Item = &'h Run> {
        self.parts.iter().flat_map(|part| &part.runs)
    }

    fn is_changed(&self) -> bool {
        self.parts.iter().any(|part| part.is_changed || !part.runs.is_empty())
    }

    /// `The sync of `shop` fails at Job `migrate`: `field is immutable`.`
    fn fails(&self) -> Vec<String> {
        let whose = self.name.as_ref().map_or_else(String::new, |name| format!(" of `{name}`"));
        let next = if self.auto_sync.may_start() { "" } else { "next " };
        let reasons: Vec<&str> = self.parts.iter().flat_map(|part| &part.fails).map(String::as_str).collect();
        let fails = reasons.split_first().map(|(first, more)| {
            let what = match self.auto_sync {
                AutoSync::ComparisonFails => format!("comparison{whose} fails"),
                _ => format!("{next}sync{whose} fails"),
            };
            let more = if more.is_empty() { String::new() } else { format!(", and at {} more", more.len()) };
            format!("The {what} at {first}{more}.")
        });
        let waits = self.parts.iter().filter_map(|part| Some(format!("The {next}sync{whose} waits {}.", part.waits?)));
        fails.into_iter().chain(waits).collect()
    }
}

/// `Merging starts 1 sync: `shop`; 1 sync if auto-sync is on: `deploy/cart``
fn starts(syncs: &[Sync<'_>]) -> String {
    let mut by_condition: BTreeMap<&AutoSync, Vec<&Sync<'_>>> = BTreeMap::new();
    syncs.iter().for_each(|sync| by_condition.entry(sync.auto_sync).or_default().push(sync));
    let clauses = by_condition.iter().filter_map(|(auto_sync, of_kind)| {
        let condition = match auto_sync {
            AutoSync::Starts => String::new(),
            AutoSync::Anyway => ", as without the change".to_owned(),
            AutoSync::IfAutomated => " if auto-sync is on".to_owned(),
            AutoSync::IfPruned => " if automated prune is on".to_owned(),
            AutoSync::After(above) => format!(" only after somebody syncs `{above}`"),
            AutoSync::ByStep(set) => format!(" in a step of ApplicationSet `{set}` (`RollingSync`)"),
            _ => return None,
        };
        Some(match names(of_kind)? {
            names if names.is_empty() => format!("a sync{condition}"),
            names => format!("{}{condition}: {names}", plural(of_kind.len(), "sync")),
        })
    });
    let clauses: Vec<String> = clauses.collect();
    match clauses.is_empty() {
        true => format!("Merging starts no sync: {}", why_none(syncs)),
        false => format!("Merging starts {}", clauses.join("; ")),
    }
}

/// Why no sync starts.
fn why_none(syncs: &[Sync<'_>]) -> String {
    let count = |is_meant: &dyn Fn(&&Sync<'_>) -> bool| syncs.iter().filter(is_meant).count();
    let by_hand: Vec<&Sync<'_>> =
        syncs.iter().filter(|sync| *sync.auto_sync == AutoSync::Manual && sync.is_changed()).collect();
    if is_only_hooks(syncs) {
        let hooks: Vec<&Run> = syncs.iter().flat_map(Sync::runs).collect();
        let (changed, they, run) = if hooks.len() == 1 { ("a hook", "It", "runs") } else { ("hooks", "They", "run") };
        let whose = if syncs.len() == 1 { "" } else { " of each Application" };
        let hooks = counted(hooks.iter().map(|run| (&run.kind, run.is_hook)));
        return format!("only {changed} changed ({hooks}). {they} {run} at the next sync{whose}");
    }
    match names(&by_hand) {
        Some(names) if names.is_empty() => "the Application has no automated sync policy".to_owned(),
        Some(names) => format!("no automated sync policy: {names}"),
        None if count(&|sync| *sync.auto_sync == AutoSync::ComparisonFails) > 0 => "the comparison fails".to_owned(),
        None if count(&|sync| *sync.auto_sync == AutoSync::PruneOff) > 0 => {
            "something is only gone, and automated `prune` is off".to_owned()
        }
        None if count(&|sync| *sync.auto_sync == AutoSync::Gone) > 0 => match syncs {
            [_] => "the Application is gone".to_owned(),
            _ => "Applications are gone".to_owned(),
        },
        None => "nothing that Argo CD compares has changed".to_owned(),
    }
}

/// Whether the only changes are those of hooks, which Argo CD does not compare.
fn is_only_hooks(syncs: &[Sync<'_>]) -> bool {
    let is_unchanged = |sync: &Sync<'_>| *sync.auto_sync == AutoSync::NothingChanged;
    syncs.iter().all(is_unchanged) && syncs.iter().any(|sync| sync.runs().next().is_some())
}

/// `1 Job runs again: `migrate`, in PreSync, because its image changes (`v1` → `v2`).`; `condition` follows the verb. None if nothing runs.
fn runs(syncs: &[&Sync<'_>], condition: &str) -> Option<String> {
    let name = |sync: &Sync<'_>| sync.name.clone().filter(|_| syncs.len() > 1);
    let all: Vec<(Option<String>, &Run)> =
        syncs.iter().flat_map(|sync| sync.runs().map(|run| (name(sync), run))).collect();
    let of = |how: How| all.iter().filter(|(_, run)| run.how == how).collect::<Vec<_>>();
    let clauses = How::ALL.map(|how| (how, of(how))).into_iter().filter(|(_, runs)| !runs.is_empty());
    let clauses: Vec<String> = clauses.map(|(how, runs)| runs_like(&runs, how, condition)).collect();
    (!clauses.is_empty()).then(|| clauses.join("; ") + ".")
}

/// The same for what comes to run in one way.
fn runs_like(all: &[&(Option<String>, &Run)], how: How, condition: &str) -> String {
    let counted = counted(all.iter().map(|(_, run)| (&run.kind, run.is_hook)));
    let (count, noun) = counted.split_once(' ').unwrap_or_default();
    let new = if how == How::New { "new " } else { "" };
    let verb = if all.len() == 1 { "runs" } else { "run" };
    let how = match how {
        How::New | How::Resumed => "",
        How::Again => " again",
        How::AfterFailure => " because the sync fails",
    };
    let mut about: Vec<String> = Vec::new();
    if all.len() <= NAMES {
        about.extend(all.iter().map(|(application, run)| match application {
            Some(application) => format!("`{}` of `{application}`", run.name),
            None => format!("`{}`", run.name),
        }));
    }
    let common = |field: fn(&Run) -> &str| {
        let first = all.first().map(|(_, run)| field(run)).unwrap_or_default();
        Some(first).filter(|first| !first.is_empty() && all.iter().all(|(_, run)| field(run) == *first))
    };
    about.extend(common(|run| &run.when).map(ToOwned::to_owned));
    let their = |because: &str| {
        if all.len() == 1 {
            because.to_owned()
        } else {
            because.replace(" its ", " their ").replace(" it is ", " they are ").replace(" it runs ", " they run ")
        }
    };
    about.extend(common(|run| &run.because).map(their));
    let colon = if all.len() <= NAMES { ":" } else { "," };
    format!("{count} {new}{noun} {verb}{how}{condition}{colon} {}", about.join(", "))
        .trim_end_matches([',', ' '])
        .to_owned()
}

/// What does not run, although it should.
fn lost(syncs: &[Sync<'_>]) -> Option<String> {
    let all: Vec<&str> =
        syncs.iter().flat_map(|sync| &sync.parts).flat_map(|part| &part.lost).map(String::as_str).collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(format!("{one}.")),
        [first, _] => Some(format!("{first}, and 1 more does not run.")),
        [first, more @ ..] => Some(format!("{first}, and {} more do not run.", more.len())),
    }
}

/// The names in a list; empty where one has no name, and none where there are no syncs.
fn names(syncs: &[&Sync<'_>]) -> Option<String> {
    let all: Vec<String> = syncs.iter().filter_map(|sync| Some(format!("`{}`", sync.name.as_ref()?))).collect();
    let more = all.len().saturating_sub(NAMES);
    let shown = all[..all.len().min(NAMES)].join(", ");
    (!syncs.is_empty()).then(|| if more > 0 { format!("{shown} and {more} more") } else { shown })
}
