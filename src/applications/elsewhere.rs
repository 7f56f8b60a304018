//! Sources that are in another repository than this checkout.

use std::path::PathBuf;

use super::SkippedBecause;
use crate::argocd::is_same_repository;

/// Where the files of other repositories are.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Checkouts of other repositories: their URLs, and their roots, absolute and without symlinks. Their revision is not looked at.
    pub checkouts: Vec<(String, PathBuf)>,
}

/// The files of a source that is not in this checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The root of their repository, absolute and without symlinks.
    pub root: PathBuf,
}

impl Others {
    /// Whether a checkout of this repository is known.
    pub(super) fn has_checkout(&self, url: &str) -> bool {
        self.checkouts.iter().any(|(known, _)| is_same_repository(known, url))
    }

    /// The files of a repository.
    pub(super) fn repository(&self, url: &str) -> Result<Elsewhere, SkippedBecause> {
        let found = self.checkouts.iter().find(|(known, _)| is_same_repository(known, url));
        found
            .map(|(_, root)| Elsewhere { root: root.clone() })
            .ok_or_else(|| SkippedBecause::AnotherRepository(url.to_owned()))
    }
}
