//! The root of the checkout that is read: what paths in Applications begin at.

use std::path::{Path, PathBuf};

use anyhow::Result;
use argocd_jobs::source;
use argocd_jobs::system::canonical;

use super::run::Run;

/// The root of the checkout of `--application`: that of the working directory, or else that of the first file. A case is its own checkout.
pub(super) fn of_applications(named: &[PathBuf], run: &Run) -> Result<PathBuf> {
    let here = canonical(".")?;
    if run.environment.in_a_case {
        return Ok(here);
    }
    let own = source::repository_root(&here)?;
    let other = named.first().and_then(|path| checkout_around(path)).filter(|_| !is_checkout(&own));
    Ok(other.unwrap_or(own))
}

/// The root of the checkout that a path is in, which can be in a folder of another one; or else that of the working directory.
pub(super) fn of(path: &Path, run: &Run) -> Result<PathBuf> {
    let own = checkout_around(path).filter(|_| !run.environment.in_a_case);
    own.map_or_else(|| of_applications(&[], run), Ok)
}

fn checkout_around(path: &Path) -> Option<PathBuf> {
    let real = canonical(path).ok()?;
    let root = source::repository_root(if real.is_dir() { &real } else { real.parent()? }).ok()?;
    is_checkout(&root).then_some(root)
}

fn is_checkout(root: &Path) -> bool {
    root.join(".git").exists()
}
