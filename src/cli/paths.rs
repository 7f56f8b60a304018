//! From where the paths of files are shown: the working directory, or the root of the repository.

use std::path::{Path, PathBuf};

use argocd_jobs::source::clean;

use super::environment::Environment;

/// What the paths of files are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelativeTo {
    /// The working directory, so that a terminal or an editor finds the file.
    WorkingDirectory,
    /// The root of the checkout, which GitHub names in a variable; without that, the working directory.
    Checkout,
}

impl Environment {
    /// What the paths of the files in `dir` begin with; empty when that is what they are relative to.
    pub(super) fn shown_as(&self, dir: &Path, relative_to: RelativeTo) -> PathBuf {
        let typed = clean(dir);
        let Ok(working_dir) = std::env::current_dir() else { return typed };
        if relative_to == RelativeTo::WorkingDirectory {
            return typed;
        }
        let full = clean(&working_dir.join(&typed));
        let checkout = self.get("GITHUB_WORKSPACE").map(PathBuf::from).filter(|checkout| full.starts_with(checkout));
        full.strip_prefix(checkout.as_ref().unwrap_or(&working_dir)).map_or(typed, Path::to_owned)
    }
}
