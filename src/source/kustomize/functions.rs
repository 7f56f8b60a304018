//! Functions of a kustomization: programs and containers that it names as its transformers, generators and validators.
//!
//! Without `--enable-alpha-plugins` kustomize refuses them. With it, and without `--enable-exec`, which is never given, kustomize leaves out
//! what would run a program and says nothing (`kyaml/runfn/runfn.go` of 5.8.1): the Jobs would go out as they are. So they are searched for
//! here. The search takes too much rather than too little, and what it cannot look at is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::tool::{RenderError, in_time};
use super::super::{KUSTOMIZATIONS, files, is_in_repository};
use crate::process::Deadline;
use crate::text::Message;
use crate::yaml::Value;

/// The ways to say that a resource is a function (`kyaml/fn/runtime/runtimeutil/functiontypes.go`).
const MARKS: [&str; 3] = ["config.kubernetes.io/function", "config.k8s.io/function", "configFn"];

/// The lists of a kustomization whose items are resources.
const OBJECTS: [&str; 3] = ["resources", "bases", "components"];

/// The lists whose items configure functions.
const CONFIGURATIONS: [&str; 3] = ["transformers", "generators", "validators"];

/// The most files that are looked at, and the most bytes of one.
const MOST: (usize, u64) = (10_000, 5 << 20);

/// An error when the kustomization in `dir`, or one that it is made of, has a function, or cannot be looked at. `root` is the root of the
/// repository; both have no symlinks in them.
pub(super) fn refuse(dir: &Path, root: &Path, deadline: Deadline) -> Result<(), RenderError> {
    let mut search = Search { root, seen: BTreeSet::new(), todo: vec![(dir.to_owned(), false)] };
    while let Some((path, configures)) = search.todo.pop() {
        in_time(deadline)?;
        search.look(&path, configures).map_err(RenderError::refused)?;
    }
    Ok(())
}

struct Search<'s> {
    root: &'s Path,
    seen: BTreeSet<(PathBuf, bool)>,
    /// Paths without symlinks, and whether what is there configures functions.
    todo: Vec<(PathBuf, bool)>,
}

impl Search<'_> {
    fn look(&mut self, path: &Path, configures: bool) -> Result<(), Message> {
        if !self.seen.insert((path.to_owned(), configures)) {
            return Ok(());
        }
        if self.seen.len() > MOST.0 {
            return Err(Message::new("the kustomization has too many files to search for functions").help(HELP));
        }
        if path.is_dir() {
            return match KUSTOMIZATIONS.into_iter().find(|name| path.join(name).exists()) {
                Some(name) => self.kustomization(path, &path.join(name), configures),
                // kustomize refuses it.
                None => Ok(()),
            };
        }
        // What a kustomization takes for a resource may say what it likes.
        if configures { self.text(path).map(drop) } else { Ok(()) }
    }

    fn kustomization(&mut self, dir: &Path, file: &Path, configures: bool) -> Result<(), Message> {
        let text = self.text(file)?;
        // kustomize refuses what is no YAML.
        let Ok(Value::Map(map)) = Value::read(&text) else { return Ok(()) };
        for (key, value) in map.iter() {
            let is_configuration = CONFIGURATIONS.contains(&key.as_str());
            let is_object = OBJECTS.contains(&key.as_str());
            for item in value.as_list().unwrap_or_default() {
                let path = item.as_text().or_else(|| item.text_at(&["path"])).filter(|text| !text.contains('\n'));
                if let Some(path) = path.filter(|_| is_object || is_configuration || configures) {
                    self.enter(dir, path, is_configuration || configures, is_object || is_configuration)?;
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, dir: &Path, path: &str, configures: bool, is_needed: bool) -> Result<(), Message> {
        match fs::canonicalize(dir.join(path)) {
            Ok(real) if is_in_repository(&real, self.root) => self.todo.push((real, configures)),
            _ if !is_needed => {}
            _ => {
                return Err(
                    Message::new(format!("`{path}` is not in the repository, and may have functions")).help(HELP)
                );
            }
        }
        Ok(())
    }

    /// The text of a file; an error when it has a function.
    fn text(&self, file: &Path) -> Result<String, Message> {
        let shown = file.strip_prefix(self.root).unwrap_or(file).display();
        let bytes = match files::read(file, MOST.1) {
            Err(error) => return Err(Message::new(format!("`{shown}` cannot be read: {error}"))),
            Ok(None) => return Err(Message::new(format!("`{shown}` is too large to search for functions")).help(HELP)),
            Ok(Some(bytes)) => bytes,
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if MARKS.iter().any(|mark| text.contains(mark)) {
            return Err(
                Message::new(format!("`{shown}` has a function, which kustomize would silently ignore")).help(HELP)
            );
        }
        Ok(text)
    }
}

const HELP: &str =
    "functions are not run here, not even with `--enable-alpha-plugins`; render first and pass the output with `-`";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::tests::Scratch;
    use super::*;

    /// What is said about the kustomization in `app`.
    fn said(files: &[(&str, &str)]) -> Option<String> {
        let scratch = Scratch::with(&["repo/.git/config", "outside/fn.yaml"]);
        for (path, text) in files {
            let path = scratch.0.join("repo").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = fs::canonicalize(scratch.0.join("repo")).unwrap();
        refuse(&root.join("app"), &root, Deadline::after(Duration::from_secs(60))).err().map(|error| error.to_string())
    }

    const APP: &str = "app/kustomization.yaml";
    const FUNCTION: &str = "metadata: {annotations: {config.kubernetes.io/function: 'exec: {path: ./run.sh}'}}\n";

    #[test]
    fn a_function_is_found_wherever_it_is() {
        let base = ("base/kustomization.yml", "transformers: [fn.yaml]\n");
        for (files, place) in [
            (vec![(APP, "transformers: [fn.yaml]\n"), ("app/fn.yaml", FUNCTION)], "app/fn.yaml"),
            (vec![(APP, "validators: ['kind: x\n  config.k8s.io/function']\n")], APP),
            (vec![(APP, "resources: [../base]\n"), base, ("base/fn.yaml", FUNCTION)], "base/fn.yaml"),
            (vec![(APP, "components: [../base]\n"), base, ("base/fn.yaml", FUNCTION)], "base/fn.yaml"),
            (
                vec![
                    (APP, "generators: [../gen]\n"),
                    ("gen/Kustomization", "resources: [a.yaml]\n"),
                    ("gen/a.yaml", FUNCTION),
                ],
                "gen/a.yaml",
            ),
            (
                vec![
                    (APP, "generators: [../gen]\n"),
                    ("gen/Kustomization", "patches: [{path: a.yaml}]\n"),
                    ("gen/a.yaml", FUNCTION),
                ],
                "gen/a.yaml",
            ),
        ] {
            let said = said(&files).unwrap_or_default();
            assert!(said.starts_with(&format!("`{place}` has a function")), "{files:?} {said}");
        }
    }

    #[test]
    fn what_cannot_be_looked_at_is_refused() {
        for path in ["https://example.com/base", "../../outside/fn.yaml", "git@example.com:a/b", "missing.yaml"] {
            for list in ["resources", "components", "transformers"] {
                let said = said(&[(APP, &format!("{list}: ['{path}']\n"))]).unwrap_or_default();
                assert!(said.starts_with(&format!("`{path}` is not in the repository")), "{said}");
            }
        }
    }

    /// A function at its end would not be seen.
    #[test]
    fn a_file_that_is_too_large_to_be_read_whole_is_refused() {
        let comment = |bytes: usize| format!("#{}", "x".repeat(bytes - 1));
        let largest = MOST.1 as usize;
        let with = |text: &str| said(&[(APP, "transformers: [fn.yaml]\n"), ("app/fn.yaml", text)]);
        assert_eq!(with(&comment(largest)), None);
        for text in [comment(largest + 1), format!("{}\n{FUNCTION}", comment(largest + 1000))] {
            let said = with(&text).unwrap_or_default();
            assert!(said.starts_with("`app/fn.yaml` is too large to search for functions"), "{said}");
        }
    }

    #[test]
    fn what_has_no_function_is_left_to_kustomize() {
        for files in [
            vec![(APP, "resources: [a.yaml]\n"), ("app/a.yaml", FUNCTION)],
            vec![(APP, "resources: [../app]\n")],
            vec![
                (APP, "transformers: [fn.yaml]\nresources: [empty]\n"),
                ("app/fn.yaml", "kind: Plugin\n"),
                ("app/empty/x", ""),
            ],
            vec![(APP, "patches: [{patch: 'a: b'}]\nimages: [{name: a}]\nconfigurations: [missing]\n")],
            vec![(APP, "[")],
            vec![("app/x", "")],
        ] {
            assert_eq!(said(&files), None, "{files:?}");
        }
    }
}
