//! The value sets that `--values-set GLOB` names.

use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow};
use kube_jobs::argocd::Glob;
use system::{PathText, canonical};
use text::Message;
use walkdir::{DirEntry, WalkDir};

use crate::paths::or_here;
use crate::run::VALUES_SET;
use crate::target::ValueSet;
use crate::value_flags;

/// The maximum number of files and folders that a glob is matched against.
const MAX_ENTRIES: usize = 10_000;

/// The sets of `globs` for the chart in `dir`, which is `real` without symlinks. An error for a glob that matches no file, or that leads out
/// of the repository.
pub(super) fn sets(globs: &[String], dir: &Path, real: &Path) -> Result<Vec<ValueSet>> {
    let mut sets: Vec<ValueSet> = Vec::new();
    for glob in globs {
        for file in files(glob, dir)? {
            let place = file.parent().and_then(|parent| canonical(or_here(parent)).ok());
            let whole = place.zip(file.file_name()).map(|(parent, name)| parent.join(name));
            let whole = whole.unwrap_or_else(|| file.clone());
            let set = match whole.strip_prefix(real) {
                Ok(below) => ValueSet::of_file(&below.in_slashes(), None),
                // It is for that chart. An error only for one outside of the repository.
                Err(_) if is_of_a_chart(&whole) => {
                    value_flags::value_file(VALUES_SET, &file.in_slashes(), dir)?;
                    continue;
                }
                Err(_) => {
                    let typed = file.in_slashes();
                    ValueSet::of_file(&typed, Some(value_flags::value_file(VALUES_SET, &typed, dir)?))
                }
            };
            if sets.iter().all(|known| known.name != set.name) {
                sets.push(set);
            }
        }
    }
    Ok(sets)
}

/// Whether a file is in the folder of a chart.
fn is_of_a_chart(file: &Path) -> bool {
    file.ancestors().skip(1).any(|folder| folder.join("Chart.yaml").is_file())
}

/// The files that a glob matches, sorted, as they are written in the working directory.
fn files(glob: &str, dir: &Path) -> Result<Vec<PathBuf>> {
    let refused =
        |text: &str, help: &str| anyhow!(Message::new(text).about(format!("`--{VALUES_SET} {glob}`")).help(help));
    let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let path = Path::new(glob);
    let start: PathBuf = path.components().take_while(is_plain).collect();
    let nothing = || refused("no such file", "the glob is relative to the working directory; put it in quotes");
    if start == path {
        return if path.is_file() { Ok(vec![path.to_owned()]) } else { Err(nothing()) };
    }
    let top = or_here(&start);
    let root = checkout::repository_root(dir)
        .map_err(|error| refused(&format!("cannot be read: {error}"), "check the permissions"))?;
    if !canonical(top).map_err(|_| nothing())?.starts_with(&root) {
        let help =
            format!("put the files into the repository `{}`: a chart cannot read files outside it", root.shown());
        return Err(refused("is outside the repository", &help));
    }
    let pattern = Glob::new(glob.strip_prefix("./").unwrap_or(glob));
    let is_searched = |entry: &DirEntry| entry.file_name() != ".git";
    let walk = WalkDir::new(top).sort_by_file_name().into_iter().filter_entry(is_searched);
    let (mut found, mut count) = (Vec::new(), 0);
    for entry in walk.flatten() {
        count += 1;
        if count > MAX_ENTRIES {
            return Err(refused("matches in a folder with more than 10,000 files", "name a folder in it"));
        }
        let path = checkout::clean(entry.path());
        if !entry.file_type().is_dir() && pattern.matches(&path.in_slashes()) {
            found.push(path);
        }
    }
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}
