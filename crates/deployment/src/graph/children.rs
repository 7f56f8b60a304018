//! What the sources of one version declare.

use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::argocd::BrokenSet;

use crate::applications::{Declared, Skipped};

/// The Applications that the sources of one version render, each with the number of the source that renders it.
#[derive(Default)]
pub(super) struct Children {
    /// The names of all Applications.
    pub(super) names: Vec<(String, usize)>,
    /// The Applications that are not read.
    pub(super) skipped: Vec<(usize, Skipped)>,
    /// The names of the ApplicationSets.
    pub(super) sets: BTreeSet<String>,
    /// The ApplicationSets for which Argo CD does not create all Applications, by the number of the source that renders them.
    pub(super) broken_sets: BTreeMap<usize, Vec<BrokenSet>>,
}

impl Children {
    /// Adds the Applications that the source `parent` renders, and takes all but the sources out of `declared`.
    pub(super) fn add(&mut self, parent: usize, declared: &mut Declared) {
        self.sets.append(&mut declared.sets);
        self.names.extend(declared.names().map(|name| (name.to_owned(), parent)));
        if !declared.broken_sets.is_empty() {
            self.broken_sets.insert(parent, std::mem::take(&mut declared.broken_sets));
        }
        self.skipped.extend(std::mem::take(&mut declared.skipped).into_iter().map(|skipped| (parent, skipped)));
    }
}
