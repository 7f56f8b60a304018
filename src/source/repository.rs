//! The root of the repository, which symlinks may not leave.
//!
//! The repo-server knows it; a plugin is only told the directory it runs in. So it is looked for: the nearest ancestor of the
//! source directory that holds `.git`, else the working directory less the Application's path, else the source directory
//! itself, which is the strictest answer. With `manifest-generate-paths` the repo-server sends only a folder of the repository, and
//! of the path only its end stands in the working directory: what they have in common is taken off then.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The root of the repository that `dir` is in, without symlinks. `source_path` is the Application's path in it.
pub(super) fn root_of(dir: &Path, source_path: Option<&str>) -> io::Result<PathBuf> {
    let dir = fs::canonicalize(dir)?;
    let has_git = |ancestor: &&Path| fs::symlink_metadata(ancestor.join(".git")).is_ok();
    if let Some(root) = dir.ancestors().find(has_git) {
        return Ok(root.to_owned());
    }
    let working_dir = fs::canonicalize(".")?;
    let less_path = source_path.and_then(|path| strip_end(&working_dir, path));
    Ok(less_path.filter(|root| dir.starts_with(root)).map_or_else(|| dir.clone(), Path::to_owned))
}

/// `dir` less as much of the end of the path `end` as it ends with, or nothing when that is nothing.
fn strip_end<'d>(dir: &'d Path, end: &str) -> Option<&'d Path> {
    let mut rest = dir;
    let mut names = Vec::new();
    for component in Path::new(end).components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    for name in names.iter().rev() {
        match rest.parent() {
            Some(parent) if rest.file_name() == Some(name) => rest = parent,
            _ => break,
        }
    }
    let is_top = !end.is_empty() && names.is_empty();
    (is_top || rest != dir).then_some(rest)
}

/// True when `path`, which has no symlinks in it, is below `root`. The root itself is not, as in Argo CD's `files.Inbound`.
pub(super) fn is_inbound(path: &Path, root: &Path) -> bool {
    path != root && path.starts_with(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_less_the_path() {
        let stripped = |dir: &'static str, end| strip_end(Path::new(dir), end).map(|rest| rest.display().to_string());
        assert_eq!(stripped("/srv/repo/apps/shop", "apps/shop"), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/repo/apps/shop", "./apps/shop/"), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/repo", "."), Some("/srv/repo".to_owned()));
        assert_eq!(stripped("/srv/part/shop", "apps/shop"), Some("/srv/part".to_owned()));
        assert_eq!(stripped("/srv/repo", ""), None);
        assert_eq!(stripped("/srv/repo/apps/shop", "apps/other"), None);
        assert_eq!(stripped("/srv/repo/shop", "op"), None);
        assert_eq!(stripped("/srv/repo/apps", "../apps"), None);
        assert_eq!(stripped("/apps", "/apps"), None);
    }

    #[test]
    fn inbound_is_below_by_whole_names() {
        assert!(is_inbound(Path::new("/repo/a.yaml"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repository/a.yaml"), Path::new("/repo")));
        assert!(!is_inbound(Path::new("/repo"), Path::new("/repo")));
    }
}
