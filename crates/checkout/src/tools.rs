//! Finds the programs that this program starts, such as `git`.
//!
//! A repository contains files of strangers, for example from a pull request. So a program counts only when `PATH`
//! has the absolute path of its folder, and when neither its path nor its real path is in the repository that is
//! read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fs};

use system::{PathText, canonical, is_executable, is_variable};
use text::Message;

use super::repository;

/// The variables of the caller that a program gets: they locate its configuration, and on Windows programs need
/// `SystemRoot`.
const PASSED_ON: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "SystemRoot", "USERPROFILE"];

/// The folders in which programs are searched for, and the environment that they get.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    path: OsString,
    variables: Vec<(&'static str, String)>,
    /// The paths of programs that count instead of those on `PATH`, by their names.
    named: BTreeMap<&'static str, PathBuf>,
}

impl Tools {
    /// The programs on the `PATH` of the caller's environment.
    pub fn of(environment: &BTreeMap<String, String>) -> Self {
        let get = |wanted: &str| {
            let mut set = environment.iter().filter(|(name, value)| is_variable(name, wanted) && !value.is_empty());
            set.next().map(|(_, value)| value.clone())
        };
        // A relative path would lead into the repository.
        let variables = PASSED_ON.into_iter().filter_map(|name| Some((name, get(name)?)));
        let variables = variables.filter(|(_, value)| Path::new(value).is_absolute()).collect();
        Self { path: get("PATH").unwrap_or_default().into(), variables, named: BTreeMap::new() }
    }

    /// These programs, with others of the same names in place of those on `PATH`.
    #[must_use]
    pub fn with(self, named: BTreeMap<&'static str, PathBuf>) -> Self {
        Self { named, ..self }
    }

    /// The path of a program that the user has named, without symlinks; relative to the working directory. Fails if it is not a program, or if it is in
    /// the repository of `dir` or of the working directory, where a stranger can have put it. `dir` must be free of symlinks.
    pub fn named(typed: &Path, dir: &Path) -> Result<PathBuf, Message> {
        let about = |text: &str| Message::new(format!("`{}` {text}", typed.shown()));
        let real = canonical(typed).map_err(|error| about(&format!("cannot be read: {error}")))?;
        if !fs::metadata(&real).is_ok_and(|found| found.is_file() && is_executable(&found)) {
            return Err(about("is not a program").help("pass the path of an executable file"));
        }
        if !is_outside(&real, &foreign(dir)) {
            let help =
                "copy it to a folder outside of the repository: whoever may write to the repository could change it";
            return Err(about("is in the repository that is read, and is not started").help(help));
        }
        Ok(real)
    }

    /// The variables for a program, whose environment is otherwise empty.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.variables.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The absolute path of the program `name` for reading `dir`; `None` when no such program may be started. `dir`
    /// must be free of symlinks.
    pub fn find(&self, name: &str, dir: &Path) -> Option<PathBuf> {
        if let Some(named) = self.named.get(name) {
            return is_outside(named, &foreign(dir)).then(|| named.clone());
        }
        search(&self.path, &format!("{name}{}", env::consts::EXE_SUFFIX), &foreign(dir))
    }

    /// `PATH` for a program that reads `dir`, which must be free of symlinks: without entries that are relative or in
    /// the repository.
    pub fn path_for(&self, dir: &Path) -> OsString {
        let foreign = foreign(dir);
        let is_own =
            |entry: &PathBuf| entry.is_absolute() && canonical(entry).is_ok_and(|real| is_outside(&real, &foreign));
        // Joining fails only for entries that contain a separator, and splitting has removed those.
        env::join_paths(env::split_paths(&self.path).filter(is_own)).unwrap_or_default()
    }
}

/// The folders from which no program is started while `dir` is read: its repository (or `dir` itself outside of one)
/// and that of the working directory, each with the repositories that contain it as a submodule.
fn foreign(dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![dir.to_owned()];
    let working_dir = canonical(".").ok();
    for place in [Some(dir), working_dir.as_deref()].into_iter().flatten() {
        let mut top = repository::top_of(place);
        while let Some(found) = top {
            folders.push(found.to_owned());
            top = repository::superproject_of(found);
        }
    }
    folders
}

/// The first program with the file name `file` in the folders of `path` that is outside of the folders `foreign`,
/// which must be free of symlinks.
fn search(path: &OsStr, file: &str, foreign: &[PathBuf]) -> Option<PathBuf> {
    env::split_paths(path).filter(|entry| entry.is_absolute()).map(|entry| entry.join(file)).find(|program| {
        let is_program = |real: &PathBuf| fs::metadata(real).is_ok_and(|found| is_executable(&found));
        canonical(program).is_ok_and(|real| is_program(&real) && is_outside(&real, foreign))
    })
}

fn is_outside(real: &Path, foreign: &[PathBuf]) -> bool {
    !foreign.iter().any(|folder| real.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_program_needs_is_passed_on() {
        let environment = ["HOME", "XDG_CONFIG_HOME", "PATH", "GIT_DIR", "LD_PRELOAD", "LANG"];
        let set = environment.map(|name| (name.to_owned(), "/x".to_owned())).into();
        let passed: Vec<_> = Tools::of(&set).variables().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(passed, ["HOME", "XDG_CONFIG_HOME"]);
        for nothing in ["", ".", "home", "./home"] {
            let set = [("HOME".to_owned(), nothing.to_owned())].into();
            assert_eq!(Tools::of(&set).variables().count(), 0, "{nothing}");
        }
    }
}
