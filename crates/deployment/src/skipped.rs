//! The Applications that are found in files or that sources render, and that are not read themselves.

use std::collections::BTreeSet;

use crate::applications::{Skipped, SkippedBecause};
use crate::base;
use crate::outcome::Read;
use crate::row::{PassedOver, SkippedApplication};
use crate::run::Run;
use crate::sources::Sources;
use crate::unchecked_change::OfBase;

/// A skipped Application that a source renders.
pub(crate) struct Rendered<'s> {
    /// The sources above it: first its parent, at the end the root.
    pub(crate) chain: Vec<usize>,
    /// The Application, and why it is not rendered.
    pub(crate) skipped: &'s Skipped,
}

/// Each Application once, with the names of the sources above it from the root down; `names` has them by the numbers of the sources. Leaves out an
/// Application that is also in `in_files`, and an Application of a chart with its default values (`replaced`) if a value file (`assumed`) gives it too.
pub(crate) fn each_once(
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

impl Sources {
    /// What the table says below its rows about folders, files and Applications that are not read.
    pub(crate) fn passed_over(&self, read: &[Read], run: &Run) -> PassedOver {
        let of_base = self.of_base(run);
        let mut passed_over = PassedOver { removed: self.removed(read), ..self.passed_over.clone() };
        // One of several sources that are not read says it several times.
        for (name, gone) in self.gone_unread.iter().filter(|(name, _)| passed_over.removed.contains(name)) {
            if passed_over.gone.iter().all(|known| known != &(name.clone(), gone.clone())) {
                passed_over.gone.push((name.clone(), gone.clone()));
            }
        }
        let in_files = self.skipped.iter().map(|skipped| (Vec::new(), skipped));
        let rendered = self.rendered.iter().map(|(from, skipped)| (from.clone(), skipped));
        passed_over.skipped.extend(in_files.chain(rendered).map(|(from, skipped)| SkippedApplication {
            name: skipped.shown_name(),
            from,
            place: skipped.place.clone(),
            group: skipped.why.group(),
            is_unread: matches!(skipped.why, SkippedBecause::NotRead(_)),
            is_nowhere: matches!(skipped.why, SkippedBecause::InvalidName(_)),
            is_alone: matches!(skipped.why, SkippedBecause::NotFetched(_) | SkippedBecause::NoSuchDirectory(_)),
            is_finding: matches!(skipped.why, SkippedBecause::BrokenSet(_)) && self.told.contains(&skipped.place),
            reason: skipped.why.text(),
            help: skipped.why.help().map(ToOwned::to_owned),
            changed: of_base.as_ref().and_then(|of_base| of_base.is_changed(skipped)),
        }));
        passed_over
    }

    /// The Applications of the base that are not rendered, and that are not in the new version. What the new version has is unknown if a source
    /// cannot be read that may render Applications.
    fn removed(&self, read: &[Read]) -> BTreeSet<String> {
        if self.checkout.is_none() || read.iter().any(|one| one.new.is_err() && !one.was_broken()) {
            return BTreeSet::new();
        }
        let is_removed = |name: &String| !self.declared.contains(name) || self.lost.contains(name);
        let old = self.skipped_of_base.iter().flatten().filter(|skipped| skipped.is_one_application());
        old.filter(|skipped| !skipped.name.is_empty() && is_removed(&skipped.name)).map(Skipped::shown_name).collect()
    }

    /// What the version to compare with says of the Applications that are not rendered; none without one.
    fn of_base(&self, run: &Run) -> Option<OfBase> {
        let (skipped, checkout) = (self.skipped_of_base.as_ref()?, self.checkout.as_ref()?);
        let base = base::root_in(checkout, run).ok().flatten();
        Some(OfBase::new(skipped.iter(), base.map(|base| [checkout.root.clone(), base])))
    }
}
