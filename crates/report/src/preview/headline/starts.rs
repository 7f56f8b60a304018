//! The first of the first sentences: which syncs start with the merge.

use std::collections::BTreeMap;

use deployment::Owner;
use kube_jobs::argocd::MANIFEST_GENERATE_PATHS;
use preview::AutoSync;
use text::{few, plural};

use super::{NAMES, Said, Sync, Unknown, in_windows, names};
use crate::preview::headline::About;

/// When a sync starts, as far as is known.
const UNLESS_IGNORED: &str = ", unless `ignoreDifferences` hides the change";

/// Under which condition a sync starts; none if it does not start.
pub(super) fn condition(auto_sync: &AutoSync) -> Option<String> {
    Some(match auto_sync {
        AutoSync::Starts => String::new(),
        AutoSync::Anyway => ", as without the change".to_owned(),
        AutoSync::IfAutomated => " if auto-sync is on".to_owned(),
        AutoSync::IfAutomatedAnyway => " if auto-sync is on, as without the change".to_owned(),
        AutoSync::IfPruned => " if automated prune is on".to_owned(),
        AutoSync::After(above) => format!(" only after somebody syncs `{above}`"),
        AutoSync::WithRoot(root) => format!(" if something applies `{root}`"),
        AutoSync::ByStep(set) => format!(" in a step of ApplicationSet `{set}` (`RollingSync`)"),
        AutoSync::InWindows(then, project) => condition(then)? + &in_windows(project),
        AutoSync::UnlessIgnored(then) => condition(then)? + UNLESS_IGNORED,
        _ => return None,
    })
}

/// `Merging starts 1 sync: `shop``, `1 sync only after somebody syncs `root`: `cart``, ``unseen` changes and could not be checked`, `no Application is
/// known for `tools`, which changes`, `Argo CD can no longer render `broken``
pub(super) fn starts(syncs: &[Sync<'_>], unknown: &Unknown) -> Vec<Said> {
    let Unknown { changed, partly, unread_base, broken, is_partial, .. } = unknown;
    let (apart, known): (Vec<&Sync<'_>>, Vec<&Sync<'_>>) = syncs.iter().partition(|sync| sync.starts_if_synced());
    let mut by_condition: BTreeMap<&AutoSync, Vec<&Sync<'_>>> = BTreeMap::new();
    known.iter().for_each(|sync| by_condition.entry(sync.auto_sync).or_default().push(sync));
    let clauses = by_condition.iter().filter_map(|(auto_sync, of_kind)| {
        let condition = condition(auto_sync)?;
        Some(match names(of_kind)? {
            names if names.is_empty() => format!("a sync{condition}"),
            names => format!("{}{condition}: {names}", plural(of_kind.len(), "sync")),
        })
    });
    let mut clauses: Vec<String> = clauses.collect();
    let unseen = [not_checked(changed), partly_compared(partly), only_the_base(unread_base)];
    let unseen: Vec<String> = unseen.into_iter().flatten().collect();
    let unseen = (!unseen.is_empty()).then(|| unseen.join("; "));
    let mut broken = no_longer_rendered(broken);
    let mut apart = if_synced(&apart);
    let at_least = if unseen.is_some() { "at least " } else { "" };
    let unseen = match (clauses.first_mut(), unseen) {
        (Some(first), unseen) => {
            *first = format!("Merging starts {at_least}{first}");
            unseen
        }
        (None, Some(unseen)) => {
            clauses.push(format!("Merging may start a sync: {unseen}"));
            None
        }
        (None, None) => {
            let is_changed = known.iter().any(|sync| sync.is_changed());
            let is_hook_changed = known.iter().any(|sync| sync.has_changed_hook());
            let which = if apart.is_some() { "known sync" } else { "sync" };
            let why = apart.take_if(|_| !is_changed && !is_hook_changed).or_else(|| broken.take_if(|_| !is_changed));
            let why = why.unwrap_or_else(|| why_none(&known, *is_partial));
            clauses.push(format!("Merging starts no {which}: {why}"));
            None
        }
    };
    let clauses = clauses.into_iter().map(|text| Said { about: About::Start, text });
    let broken = broken.map(|text| Said { about: About::Failure, text });
    let apart = apart.map(|text| Said { about: About::IfSynced, text });
    clauses.chain(apart).chain(unseen.map(Said::not_checked)).chain(broken).collect()
}

/// `no Application is known for `tools`, which changes`; none of none.
fn if_synced(syncs: &[&Sync<'_>]) -> Option<String> {
    let mut by_owner: BTreeMap<Option<Owner>, Vec<&Sync<'_>>> = BTreeMap::new();
    syncs.iter().for_each(|sync| by_owner.entry(sync.owner).or_default().push(sync));
    let texts = by_owner.into_iter().filter_map(|(owner, alike)| {
        let change = if alike.len() == 1 { "changes" } else { "change" };
        Some(format!("{}, which {change}", without_application(owner, &names(&alike)?)))
    });
    Some(texts.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

/// Why nobody knows whether anything syncs these folders.
pub(super) fn without_application(owner: Option<Owner>, folders: &str) -> String {
    match owner {
        Some(Owner::ApplicationOfTheChange) => format!("only the change brings an Application for {folders}"),
        _ => format!("no Application is known for {folders}"),
    }
}

/// `Argo CD can no longer render `cart` and `shop``
fn no_longer_rendered(names: &[String]) -> Option<String> {
    Some(format!("Argo CD can no longer render {}", all_named(names)?))
}

/// ``cart`, `shop` and `stock``; none of none.
fn all_named(names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => None,
        [all @ .., last] if (1..NAMES).contains(&all.len()) => Some(format!("{} and {last}", all.join(", "))),
        all => Some(few(all, NAMES)),
    }
}

/// ``cart` and `shop` change and could not be checked`
fn not_checked(names: &[String]) -> Option<String> {
    let change = if names.len() == 1 { "changes" } else { "change" };
    Some(format!("{} {change} and could not be checked", all_named(names)?))
}

/// ``cart` changes, and not all of it could be compared`
fn partly_compared(names: &[String]) -> Option<String> {
    let (change, it) = if names.len() == 1 { ("changes", "it") } else { ("change", "them") };
    Some(format!("{} {change}, and not all of {it} could be compared", all_named(names)?))
}

/// `only the base of `cart` is broken, so all of it is shown, and nothing is new or old`
fn only_the_base(names: &[String]) -> Option<String> {
    let it = if names.len() == 1 { "it" } else { "them" };
    Some(format!(
        "only the base of {} is broken, so all of {it} is shown, and nothing is new or old",
        all_named(names)?
    ))
}

/// Why no sync starts. `is_partial` says that these may not be all.
pub(super) fn why_none(syncs: &[&Sync<'_>], is_partial: bool) -> String {
    let any = |auto_sync: &AutoSync| syncs.iter().any(|sync| sync.auto_sync == auto_sync);
    let is_by_hand = |sync: &&Sync<'_>| *sync.auto_sync == AutoSync::Manual && sync.is_changed();
    let by_hand: Vec<&Sync<'_>> = syncs.iter().copied().filter(is_by_hand).collect();
    if is_only_hooks(syncs) {
        return "only hooks changed".to_owned();
    }
    let not_allowed = syncs.iter().find_map(|sync| match sync.auto_sync {
        AutoSync::NotAllowed(why) => Some(why),
        _ => None,
    });
    let is_kept_out = |sync: &&Sync<'_>| matches!(sync.auto_sync, AutoSync::KeptOut(_));
    let kept_out: Vec<&Sync<'_>> = syncs.iter().copied().filter(is_kept_out).collect();
    if let Some(names) = names(&kept_out) {
        let it = if names.is_empty() { "the Application" } else { names.as_str() };
        return format!("the paths of `{MANIFEST_GENERATE_PATHS}` keep the change out of {it}");
    }
    match (names(&by_hand), not_allowed) {
        (Some(names), _) if names.is_empty() => "the Application has no automated sync policy".to_owned(),
        (Some(names), _) => {
            let have = if by_hand.len() == 1 { "has" } else { "have" };
            format!("{names} {have} no automated sync policy")
        }
        (None, Some(why)) => why.clone(),
        _ if any(&AutoSync::ComparisonFails) => "the comparison fails".to_owned(),
        _ if any(&AutoSync::PruneOff) => "the change only removes objects, and automated `prune` is off".to_owned(),
        _ if any(&AutoSync::AllowEmptyOff) => "auto-sync never deletes everything (`allowEmpty` is off)".to_owned(),
        _ if any(&AutoSync::Gone) && syncs.len() == 1 => "the Application is gone".to_owned(),
        _ if any(&AutoSync::Gone) => "Applications are gone".to_owned(),
        _ if is_partial => "no known Application changes".to_owned(),
        _ => "nothing that Argo CD compares has changed".to_owned(),
    }
}

/// Whether only hooks change, which Argo CD does not compare.
fn is_only_hooks(syncs: &[&Sync<'_>]) -> bool {
    let is_unchanged = |sync: &&Sync<'_>| *sync.auto_sync == AutoSync::NothingChanged;
    syncs.iter().all(is_unchanged) && syncs.iter().any(|sync| sync.has_changed_hook())
}
