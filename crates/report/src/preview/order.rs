//! The order of a sync for terminals: phases, waves, and what is applied in them.

use std::collections::BTreeMap;
use std::fmt::Write;

use kube_jobs::argocd::Waits;
use preview::{Entry, Step};
use text::{plural, visible};

use super::words::reason::waiting;
use crate::paint::Ink;
use crate::show::Show;

/// The most characters for the names of the objects of a wave where nothing else limits them; when there are more, they are only counted.
const NAMES: usize = 90;

/// The most kinds of objects that are counted one by one.
const KINDS: usize = 6;

/// The most Jobs of a wave that have a line each.
const JOBS: usize = 8;

/// The least room for names.
const LEAST: usize = 20;

/// What is said of a hook Job where there is room.
const WAITS: &str = "  (hook; sync waits for it)";

/// The note on a hook whose kind has no health check in Argo CD: it counts as finished when it is created.
const DOES_NOT_WAIT: &str = "  (hook; sync does not wait: no health check)";

/// The width of the phase and of the word `wave`, each with a blank after it.
const HEAD: usize = 15;

/// Under a heading a line for each wave, or several: Jobs have lines of their own, in the order of the wave; neighbours of other kinds
/// share one.
pub(super) fn order(steps: &[Step], heading: &str, show: Show) -> String {
    let paint = show.paint;
    let mut out = format!("{}\n", paint.ink(Ink::Faint, heading));
    let repeated = repeated(steps);
    let number = steps.iter().map(|step| step.wave.to_string().len()).max().unwrap_or(1);
    let head = HEAD + number + 2;
    let room = show.at_most(show.width.map_or(NAMES, |width| width.saturating_sub(head).max(LEAST)));
    let mut phase = None;
    for step in steps {
        let name = if phase == Some(step.phase) { "" } else { step.phase.as_str() };
        phase = Some(step.phase);
        let first = format!("{name:<9} wave {:<number$}  ", step.wave);
        for (index, line) in lines(step, &repeated, room, show).iter().enumerate() {
            let head = if index == 0 { &first } else { &" ".repeat(head) };
            let _ = writeln!(out, "{head}{line}");
        }
    }
    out
}

/// Kinds and names that two objects in different namespaces have.
pub(super) type Repeated<'s> = BTreeMap<(&'s str, &'s str, &'s str), bool>;

fn repeated(steps: &[Step]) -> Repeated<'_> {
    let mut known: BTreeMap<(&str, &str, &str), (Option<&str>, bool)> = BTreeMap::new();
    for entry in steps.iter().flat_map(|step| &step.entries) {
        let namespace = entry.namespace.as_deref();
        let first = known.entry((&entry.group, &entry.kind, &entry.name)).or_insert((namespace, false));
        first.1 |= first.0 != namespace;
    }
    known.into_iter().map(|(key, (_, is_repeated))| (key, is_repeated)).collect()
}

fn lines(step: &Step, repeated: &Repeated<'_>, room: usize, show: Show) -> Vec<String> {
    let together = |a: &Entry, b: &Entry| !a.runs && !b.runs && (a.is_hook, a.until) == (b.is_hook, b.until);
    let jobs = step.entries.iter().filter(|entry| entry.runs).count();
    let mut lines = Vec::new();
    let mut shown = 0;
    for entries in step.entries.chunk_by(together) {
        if entries[0].runs {
            shown += 1;
            if jobs > JOBS && shown >= JOBS && !show.all {
                if shown == JOBS {
                    let more = format!("and {} more (`--all` lists them)", jobs - JOBS + 1);
                    lines.push(show.paint.ink(Ink::Faint, more));
                }
                continue;
            }
        }
        let is_narrow = |one: &Entry| one.name.chars().count() + 1 + one.kind.len() + WAITS.len() > room;
        let hook = match entries {
            [Entry { runs: true, is_hook: true, waits: Waits::No, .. }] => DOES_NOT_WAIT.to_owned(),
            [Entry { runs: true, is_hook: true, waits: Waits::OnlyWith(place), .. }] => {
                format!("  (hook; sync waits only with the health check in {place})")
            }
            [one] if one.runs && one.is_hook && !(show.width.is_some() && is_narrow(one)) => WAITS.to_owned(),
            [Entry { held: Some(held), .. }] => format!("  ({})", waiting(held)),
            [one, ..] => notes(one, entries.len()),
            [] => String::new(),
        };
        let ink = if entries[0].runs { Ink::Strong } else { Ink::Plain };
        let room = if entries[0].runs { usize::MAX } else { room.saturating_sub(hook.len()) };
        let text = show.paint.ink(ink, visible(&group(entries, repeated, room)));
        lines.push(format!("{text}{}", show.paint.ink(Ink::Faint, visible(&hook))));
    }
    lines
}

/// What is said of objects that are alike.
fn notes(first: &Entry, count: usize) -> String {
    let hook = first.is_hook.then(|| if count == 1 { "hook" } else { "hooks" }.to_owned());
    let until = first.until.map(|ready| match count {
        1 => format!("sync waits until it {}", ready.as_str()),
        _ => format!("sync waits until each {}", ready.as_str()),
    });
    let notes: Vec<String> = hook.into_iter().chain(until).collect();
    if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) }
}

/// `Namespace shop, 3 ConfigMaps, Deployment api`, in at most `room` characters where that is possible.
fn group<'e>(entries: impl IntoIterator<Item = &'e Entry>, repeated: &Repeated<'_>, room: usize) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in entries {
        if !kinds.contains(&entry.kind.as_str()) {
            kinds.push(&entry.kind);
        }
        let key = (entry.group.as_str(), entry.kind.as_str(), entry.name.as_str());
        let name = match &entry.namespace {
            Some(namespace) if repeated.get(&key) == Some(&true) => format!("{namespace}/{}", entry.name),
            _ => entry.name.clone(),
        };
        names.entry(&entry.kind).or_default().push(name);
    }
    let named: Vec<String> = kinds.iter().map(|kind| format!("{kind} {}", names[kind].join(", "))).collect();
    let named = named.join(", ").trim_end().to_owned();
    if named.chars().count() <= room {
        return named;
    }
    let counted = |shown: usize| {
        let counts = kinds.iter().take(shown).map(|kind| match names[kind].len() {
            1 => (*kind).to_owned(),
            count => plural(count, kind),
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        match kinds.iter().skip(shown).map(|kind| names[kind].len()).sum::<usize>() {
            0 => counts,
            hidden if shown == 0 => format!("{hidden} resources"),
            hidden => format!("{counts} and {hidden} more"),
        }
    };
    let fits = |shown: &usize| counted(*shown).chars().count() <= room;
    counted((1..=KINDS).rev().find(fits).unwrap_or(0))
}
