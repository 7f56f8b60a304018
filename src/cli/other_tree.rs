//! The directory that `--base` names, as the other version of a directory here. Everything below the two is compared path by path, folders and the
//! sources of Applications alike.

use std::path::{Path, PathBuf};

use anyhow::Result;
use argocd_jobs::source::{self, Input, clean};

use super::checkout_root;
use super::paths::real;
use super::run::Run;

/// What `named`, the value of `--base`, is for the directory or file that is compared, which a directory need not have; none for standard input.
pub(super) fn base_of(named: &str, path: Option<&Path>, run: &Run) -> Result<Input, source::Error> {
    let base = source::base(named, path, &run.environment.tools(), &run.environment.revisions)?;
    let (Input::Directory(dir), Some(path)) = (&base, path) else { return Ok(base) };
    let other = OtherTree::of(dir, run).ok().and_then(|tree| tree.at(path));
    Ok(Input::on_disk(other.ok_or_else(|| source::Error::NotACheckout(named.to_owned()))?))
}

/// Two directories that are versions of each other.
struct OtherTree {
    /// The one here, absolute.
    here: PathBuf,
    /// The one that `--base` names, or one above it.
    there: PathBuf,
}

impl OtherTree {
    /// The directory `named` and the one here that it is a version of: the root of the checkout, if `named` has the path that was typed, is the top
    /// of a working tree, or is that path in another checkout. Otherwise the path that was typed. The working directory stands for several paths.
    fn of(named: &Path, run: &Run) -> Result<Self> {
        let working_dir = std::env::current_dir()?;
        let typed = match run.paths.as_slice() {
            [one] => clean(&working_dir.join(one)),
            _ => working_dir,
        };
        let root = match &run.applications {
            Some(files) => checkout_root::of_applications(files, run)?,
            None => checkout_root::of(&typed, run)?,
        };
        let below = match below(&typed, &root) {
            Some(below) => below,
            None if run.applications.is_some() => PathBuf::new(),
            None => return Ok(Self { here: typed, there: named.to_owned() }),
        };
        let is_top = |dir: &Path| dir.join(".git").exists();
        if named.join(&below).exists() || is_top(&root) && is_top(named) {
            return Ok(Self { here: root, there: named.to_owned() });
        }
        let cleaned = clean(named);
        if cleaned.ends_with(&below) {
            let above = cleaned.components().count() - below.components().count();
            return Ok(Self {
                here: root,
                there: Path::new(".").join(cleaned.components().take(above).collect::<PathBuf>()),
            });
        }
        Ok(Self { here: typed, there: named.to_owned() })
    }

    /// The other version of a path; none if it is not below the directory that is compared.
    fn at(&self, path: &Path) -> Option<PathBuf> {
        let whole = clean(&std::env::current_dir().ok()?.join(path));
        let below = below(&whole, &self.here)?;
        Some(if below.as_os_str().is_empty() { self.there.clone() } else { self.there.join(below) })
    }
}

/// The path below `top`, as it is written if possible: a symlink below `top` is not followed.
fn below(path: &Path, top: &Path) -> Option<PathBuf> {
    let written = path.strip_prefix(top).map(Path::to_owned).ok();
    written.or_else(|| real(path).strip_prefix(top).map(Path::to_owned).ok())
}
