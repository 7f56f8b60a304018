//! Finds the programs that this one starts, such as `git`.
//!
//! A repository holds files that others have written, for example in a pull request. So a program counts only when PATH has the absolute
//! path of its folder, and when it is not in the repository that is read, neither by its path nor behind symlinks.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::repository;

/// The variables that a program gets from the caller's environment: they say where its configuration is, and on Windows programs need
/// `SystemRoot`.
const PASSED_ON: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "SystemRoot", "USERPROFILE"];

/// The folders in which programs are searched for, and the environment that they get.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    path: OsString,
    variables: Vec<(&'static str, String)>,
}

impl Tools {
    /// The programs that the caller has, according to `PATH` in the caller's environment.
    pub fn of(environment: &BTreeMap<String, String>) -> Self {
        let get = |wanted: &str| {
            // Windows writes `Path` where others write `PATH`.
            let is_wanted = |name: &str| if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { name == wanted };
            environment
                .iter()
                .find(|(name, value)| is_wanted(name) && !value.is_empty())
                .map(|(_, value)| value.clone())
        };
        // A relative one would lead into the repository.
        let variables = PASSED_ON.into_iter().filter_map(|name| Some((name, get(name)?)));
        let variables = variables.filter(|(_, value)| Path::new(value).is_absolute()).collect();
        Self { path: get("PATH").unwrap_or_default().into(), variables }
    }

    /// The variables for the environment of a program, which is otherwise empty.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.variables.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The absolute path of the program `name`, which is to read what is in `dir`; none when no program may be started. `dir` must be
    /// free of symlinks.
    pub(super) fn find(&self, name: &str, dir: &Path) -> Option<PathBuf> {
        search(&self.path, &format!("{name}{}", env::consts::EXE_SUFFIX), &foreign(dir))
    }

    /// `PATH` for a program that runs for what is in `dir`, in whose path there must be no symlinks: without the entries that are
    /// relative, or in the repository.
    pub fn path_for(&self, dir: &Path) -> OsString {
        let foreign = foreign(dir);
        let is_own = |entry: &PathBuf| {
            entry.is_absolute() && fs::canonicalize(entry).is_ok_and(|real| is_outside(&real, &foreign))
        };
        // Joining fails only for entries with a separator in them, and these were split at it.
        env::join_paths(env::split_paths(&self.path).filter(is_own)).unwrap_or_default()
    }
}

/// The folders from which nothing is started when `dir` is read: its repository (or `dir` itself, when it is in none) and that of the
/// working directory, each with the repositories that have it as a submodule.
fn foreign(dir: &Path) -> Vec<PathBuf> {
    let mut folders = vec![dir.to_owned()];
    let working_dir = fs::canonicalize(".").ok();
    for place in [Some(dir), working_dir.as_deref()].into_iter().flatten() {
        let mut top = repository::top_of(place);
        while let Some(found) = top {
            folders.push(found.to_owned());
            top = repository::superproject_of(found);
        }
    }
    folders
}

/// The first program with the file name `file` in the folders of `path` that is outside the folders `foreign`, which have no symlinks
/// in their paths.
fn search(path: &OsStr, file: &str, foreign: &[PathBuf]) -> Option<PathBuf> {
    env::split_paths(path).filter(|entry| entry.is_absolute()).map(|entry| entry.join(file)).find(|program| {
        let is_program = |real: &PathBuf| fs::metadata(real).is_ok_and(|found| is_executable_file(&found));
        fs::canonicalize(program).is_ok_and(|real| is_program(&real) && is_outside(&real, foreign))
    })
}

fn is_outside(real: &Path, foreign: &[PathBuf]) -> bool {
    !foreign.iter().any(|folder| real.starts_with(folder))
}

#[cfg(unix)]
fn is_executable_file(found: &Metadata) -> bool {
    found.is_file() && std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable_file(found: &Metadata) -> bool {
    found.is_file()
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
