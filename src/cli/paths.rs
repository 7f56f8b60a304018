//! From where the paths of files are shown: the working directory, or the root of the repository.

use std::path::{Path, PathBuf};

use argocd_jobs::source::clean;
use argocd_jobs::system::canonical;

use super::environment::Environment;

/// The variables in which GitHub Actions and GitLab CI name the checkout.
const CHECKOUTS: [&str; 2] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// What the paths of files are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelativeTo {
    /// The working directory, so that a terminal or an editor finds the file.
    WorkingDirectory,
    /// The root of the checkout, which GitHub and GitLab name in a variable; without that, the working directory.
    Checkout,
}

/// A path without symlinks. Of one that does not exist, the folder above is without them that does.
pub(super) fn real(path: &Path) -> PathBuf {
    let real = |above: &Path| {
        let there = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        Some(canonical(there).ok()?.join(path.strip_prefix(above).ok()?))
    };
    path.ancestors().find_map(real).map_or_else(|| path.to_owned(), |real| clean(&real))
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
        let checkouts = CHECKOUTS.into_iter().filter_map(|variable| self.get(variable)).map(PathBuf::from);
        let checkout = checkouts.into_iter().find(|checkout| full.starts_with(checkout));
        full.strip_prefix(checkout.as_ref().unwrap_or(&working_dir)).map_or(typed, Path::to_owned)
    }
}
