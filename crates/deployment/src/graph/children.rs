//! What the sources of one version declare.

use crate::applications::{Declared, Skipped};

/// The Applications that the sources of one version render, each with the number of the source that renders it.
#[derive(Default)]
pub(super) struct Children {
    /// The names of all Applications.
    pub(super) names: Vec<(String, usize)>,
    /// The Applications that are not read.
    pub(super) skipped: Vec<(usize, Skipped)>,
}

impl Children {
    /// Adds the Applications that the source `parent` renders, and takes the skipped ones out of `declared`.
    pub(super) fn add(&mut self, parent: usize, declared: &mut Declared) {
        self.names.extend(declared.names().map(|name| (name.to_owned(), parent)));
        self.skipped.extend(std::mem::take(&mut declared.skipped).into_iter().map(|skipped| (parent, skipped)));
    }
}
