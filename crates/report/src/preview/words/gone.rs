//! Applications that a change removes: what deletes them in the cluster, and what happens to what they have there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use deployment::row::{PassedOver, Row};
use kube_jobs::argocd::{DeletedBy, Gone, RESOURCES_FINALIZERS};
use preview::GoneApplication;
use text::{agreed, few, plural};

use super::with_count;
use crate::show::Show;

/// The most names in a list.
pub(crate) const NAMES: usize = 4;

/// What deletes the Application, and what happens to its resources, in sentences.
pub(crate) fn what(gone: &Gone) -> String {
    let stays =
        if gone.has_folder { "gets the changes of its folder" } else { "its sync fails, because its folder is gone" };
    let first = match &gone.by {
        DeletedBy::Set(set) => format!("ApplicationSet `{set}` no longer makes the Application, and deletes it."),
        DeletedBy::Sync(root) => format!("The next sync of `{root}` prunes the Application."),
        DeletedBy::Pruning(root) => {
            format!(
                "The Application is deleted when somebody syncs `{root}` with prune. Until then it stays, and {stays}."
            )
        }
        DeletedBy::With(above) => format!("The Application is deleted with `{above}`, which renders it."),
        DeletedBy::Unknown => {
            format!("If what declared the Application prunes, Argo CD deletes it. If not, it stays, and {stays}.")
        }
    };
    let [finalizer, ..] = RESOURCES_FINALIZERS;
    let then = match gone.with_resources {
        true => format!("Its resources are deleted with it (finalizer `{finalizer}`)."),
        false => format!("Its resources stay in the cluster, because it has no finalizer `{finalizer}`."),
    };
    format!("{first} {then}")
}

/// The same in few words: `deleted by the next sync of `root`, with its resources`
pub(crate) fn in_short(gone: &Gone) -> String {
    let first = match &gone.by {
        DeletedBy::Set(set) => format!("deleted by ApplicationSet `{set}`"),
        DeletedBy::Sync(root) => format!("deleted by the next sync of `{root}`"),
        DeletedBy::Pruning(root) => format!("deleted when somebody syncs `{root}` with prune"),
        DeletedBy::With(above) => format!("deleted with `{above}`"),
        DeletedBy::Unknown => "deleted if what declared it prunes".to_owned(),
    };
    let then = if gone.with_resources { "with its resources" } else { "without its resources" };
    format!("{first}, {then}")
}

/// An Application that the change removes. Two clusters can have one of the same name; one of several sources has several rows.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Removed<'r> {
    name: &'r str,
    origin: &'r str,
    from: &'r [String],
}

/// Each name once.
fn names(removed: &BTreeSet<Removed<'_>>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    removed.iter().for_each(|one| *counts.entry(one.name).or_default() += 1);
    counts.into_iter().map(|(name, count)| with_count(name, count)).collect()
}

/// The condition on which one Application is deleted, and that for several Applications.
fn conditions(gone: &Gone) -> [String; 2] {
    ["it", "them"].map(|them| match &gone.by {
        DeletedBy::Set(_) | DeletedBy::Sync(_) | DeletedBy::With(_) => String::new(),
        DeletedBy::Pruning(root) => format!(" when somebody syncs `{root}` with prune"),
        DeletedBy::Unknown => format!(" if what declared {them} prunes"),
    })
}

/// `Application `cart` is deleted, with its resources.`, `The deletion of `cart` hangs: …`; of many Applications how many there are. Those that are not
/// rendered are in `passed_over`.
pub(crate) fn sentences(rows: &[Row], passed_over: &PassedOver, show: Show) -> Vec<String> {
    // What takes its resources with it comes first.
    let mut fates: BTreeMap<([String; 2], Reverse<bool>), BTreeSet<Removed<'_>>> = BTreeMap::new();
    let (mut runs, mut hangs) = (Vec::new(), Vec::new());
    let removed = rows.iter().filter_map(|row| Some((row, row.application.as_ref()?, row.gone.as_ref()?)));
    for (row, name, GoneApplication { gone, hooks }) in removed {
        let one = Removed { name, origin: &row.origin, from: &row.from };
        fates.entry((conditions(gone), Reverse(gone.with_resources))).or_default().insert(one);
        let of_it = hooks.iter().map(|hook| format!("`{hook}` of `{name}`"));
        if gone.has_folder { runs.extend(of_it) } else { hangs.extend(of_it) }
    }
    // That of an Application with another source is in its row.
    let is_told = |name: &str| rows.iter().any(|row| row.gone.is_some() && row.application.as_deref() == Some(name));
    for (name, gone) in passed_over.gone.iter().filter(|(name, _)| !is_told(name)) {
        let one = Removed { name, origin: "", from: &[] };
        fates.entry((conditions(gone), Reverse(gone.with_resources))).or_default().insert(one);
    }
    let mut sentences: Vec<String> = fates
        .into_iter()
        .map(|(([of_one, of_several], Reverse(with_resources)), removed)| {
            let count = removed.len();
            let names: Vec<String> = names(&removed);
            let (are, their, condition) = if count == 1 { ("is", "its", of_one) } else { ("are", "their", of_several) };
            let resources = match with_resources {
                true => format!("with {their} resources"),
                false => format!("and {their} resources stay in the cluster"),
            };
            format!(
                "{} {are} deleted{condition}, {resources}: {}",
                plural(count, "Application"),
                few(&names, show.at_most(NAMES))
            )
        })
        .collect();
    if !runs.is_empty() {
        let hooks = agreed(runs.len(), "hook", "runs", "run");
        sentences.push(format!("{hooks} at the deletion: {}", few(&runs, show.at_most(NAMES))));
    }
    if !hangs.is_empty() {
        let (is, it, its) = if hangs.len() == 1 { ("is", "it", "its") } else { ("are", "them", "their") };
        sentences.push(format!(
            "{} {is} due at the deletion, which hangs, because Argo CD would render {it} from {its} folder, and that is gone: {}. Delete the Application first, and the folder in a later change",
            plural(hangs.len(), "hook"),
            few(&hangs, show.at_most(NAMES))
        ));
    }
    sentences
}
