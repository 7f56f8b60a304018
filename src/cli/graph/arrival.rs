//! How the change of what declares an Application arrives at it.

use std::collections::BTreeSet;

use argocd_jobs::argocd::Arrival;

use super::Graph;
use crate::cli::target::{InBase, Target};

impl Graph<'_> {
    /// How the change of what declares the Application `child` arrives at it. `manual` has the names of Applications without an automated sync
    /// policy, `names_now` those of all Applications of the new version.
    pub(super) fn arrival(
        &self,
        child: usize,
        target: &Target,
        manual: &[Option<String>],
        names_now: &BTreeSet<String>,
    ) -> Arrival {
        let chain = self.chain(child);
        let mut altered = chain.windows(2).take_while(|pair| self.altered.contains(&pair[0]));
        let is_of_base = matches!(target, Target::ApplicationOfBase(..));
        let set = target.source().and_then(|source| source.set.as_ref()).map(|(policy, _)| policy);
        Arrival {
            is_new: matches!(target, Target::Application(_, _, InBase::Nowhere)),
            is_gone: is_of_base
                && !is_kept(target, names_now)
                && target.application().is_some_and(|name| !names_now.contains(name)),
            after: altered.find_map(|pair| manual[pair[1]].clone()),
            rolling: set.filter(|set| set.is_rolling).map(|set| set.name.clone()),
        }
    }
}

/// Whether an Application stays as it is: its set is not expanded now.
pub(super) fn is_kept(target: &Target, names_now: &BTreeSet<String>) -> bool {
    target.set().is_some_and(|set| names_now.contains(&set))
}
