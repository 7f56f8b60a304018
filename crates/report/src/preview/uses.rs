//! How a preview says which of the ConfigMaps, Secrets, ServiceAccounts and claims that a Job uses have changed.

use std::borrow::Cow;
use std::fmt::Write;

use preview::{Change, ChangedUse, Compared, Part, PartChange, Sees, Verdict, When};
use serde::Serialize;

/// The most parts that are named.
const PARTS: usize = 3;

/// `ConfigMap `app`, which it mounts, changed: `schema.sql`; …`. `is_one` says whether it is about one Job, `all` whether all parts are named.
pub(super) fn text(found: &ChangedUse, job: &Compared, is_one: bool, all: bool) -> String {
    let ChangedUse { kind, name, old_name, .. } = found;
    let it = if is_one { "it" } else { "they" };
    let verb = if found.is_mounted { "mount" } else { "use" };
    let ending = if is_one { "s" } else { "" };
    let now = if old_name.is_some() { format!(" (now `{name}`)") } else { String::new() };
    let name = base_name(found);
    let changed = match &found.change {
        Change::New => "is new".to_owned(),
        Change::Gone => "is gone".to_owned(),
        Change::Parts(parts) if parts.is_empty() => "has only another name".to_owned(),
        Change::Parts(parts) => format!("changed: {}", few(parts, all)),
    };
    format!("{kind} `{name}`{now}, which {it} {verb}{ending}, {changed}{}", consequence(found, job, is_one))
}

/// The name without the hash of a generated name.
pub(super) fn base_name(found: &ChangedUse) -> &str {
    let base = found.old_name.as_ref().and(found.name.rsplit_once('-'));
    base.map_or(&found.name, |(base, _)| base)
}

/// `` `a`, `b` (new) and 2 more``
fn few(parts: &[Part], all: bool) -> String {
    let most = if all { parts.len() } else { PARTS };
    let mut text = String::new();
    for (index, Part { name, change }) in parts.iter().take(most).enumerate() {
        let change = match change {
            PartChange::Changed => "",
            PartChange::New => " (new)",
            PartChange::Gone => " (gone)",
        };
        let _ = write!(text, "{}`{name}`{change}", if index > 0 { ", " } else { "" });
    }
    if parts.len() > most {
        let _ = write!(text, " and {} more", parts.len() - most);
    }
    text
}

/// What the change does to the Job, unless the next run simply sees it.
fn consequence(found: &ChangedUse, job: &Compared, is_one: bool) -> String {
    let of = |one: &'static str, many: &'static str| if is_one { one } else { many };
    let (it, them, runs) = (of("it", "they"), of("it", "them"), of("runs", "run"));
    if !job.verdict.runs() {
        // Applying a change to an existing Job changes nothing in its pods.
        let waits = matches!(&job.verdict, Verdict::DoesNotRun { when, .. } if *when != When::FailedSync);
        return if waits { format!("; this has no effect until {it} {runs}") } else { String::new() };
    }
    let kind = found.kind;
    let old = match found.change {
        Change::New => Cow::Borrowed("what the cluster has"),
        _ if found.has_content => Cow::Borrowed("the old content"),
        _ => Cow::Owned(format!("the old {kind}")),
    };
    match found.sees {
        Sees::New => String::new(),
        Sees::Old => format!("; {it} {runs} with {old}, because the {kind} is applied after {them}"),
        Sees::OldAtFirst => {
            let first = of("its first run has", "their first runs have");
            format!("; {first} {old}, because the {kind} is applied after that")
        }
        Sees::Optional => {
            format!("; {it} {runs} without it, because the {kind} is created after {them}")
        }
        Sees::Nothing => {
            format!("; {it} cannot start, because the {kind} is created after {them}")
        }
    }
}

/// A changed object that a Job uses, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Use<'p> {
    kind: &'static str,
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<&'p str>,
    what: &'static str,
    parts: &'p [Part],
    sees: Sees,
    text: String,
}

/// The changed objects that a Job uses.
pub(super) fn of(job: &Compared) -> Vec<Use<'_>> {
    job.uses.iter().map(|found| as_json(found, job)).collect()
}

fn as_json<'p>(found: &'p ChangedUse, job: &Compared) -> Use<'p> {
    let (what, parts): (_, &[Part]) = match &found.change {
        Change::New => ("new", &[]),
        Change::Gone => ("gone", &[]),
        Change::Parts(parts) if parts.is_empty() => ("renamed", &[]),
        Change::Parts(parts) => ("changed", parts),
    };
    let (sees, text) = (found.sees, self::text(found, job, true, false));
    Use { kind: found.kind, name: &found.name, old_name: found.old_name.as_deref(), what, parts, sees, text }
}
