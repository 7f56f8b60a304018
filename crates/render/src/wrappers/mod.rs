//! The wrappers: this program under the names `git` and `helm`, in the only directory of kustomize's `PATH`.
//!
//! kustomize passes words from a repository to git and helm unchanged, and two vulnerabilities let a repository run
//! programs that way: GHSA-9v9p-x54c-58gc (git) and GHSA-fw5c-w8rc-j7fx (helm). Argo CD fixed them in 3.3.19, 3.4.13,
//! 3.5.7 and 3.6.1 with wrappers (`util/kustomize/gitwrapper.go`, `helmwrapper.go`). These wrappers do the same: they
//! allow only calls that kustomize itself makes.
//!
//! The environment says which program a wrapper replaces. It removes these variables before it becomes that
//! program:
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
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use confined::{Command, HAS_LAUNCHER, become_program, die_with_parent};
use system::{PathText, own_folder, symlink};

/// The directory for helm, relative to the directory of the wrappers.
const HELM_DIR: &str = "helm-home";

/// The exit status of a refusal, as in Argo CD's wrappers.
const REFUSED: u8 = 1;

/// A program that a wrapper replaces.
struct Real {
    /// The name of the wrapper: the name under which kustomize looks for the program.
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

/// The variable with the path of the directory for helm.
const HELM_HOME: &str = "ARGOCD_JOBS_HELM_HOME";

/// The variable with the directories that may contain charts.
const CHARTS: &str = "ARGOCD_JOBS_CHARTS";

/// The call that a wrapper makes in place of the one it got.
struct Call {
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

/// Puts wrappers for the given programs into `dir`, which is private, and returns the variables for kustomize: `PATH`
/// and those above. `launcher` is the path of this program; `charts` are the directories that may contain charts. All
/// paths are absolute, and `charts` have no symlinks. Without `git`, kustomize reports that there is no git.
pub fn install(
    dir: &Path,
    launcher: &Path,
    git: Option<&Path>,
    helm: Option<&Path>,
    charts: &[&Path],
) -> io::Result<Vec<(OsString, OsString)>> {
    if !HAS_LAUNCHER && (git.is_some() || helm.is_some()) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "kustomize can run git and helm only on Linux"));
    }
    let mut variables = vec![("PATH".into(), dir.into())];
    for (real, path) in [(GIT, git), (HELM, helm)] {
        if let Some(path) = path {
            symlink(launcher, dir.join(real.name))?;
            variables.push((real.variable.into(), path.into()));
        }
    }
    if helm.is_some() {
        let home = dir.join(HELM_DIR);
        own_folder().create(&home)?;
        for part in [helm::EMPTY, helm::CACHE] {
            own_folder().create(home.join(part))?;
        }
        // `helmCharts[].chartHome` chooses where charts are unpacked: it must not be where helm looks for plugins.
        let empty = home.join(helm::EMPTY);
        let mut permissions = fs::metadata(&empty)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(empty, permissions)?;
        variables.push((HELM_HOME.into(), home.into()));
        variables.push((CHARTS.into(), std::env::join_paths(charts).map_err(io::Error::other)?));
    }
    Ok(variables)
}

/// Does the work of a wrapper if `name` is the name of one. Returns only when the wrapper refuses the call or fails.
pub(crate) fn play(
    name: &str,
    arguments: &mut dyn Iterator<Item = OsString>,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Option<ExitCode> {
    let real = [GIT, HELM].into_iter().find(|real| real.name == name)?;
    let arguments: Vec<OsString> = arguments.collect();
    let message = match become_real(&real, arguments, variable) {
        Ok(never) => match never {},
        Err(message) => message,
    };
    // Nothing can be reported when standard error is closed.
    drop(writeln!(io::stderr(), "{name} wrapper: {message}"));
    Some(ExitCode::from(REFUSED))
}

/// Becomes the real program; the error is the reason why that is refused or failed.
fn become_real(
    real: &Real,
    arguments: Vec<OsString>,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<std::convert::Infallible, String> {
    let missing = |name: &str| format!("{name} is not set: only argocd-jobs itself starts this");
    let path = variable(real.variable).ok_or_else(|| missing(real.variable))?;
    let call = if real.name == GIT.name {
        git::call(arguments, Path::new(&path), variable)?
    } else {
        let home = variable(HELM_HOME).ok_or_else(|| missing(HELM_HOME))?;
        let charts = variable(CHARTS).ok_or_else(|| missing(CHARTS))?;
        let within: Vec<PathBuf> = std::env::split_paths(&charts).collect();
        helm::call(arguments, Path::new(&home), &within)?
    };
    // The wrapper inherits the limits of kustomize, but not its parent-death signal.
    die_with_parent().map_err(|error| error.to_string())?;
    let mut command = Command::new(&path);
    command.args(call.arguments).envs(call.environment);
    for name in [GIT.variable, HELM.variable, HELM_HOME, CHARTS] {
        command.env_remove(name);
    }
    Err(format!("{}: {}", Path::new(&path).shown(), become_program(command)))
}

/// The arguments as texts, for the checks. An argument that is not UTF-8 would escape the checks, so it is an error.
fn texts(arguments: &[OsString]) -> Result<Vec<&str>, String> {
    let text = |argument| OsStr::to_str(argument).ok_or_else(|| "an argument is not UTF-8, refusing".to_owned());
    arguments.iter().map(|argument| text(argument.as_os_str())).collect()
}
