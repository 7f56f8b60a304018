//! The wrappers: this program under the names `git` and `helm`, in the only directory of kustomize's `PATH`.
//!
//! kustomize hands words of a repository to git and helm as they are, and two holes of it let a repository run programs:
//! GHSA-9v9p-x54c-58gc (git) and GHSA-fw5c-w8rc-j7fx (helm). Argo CD has closed them in 3.3.19, 3.4.13, 3.5.7 and 3.6.1 with wrappers
//! (`util/kustomize/gitwrapper.go`, `helmwrapper.go`). These do the same, and let through only what kustomize itself asks for.
//!
//! A wrapper learns from its environment which program it stands for. It removes these variables before it becomes that program:
//!
//! | variable | what it holds |
//! |---|---|
//! | `ARGOCD_JOBS_REAL_GIT` | the absolute path of the real git |
//! | `ARGOCD_JOBS_REAL_HELM` | the absolute path of the real helm |
//! | `ARGOCD_JOBS_HELM_HOME` | a directory with an empty `home` and a `cache`, for helm |
//! | `ARGOCD_JOBS_CHARTS` | the directories that charts may be in, as in `PATH` |

mod git;
mod helm;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::{limits, tree};

/// The directory for helm below the directory of the wrappers.
const HELM_DIR: &str = "helm-home";

/// Exit status when something is refused, as in Argo CD's wrappers.
const REFUSED: u8 = 1;

/// A program that a wrapper stands for.
struct Real {
    /// The name of the wrapper, which is what kustomize looks for.
    name: &'static str,
    /// The variable with the path of the real program.
    variable: &'static str,
}

/// The variable with the path of the real git.
pub const REAL_GIT: &str = "ARGOCD_JOBS_REAL_GIT";

/// The variable with the path of the real helm.
pub const REAL_HELM: &str = "ARGOCD_JOBS_REAL_HELM";

const GIT: Real = Real { name: "git", variable: REAL_GIT };
const HELM: Real = Real { name: "helm", variable: REAL_HELM };

/// The variable with the directory for helm.
const HELM_HOME: &str = "ARGOCD_JOBS_HELM_HOME";

/// The variable with the directories that charts may be in.
const CHARTS: &str = "ARGOCD_JOBS_CHARTS";

/// Looks at a chart before helm does; the message says why helm must not.
pub type CheckChart<'c> = &'c dyn Fn(&Path) -> Result<(), String>;

/// What a wrapper runs instead of what it was asked for.
struct Call {
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

/// Puts wrappers for the given programs into `dir`, which is private, and returns the variables that kustomize gets: `PATH` and those
/// above. `launcher` is the path of this program, and `charts` the directories that charts may be in. All paths are absolute, and the last
/// ones without symlinks. Without `git`, kustomize says that there is no git.
pub fn install(
    dir: &Path,
    launcher: &Path,
    git: Option<&Path>,
    helm: Option<&Path>,
    charts: &[&Path],
) -> io::Result<Vec<(OsString, OsString)>> {
    let mut variables = vec![("PATH".into(), dir.into())];
    for (real, path) in [(GIT, git), (HELM, helm)] {
        if let Some(path) = path {
            std::os::unix::fs::symlink(launcher, dir.join(real.name))?;
            variables.push((real.variable.into(), path.into()));
        }
    }
    if helm.is_some() {
        let home = dir.join(HELM_DIR);
        tree::make(&home)?;
        for part in [helm::EMPTY, helm::CACHE] {
            tree::make(&home.join(part))?;
        }
        // `helmCharts[].chartHome` says where charts are unpacked: not where helm looks for plugins.
        fs::set_permissions(home.join(helm::EMPTY), std::os::unix::fs::PermissionsExt::from_mode(0o500))?;
        variables.push((HELM_HOME.into(), home.into()));
        variables.push((CHARTS.into(), std::env::join_paths(charts).map_err(io::Error::other)?));
    }
    Ok(variables)
}

/// Plays a wrapper when `name` is the name of one, and returns only when it refuses or fails.
pub(super) fn play(
    name: &str,
    arguments: &mut dyn Iterator<Item = OsString>,
    variable: &dyn Fn(&str) -> Option<OsString>,
    check_chart: CheckChart<'_>,
) -> Option<ExitCode> {
    let real = [GIT, HELM].into_iter().find(|real| real.name == name)?;
    let arguments: Vec<OsString> = arguments.collect();
    let message = match become_real(&real, arguments, variable, check_chart) {
        Ok(never) => match never {},
        Err(message) => message,
    };
    // Nothing can be done about a closed standard error.
    drop(writeln!(io::stderr(), "{name} wrapper: {message}"));
    Some(ExitCode::from(REFUSED))
}

/// Becomes the real program; the message says why not.
fn become_real(
    real: &Real,
    arguments: Vec<OsString>,
    variable: &dyn Fn(&str) -> Option<OsString>,
    check_chart: CheckChart<'_>,
) -> Result<std::convert::Infallible, String> {
    let missing = |name: &str| format!("{name} is not set: only argocd-jobs itself starts this");
    let path = variable(real.variable).ok_or_else(|| missing(real.variable))?;
    let call = if real.name == GIT.name {
        git::call(arguments, Path::new(&path), variable)?
    } else {
        let home = variable(HELM_HOME).ok_or_else(|| missing(HELM_HOME))?;
        let charts = variable(CHARTS).ok_or_else(|| missing(CHARTS))?;
        let within: Vec<PathBuf> = std::env::split_paths(&charts).collect();
        helm::call(arguments, Path::new(&home), &within, check_chart)?
    };
    // The limits of kustomize are inherited, its parent-death signal is not. A wrapper cannot know the number of kustomize, which is never the
    // first process of a container, which is what the parent of orphans is.
    let parent = limits::parent();
    limits::die_with(|| parent != Some(1) && limits::parent() == parent).map_err(|error| error.to_string())?;
    let mut command = Command::new(&path);
    command.args(call.arguments).envs(call.environment);
    for name in [GIT.variable, HELM.variable, HELM_HOME, CHARTS] {
        command.env_remove(name);
    }
    Err(format!("{}: {}", Path::new(&path).display(), command.exec()))
}

/// The arguments as text, which is looked at in the place of the arguments themselves. A path that is not UTF-8 would pass unseen, so it is an error.
fn texts(arguments: &[OsString]) -> Result<Vec<&str>, String> {
    let text = |argument| OsStr::to_str(argument).ok_or_else(|| "an argument is not UTF-8, refusing".to_owned());
    arguments.iter().map(|argument| text(argument.as_os_str())).collect()
}
