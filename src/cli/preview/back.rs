//! Whether a change goes back to what an earlier commit had.

use argocd_jobs::preview::{Comparison, Verdict};
use argocd_jobs::source::{self, Input};

use crate::cli::read::Read;
use crate::cli::run::Run;
use crate::cli::{base, versions};

/// The digits of a commit that are shown.
const SHOWN: usize = 10;

/// The commit in which the source had the manifests that it has now, and not those of the base, if a Job runs because of that. Compares what is
/// rendered, so files elsewhere count; a commit is only looked at if the folder itself was the same.
pub(super) fn goes_back_to(source: &Read, comparison: &Comparison, run: &Run) -> Option<String> {
    let runs_again = |verdict: &Verdict| verdict.is_a_change() && verdict.runs();
    if !comparison.jobs.iter().any(|job| runs_again(&job.verdict)) {
        return None;
    }
    let path = source.target.path();
    let Input::Revision { dir, revision } = base::input(Some(&path), run).ok()?? else { return None };
    let surroundings = run.environment.surroundings(&Input::Directory(dir.clone()));
    let commit = source::goes_back_to(&dir, &revision, &surroundings)?;
    let earlier = Run { base: Some(format!("rev:{commit}")), ..run.clone() };
    let then = versions::read_base(&source.target, &earlier).ok()??;
    versions::have_same_manifests(&then, source.version()).then(|| commit.chars().take(SHOWN).collect())
}
