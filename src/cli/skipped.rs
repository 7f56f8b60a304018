//! The Applications that sources render and that are not read themselves.

use std::collections::BTreeSet;

use argocd_jobs::applications::Skipped;

/// Such an Application.
pub(super) struct Rendered<'s> {
    /// The sources from the one that renders it to the root.
    pub(super) chain: Vec<usize>,
    /// What it is.
    pub(super) skipped: &'s Skipped,
}

/// Each of them once, with the `names` of the sources above it from the root down: without those that are `in_files`, too, and those of charts with
/// their default values (`replaced`) that a value file (`assumed`) gives, too.
pub(super) fn each_once(
    found: Vec<Rendered<'_>>,
    in_files: &[Skipped],
    replaced: &BTreeSet<usize>,
    assumed: &BTreeSet<usize>,
    names: &[Vec<String>],
) -> Vec<(Vec<String>, Skipped)> {
    let says = |skipped: &Skipped| (skipped.name.clone(), skipped.why.text());
    let in_files: BTreeSet<(String, String)> = in_files.iter().map(says).collect();
    let is_below = |one: &Rendered<'_>, above: &BTreeSet<usize>| one.chain.iter().any(|number| above.contains(number));
    let real: BTreeSet<String> =
        found.iter().filter(|one| is_below(one, assumed)).map(|one| one.skipped.name.clone()).collect();
    let is_left = |one: &Rendered<'_>| {
        !(in_files.contains(&says(one.skipped)) || is_below(one, replaced) && real.contains(&one.skipped.name))
    };
    let mut known = BTreeSet::new();
    let mut left = Vec::new();
    for one in found.into_iter().filter(is_left) {
        let from: Vec<String> = one.chain.iter().rev().flat_map(|number| names[*number].clone()).collect();
        if known.insert((from.clone(), says(one.skipped))) {
            left.push((from, one.skipped.clone()));
        }
    }
    left
}
