//! Sources outside of this checkout: in another repository, or as a chart in a Helm repository.

use std::path::PathBuf;
use std::sync::Arc;

use kube_jobs::argocd::is_same_repository;
use render::remote::{NotFetched, Remote, Remotes};

use super::SkippedBecause;

/// Where to get the files of other repositories and charts.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Checkouts of other repositories: the URL, and the root as an absolute path without symlinks. Their revision is
    /// not checked.
    pub checkouts: Vec<(String, PathBuf)>,
    /// Fetches everything else; without it, sources outside of the checkouts are skipped.
    pub remotes: Option<Arc<Remotes>>,
}

/// The files of a source that is not in this checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The root of the repository, or the folder of the chart: an absolute path without symlinks.
    pub root: PathBuf,
    /// The name of the root in messages; `None` when it is a folder that the user has named.
    pub shown_as: Option<PathBuf>,
}

impl Others {
    /// The root of the user's checkout of a repository, if there is one.
    pub(super) fn checkout(&self, url: &str) -> Option<&PathBuf> {
        self.checkouts.iter().find(|(known, _)| is_same_repository(known, url)).map(|(_, root)| root)
    }

    /// The files of a repository at a revision: from a checkout, or else fetched.
    pub(super) fn repository(&self, url: &str, revision: &str) -> Result<Elsewhere, SkippedBecause> {
        if let Some(root) = self.checkout(url) {
            return Ok(Elsewhere { root: root.clone(), shown_as: None });
        }
        let name = last(url.strip_suffix(".git").unwrap_or(url));
        let at = if revision.is_empty() { "HEAD" } else { revision };
        let remote = Remote::Repository { url: url.to_owned(), revision: revision.to_owned() };
        self.get(&remote, format!("{name}@{at}"), || SkippedBecause::AnotherRepository(url.to_owned()))
    }

    /// The folder of a chart, fetched from a Helm repository.
    pub(super) fn chart(&self, url: &str, name: &str, version: &str) -> Result<Elsewhere, SkippedBecause> {
        let shown_as = if version.is_empty() { last(name).to_owned() } else { format!("{}-{version}", last(name)) };
        let remote = Remote::Chart { repository: url.to_owned(), name: name.to_owned(), version: version.to_owned() };
        self.get(&remote, shown_as, || SkippedBecause::ChartOfRepository(name.to_owned()))
    }

    fn get(
        &self,
        remote: &Remote,
        shown_as: String,
        unknown: impl Fn() -> SkippedBecause,
    ) -> Result<Elsewhere, SkippedBecause> {
        match self.remotes.as_ref().map(|remotes| remotes.get(remote)) {
            Some(Ok(root)) => Ok(Elsewhere { root, shown_as: Some(PathBuf::from(shown_as)) }),
            Some(Err(NotFetched::Failed(message))) => Err(SkippedBecause::NotFetched(message)),
            None | Some(Err(NotFetched::NoNetwork)) => Err(unknown()),
        }
    }
}

fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default()
}
