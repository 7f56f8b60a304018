//! This repository at its tags: the files of an Application whose revision is a tag, if the clone has it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ::source::{Surroundings, copy_of_revision};

use super::Elsewhere;

/// The most tags of one run: for each, the whole repository is written to disk.
const MOST: usize = 8;

/// The tags of the repository of a checkout.
#[derive(Clone, Debug)]
pub struct Tags {
    /// The root of the checkout, and not of a copy of another version.
    root: PathBuf,
    names: Arc<BTreeSet<String>>,
    surroundings: Surroundings,
    /// The tags whose files were wanted in this run.
    asked: Arc<Mutex<BTreeSet<String>>>,
}

impl Tags {
    /// The tags of the repository with this root. `surroundings` keeps what is written to disk.
    pub fn of(root: PathBuf, names: Arc<BTreeSet<String>>, surroundings: Surroundings) -> Self {
        Self { root, names, surroundings, asked: Arc::default() }
    }

    /// The files at `revision`; none if that is not a tag here, or not all of its files are here.
    pub(super) fn at(&self, revision: &str) -> Option<Elsewhere> {
        let name = revision.strip_prefix("refs/tags/").unwrap_or(revision);
        if !self.names.contains(name) || !self.may_ask(name) {
            return None;
        }
        let copy = copy_of_revision(&self.root, &format!("refs/tags/{name}"), &self.surroundings).ok()??;
        copy.missing.is_empty().then(|| Elsewhere { root: copy.dir, shown_as: Some(PathBuf::from(name)) })
    }

    fn may_ask(&self, name: &str) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.contains(name) || asked.len() < MOST && asked.insert(name.to_owned())
    }
}
