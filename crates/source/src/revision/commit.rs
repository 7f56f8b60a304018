//! The commits that a run reads, and the git processes that read them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use checkout::Tools;

use crate::git::{BatchReply, Git, NoRevision, Objects, Type};

/// The revisions opened in a run. Each is opened once. Dropping this removes the files that were written for them.
#[derive(Debug, Default)]
pub struct Revisions {
    /// The commits by the top of the working tree and the name of the revision.
    opened: Mutex<BTreeMap<(PathBuf, String), Arc<Commit>>>,
    pub(super) written: super::written::Checkouts,
}

impl Revisions {
    /// The commit that `revision` names in the working tree with this top, in any form that git accepts. git is asked
    /// only once; but if two threads are first at the same time, both ask.
    pub(super) fn open(&self, top: &Path, revision: &str, tools: &Tools) -> Result<Arc<Commit>, NoRevision> {
        let key = (top.to_owned(), revision.to_owned());
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened().get(&key) {
            return Ok(Arc::clone(known));
        }
        let commit = Arc::new(Commit::find(revision, Git::of(top, tools)?)?);
        Ok(Arc::clone(opened().entry(key).or_insert(commit)))
    }
}

/// A commit of a repository.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) id: String,
    /// The id of its root tree.
    pub(super) root: String,
    git: Git,
    /// The git processes that are ready for a question.
    waiting: Mutex<Vec<Objects>>,
    /// The ids of the commit's objects that the clone lacks. Determined when git first ends at one.
    missing: OnceLock<BTreeSet<String>>,
}

impl Commit {
    /// Finds the commit; the name can be that of an annotated tag.
    fn find(revision: &str, git: Git) -> Result<Self, NoRevision> {
        let mut objects = git.objects().map_err(NoRevision::NotStarted)?;
        let mut ask =
            |name: &str| objects.ask_only(name.as_bytes()).map_err(|error| NoRevision::Broken(error.to_string()));
        let unknown = || NoRevision::Unknown(revision.to_owned());
        // No name of a revision contains these characters, and git would read only the text before them.
        if revision.contains(['\n', '\r', '\0']) {
            return Err(unknown());
        }
        // In a partial clone git ends at the id of a missing commit.
        let Ok(BatchReply::Object { id, .. }) = ask(revision) else { return Err(unknown()) };
        let commit = ask(&format!("{id}^{{commit}}"))?;
        let BatchReply::Object { id, kind: Type::Commit, .. } = commit else { return Err(unknown()) };
        match ask(&format!("{id}^{{tree}}")) {
            Ok(BatchReply::Object { id: root, kind: Type::Tree, .. }) => {
                Ok(Self { id, root, git, waiting: Mutex::new(vec![objects]), missing: OnceLock::new() })
            }
            _ => Err(NoRevision::Absent(revision.to_owned())),
        }
    }

    /// Runs `work` with a git process that is ready for a question; fails when none can be started. A process whose
    /// last reply was not read to its end is not used again.
    pub(super) fn lend<T>(&self, work: impl FnOnce(&mut Objects) -> T) -> io::Result<T> {
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let first = waiting().pop();
        let mut objects = first.map_or_else(|| self.git.objects(), Ok)?;
        let done = work(&mut objects);
        if objects.is_waiting() {
            waiting().push(objects);
        }
        Ok(done)
    }

    /// Asks for an object by its id. git is not asked for an object that is known to be missing.
    pub(super) fn ask(&self, objects: &mut Objects, id: &str) -> io::Result<BatchReply> {
        if self.missing.get().is_some_and(|missing| missing.contains(id)) {
            return Ok(BatchReply::Missing);
        }
        objects.ask(id.as_bytes()).or_else(|error| match self.missing().contains(id) {
            true => Ok(BatchReply::Missing),
            false => Err(error),
        })
    }

    /// The ids of the commit's objects that the clone lacks; empty if git cannot list them.
    pub(super) fn missing(&self) -> &BTreeSet<String> {
        self.missing.get_or_init(|| self.git.missing(&self.id).unwrap_or_default())
    }
}
