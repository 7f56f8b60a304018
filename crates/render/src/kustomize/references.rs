//! Finds the files and folders that a kustomization can refer to: every text in its file that is a path of something
//! in the repository, in any field. So a new field of kustomize needs no change here.

use std::fs;
use std::path::{Path, PathBuf};

use checkout::read_small;
use confined::Deadline;
use goyaml::Value;

use crate::kustomize::{KUSTOMIZATIONS, MAX_FILE};
use crate::tool::resolve;

/// The directories and files that the kustomization in `dir` can refer to; `None` when that cannot be determined for
/// certain, or not before the deadline. `dir` and `root`, the root of its repository, must be free of symlinks.
pub(super) fn of(dir: &Path, root: &Path, deadline: Deadline) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    for file in KUSTOMIZATIONS.map(|name| dir.join(name)) {
        if fs::symlink_metadata(&file).is_err() {
            continue;
        }
        let value = Value::read(&read_small(&file, MAX_FILE).ok()?).ok()?;
        found.extend(in_value(&value, dir, root, deadline)?);
    }
    Some(found)
}

/// The directories and files that texts in a value refer to.
pub(super) fn in_value(value: &Value, dir: &Path, root: &Path, deadline: Deadline) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let resolve = |path: &str| if deadline.is_over() { None } else { resolve(dir, path, root).ok() };
    collect(value, &resolve, &mut found)?;
    Some(found)
}

fn collect(value: &Value, resolve: &impl Fn(&str) -> Option<Option<PathBuf>>, found: &mut Vec<PathBuf>) -> Option<()> {
    match value {
        Value::String(text) => {
            // Generators write `key=path`.
            let behind = text.split_once('=').map(|(_, path)| path);
            for path in [Some(text.as_str()), behind].into_iter().flatten() {
                found.extend(resolve(path)?);
            }
            Some(())
        }
        Value::List(items) => items.iter().try_for_each(|item| collect(item, resolve, found)),
        Value::Map(map) => map.iter().try_for_each(|(_, item)| collect(item, resolve, found)),
        // YAML reads a name of digits as a number, which kustomize refuses as a path.
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use scratch::Scratch;
    use system::{PathText, canonical};

    #[test]
    fn every_text_that_is_a_path_is_a_reference() {
        let kustomization = "resources: [../base, job.yaml, 'https://example.com/x', gone]\n\
            configMapGenerator: [{name: a, files: [key=../base/a.txt]}]\nnew-field: {deep: [../../out, ../lib]}\n";
        let scratch = Scratch::with(&["repo/base/a.txt", "repo/lib/x", "repo/app/job.yaml", "out/x"])
            .file("repo/app/kustomization.yml", kustomization);
        let root = canonical(scratch.0.join("repo")).unwrap();
        let found = |dir: &str| {
            let found = of(&root.join(dir), &root, Deadline::after(Duration::from_secs(60)))?;
            let shown = |path: &PathBuf| path.strip_prefix(&root).unwrap().shown().to_string();
            let mut found: Vec<_> = found.iter().map(shown).collect();
            found.sort();
            Some(found)
        };
        assert_eq!(found("app").unwrap(), ["app/job.yaml", "base", "base/a.txt", "lib"]);
        assert_eq!(found("lib").unwrap(), [""; 0]);
        assert_eq!(of(&root.join("app"), &root, Deadline::after(Duration::ZERO)), None);
        let _scratch = scratch.file("repo/app/Kustomization", "a: [");
        assert_eq!(found("app"), None);
    }
}
