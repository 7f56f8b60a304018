//! Whether the change starts a sync.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use deployment::Owner;
use kube_jobs::argocd::MANIFEST_GENERATE_PATHS;
use preview::{AutoSync, Forecast, OutOfSync, Start, TRIGGER};
use text::{listed, plural};

use super::gone;

/// The most objects that are named as the start of a sync.
const NAMED: usize = 3;

/// The most paths of an annotation that are named.
const PATHS: usize = 3;

/// When the sync starts: `starts on merge if auto-sync is on`, `no sync starts: only hooks change`. Empty without a version to compare with. `owner` is
/// who syncs one of several sources.
pub(crate) fn start(forecast: &Forecast, owner: Option<Owner>, all: bool) -> String {
    let Some(auto_sync) = &forecast.start else { return String::new() };
    let clause = match owner {
        Some(Owner::ApplicationOfTheChange) if auto_sync.may_start() => {
            "only the change brings an Application for it".to_owned()
        }
        Some(Owner::Unknown) if auto_sync.may_start() => "no Application is known for it".to_owned(),
        _ => clause(auto_sync, forecast, all),
    };
    let is_explained = forecast.rows.iter().any(|row| row.is_changed() && !row.is_hook);
    let is_anyway = forecast.causes.iter().any(Start::is_random) && forecast.causes.iter().all(Start::is_random);
    let is_told = !forecast.causes.is_empty() && (all || !is_explained || is_anyway) && auto_sync.may_start();
    let is_new = if forecast.is_new && auto_sync.may_start() { "; the Application is new" } else { "" };
    match is_told {
        true if forecast.is_new && !all => format!("{clause}{is_new}"),
        true => format!("{clause}: {}{is_new}", causes(&forecast.causes, all)),
        false => format!("{clause}{is_new}"),
    }
}

fn clause(auto_sync: &AutoSync, forecast: &Forecast, all: bool) -> String {
    let on = if forecast.is_upgrade { "after the upgrade" } else { "on merge" };
    match auto_sync {
        AutoSync::Starts => format!("starts {on}"),
        AutoSync::Anyway => format!("starts {on}, as {}", at(&forecast.causes)),
        AutoSync::IfAutomated => format!("starts {on} if auto-sync is on"),
        AutoSync::IfAutomatedAnyway => format!("starts {on} if auto-sync is on, as {}", at(&forecast.causes)),
        AutoSync::IfPruned => format!("starts {on} if automated prune is on"),
        AutoSync::After(above) => format!("starts after somebody syncs `{above}`"),
        AutoSync::WithRoot(root) => format!("starts if something applies `{root}`"),
        AutoSync::ByStep(set) => format!("starts in a step of ApplicationSet `{set}` (`RollingSync`)"),
        AutoSync::InWindows(then, project) => {
            format!("{} when the sync windows of project `{project}` allow it", clause(then, forecast, all))
        }
        AutoSync::UnlessIgnored(then) => {
            format!("{}, unless `ignoreDifferences` hides the change", clause(then, forecast, all))
        }
        AutoSync::Manual => "starts when somebody syncs it".to_owned(),
        AutoSync::NotAllowed(why) => format!("no sync starts: {why}"),
        AutoSync::KeptOut(paths) => {
            let shown = if all { paths.len() } else { paths.len().min(PATHS) };
            let named = format!("`{MANIFEST_GENERATE_PATHS}: {}`", paths[..shown].join(";"));
            format!("no sync starts: {} keeps the change out", listed(&[named], paths.len() - shown))
        }
        AutoSync::PruneOff => {
            "no sync starts: the change only removes objects, and automated `prune` is off".to_owned()
        }
        AutoSync::AllowEmptyOff => {
            "no sync starts: auto-sync never deletes everything (`allowEmpty` is off)".to_owned()
        }
        AutoSync::ComparisonFails => "no sync starts: the comparison fails".to_owned(),
        AutoSync::NothingChanged if forecast.rows.iter().any(|row| row.is_hook && row.is_changed()) => {
            "no sync starts: only hooks change".to_owned()
        }
        AutoSync::NothingChanged => "no sync starts: nothing that Argo CD compares changes".to_owned(),
        AutoSync::Gone => forecast.gone.as_ref().map_or_else(|| "the Application is gone".to_owned(), gone::in_short),
    }
}

/// When a sync starts although nobody has changed anything.
fn at(causes: &[Start]) -> &'static str {
    let is_dated = !causes.is_empty() && causes.iter().all(|start| start.what == OutOfSync::Dated);
    if is_dated { "with the first commit of a day" } else { "with every commit" }
}

/// `ConfigMap a is new, Deployment b changes`; of many objects only how many there are of each kind.
fn causes(causes: &[Start], all: bool) -> String {
    let word = |what: OutOfSync| match what {
        OutOfSync::New => ("is new", "are new"),
        OutOfSync::Gone => ("is gone", "are gone"),
        OutOfSync::Kept => ("is gone, but not pruned (`Prune=false`)", "are gone, but not pruned (`Prune=false`)"),
        OutOfSync::Missing => ("is created again", "are created again"),
        OutOfSync::Random => ("differs at every rendering", "differ at every rendering"),
        OutOfSync::Dated => ("differs on another day", "differ on another day"),
        OutOfSync::Changed => ("changes", "change"),
    };
    let named = |start: &Start| {
        let object = start.object.as_ref().map_or(TRIGGER.to_owned(), ToString::to_string);
        format!("{object} {}", word(start.what).0)
    };
    if all || causes.len() <= NAMED {
        return causes.iter().map(named).collect::<Vec<_>>().join(", ");
    }
    let mut counts: BTreeMap<(&str, OutOfSync), (&Start, usize)> = BTreeMap::new();
    for start in causes {
        let kind = start.object.as_ref().map_or("ConfigMap", |object| object.kind.name.as_str());
        counts.entry((kind, start.what)).or_insert((start, 0)).1 += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (_, count))| Reverse(*count));
    let shown: Vec<String> = counts
        .iter()
        .take(NAMED)
        .map(|((kind, what), (start, count))| match count {
            1 => named(start),
            count => format!("{} {}", plural(*count, kind), word(*what).1),
        })
        .collect();
    let more: usize = counts.iter().skip(NAMED).map(|(_, (_, count))| count).sum();
    listed(&shown, more)
}
