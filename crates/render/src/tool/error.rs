//! The errors of rendering a directory, with advice.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

use confined::Status;
use system::PathText;
use text::Message;

use crate::tool::caller::Caller;
use crate::tool::cause::Cause;
use crate::tool::lack::Lack;
use crate::tool::remedy::Remedy;

/// Why a directory could not be rendered.
#[derive(Debug)]
pub enum RenderError {
    /// Creating or writing the private directory failed.
    PrivateDirectory(io::Error),
    /// This directory for temporary files is in the repository.
    TemporaryInRepository(PathBuf),
    /// A program is missing.
    NoProgram {
        /// The name of the program.
        program: &'static str,
        /// Who runs this program.
        caller: Caller,
    },
    /// Only kubectl is available, whose kustomize cannot apply this field.
    OnlyKubectl(&'static str),
    /// A program could not be started.
    NotStarted {
        /// The name of the call in messages, such as `helm template`.
        command: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A program took too long.
    TooLong {
        /// The name of the call in messages.
        command: &'static str,
        /// The time limit for the whole rendering.
        limit: Duration,
    },
    /// Reading the files of the repository took too long.
    NotReadInTime,
    /// A program printed too much.
    TooMuch {
        /// The name of the call in messages.
        command: &'static str,
    },
    /// A program exceeded the memory limit.
    OutOfMemory {
        /// The name of the call in messages.
        command: &'static str,
        /// The memory limit in bytes.
        limit: u64,
    },
    /// No memory for another rendering became free before the deadline.
    NoPlace {
        /// The number of renderings that may run at once.
        count: usize,
        /// The memory of each rendering, in bytes.
        each: u64,
        /// The memory limit of the container, in bytes.
        container: u64,
    },
    /// A program failed.
    Failed {
        /// The name of the call in messages.
        command: &'static str,
        /// The error message of the program, without usage and temporary paths.
        said: String,
        /// The exit status or signal.
        status: Status,
        /// The cause, if the error message says it.
        cause: Option<Cause>,
        /// The program worked in a copy of the source directory, without the folders around it.
        is_cut_out: bool,
    },
    /// The kernel denied a program access to a file.
    Closed {
        /// The name of the call in messages.
        command: &'static str,
        /// The path of the file: absolute, or relative to the repository for a file of git.
        path: PathBuf,
        /// True when the directory is not in a repository.
        is_alone: bool,
    },
    /// Reading a file or folder of the repository failed.
    Unreadable(PathBuf, io::Error),
    /// A symlink leads out of the repository.
    LeavesRepository(PathBuf),
    /// A kustomization uses a base outside of the repository, written like this.
    BaseOutside(String),
    /// The directory is not a chart.
    NoChart,
    /// The directory contains no kustomization.
    NoKustomization,
    /// helm would refuse the name of the release.
    ReleaseName {
        /// The name of the release.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// A Kubernetes version has the wrong format.
    KubeVersion {
        /// The parameter or variable that contains the version.
        of: &'static str,
        /// The version as written.
        version: String,
    },
    /// A value file, a file parameter or patches are refused with this message.
    Refused {
        /// The message, with its `help:` line.
        message: Box<Message>,
        /// Whether Argo CD may have what is missing.
        may_work_in_argocd: bool,
        /// What is missing, if anything is.
        lack: Option<Lack>,
    },
    /// A dependency of the chart is not available.
    Dependency {
        /// The message: the dependency and its repository.
        what: String,
        /// What makes it available.
        remedy: Remedy,
    },
    /// A template or a value needs one of these dependencies, which are replaced by empty charts.
    NeedsDependency {
        /// The dependencies that may have it.
        names: Vec<String>,
        /// The template or the value.
        what: String,
    },
    /// This file of the chart, which lists dependencies, cannot be parsed, for this reason.
    ChartFile(&'static str, String),
    /// The Application asks for a version of kustomize that is not on the platform owner's list.
    KustomizeVersion {
        /// The requested version.
        version: String,
        /// The listed versions, as text.
        known: String,
    },
}

/// The message about a path that the wall has denied to a tool (`walls.rs`). `is_alone` is true when the directory is not in a repository.
fn closed(command: &str, path: &Path, is_alone: bool) -> Message {
    let (whose, help) = match path.is_absolute() {
        true if is_alone => ("is outside the directory", ALONE),
        true => ("is outside the repository", INSIDE),
        false => ("is git's own", INSIDE),
    };
    Message::new(format!("`{command}` cannot open `{}`, which {whose}", path.shown())).help(help)
}

const INSIDE: &str =
    "copy what is needed into this repository, or refer to a base or a chart by the URL of its repository";
const ALONE: &str = "the directory is not in a Git repository, so nothing outside it is read: run the command in a checkout, or pass a folder that has both";

fn base_outside(written: &str) -> Message {
    Message::new(format!("the kustomization uses `{written}`, which is outside the repository"))
        .help("copy the base into this repository, or refer to it by the URL of its repository")
}

fn too_long(command: &str, seconds: u64) -> Message {
    Message::new(format!("`{command}` took longer than {seconds} s")).help(TIME)
}

impl RenderError {
    /// The error for a refusal with this message.
    pub(crate) fn refused(message: Message) -> Self {
        Self::Refused { message: Box::new(message), may_work_in_argocd: false, lack: None }
    }

    /// Whether Argo CD may be able to render what failed here: see `Error::may_work_in_argocd` of the crate `source`.
    pub fn may_work_in_argocd(&self, is_of_an_application: bool) -> bool {
        match self {
            Self::PrivateDirectory(_)
            | Self::TemporaryInRepository(_)
            | Self::TooLong { .. }
            | Self::OutOfMemory { .. }
            | Self::KustomizeVersion { .. } => true,
            Self::Failed { cause, is_cut_out, .. } => {
                *is_cut_out || cause.is_some_and(|cause| cause.may_work_in_argocd(is_of_an_application))
            }
            Self::Refused { may_work_in_argocd, .. } => *may_work_in_argocd,
            Self::Dependency { remedy, .. } => remedy.is_in_argocd(),
            _ => false,
        }
    }

    /// What is missing here; none if the message alone says it.
    pub fn lack(&self) -> Option<Lack> {
        match self {
            Self::Failed { cause, said, .. } => Some(Lack::of(*cause, said)),
            Self::Refused { lack, .. } => lack.clone(),
            Self::Dependency { remedy: Remedy::VendorOrAllow, .. } => Some(Lack::Network),
            Self::NeedsDependency { names, .. } => Some(Lack::Dependency(names.clone())),
            _ => None,
        }
    }

    /// The message about the directory `dir`, with its `help:` line.
    pub fn message(&self, dir: &Path) -> Message {
        match self {
            Self::PrivateDirectory(error) => {
                Message::new(format!("cannot write temporary files: {error}")).help("make the directory in `TMPDIR` (by default `/tmp`) writable")
            }
            Self::TemporaryInRepository(path) => {
                let path = path.shown();
                Message::new(format!("the directory for temporary files `{path}` is in the repository, where charts could read them"))
                    .help("set `TMPDIR` to a directory outside the repository")
            }
            Self::NoProgram { program, caller } => caller.without(program, dir),
            Self::OnlyKubectl(field) => only_kubectl(field),
            Self::NotStarted { command, error } => Message::new(format!("cannot start `{command}`: {error}")),
            Self::TooLong { command, limit } => too_long(command, limit.as_secs()),
            Self::NotReadInTime => Message::new("the files of the repository could not be read in time").help(TIME),
            Self::TooMuch { command } => Message::new(format!("`{command}` printed more than 100 MiB"))
                .help("Argo CD accepts no more than that from a plugin; split the Application"),
            Self::OutOfMemory { command, limit } => {
                Message::new(format!("`{command}` ran out of memory; its limit is {} MiB", limit >> 20)).help(
                    "look for a template that grows without end; the limit is set by `ARGOCD_JOBS_RENDER_MEMORY` and by the container's memory",
                )
            }
            Self::NoPlace { count, each, container } => no_place(*count, each >> 20, container >> 20),
            Self::Failed { command, said, status, cause, .. } => {
                Message { help: cause.map(|cause| cause.help().to_owned()), ..failed(command, said, *status) }
            }
            Self::Closed { command, path, is_alone } => closed(command, path, *is_alone),
            Self::Unreadable(path, error) => Message::new(format!("`{}` cannot be read: {error}", path.shown())),
            Self::BaseOutside(written) => base_outside(written),
            Self::LeavesRepository(path) => {
                Message::new(format!("the symlink `{}` leads out of the repository", path.shown()))
                    .help("put a copy of the file in its place")
            }
            Self::NoChart => Message::new("there is no `Chart.yaml` here").help(
                "pass the directory of one chart; a directory is read as a chart if `source` is `helm`, if a parameter for helm is set, or if the name of a file ends in \
                 `Chart.yaml`; set `source: directory` (`--source directory`) if it is not a chart",
            ),
            Self::NoKustomization => Message::new("there is no `kustomization.yaml` here")
                .help("a directory is read as a kustomization if `source` is `kustomize` or a parameter for kustomize is set; remove these if it is not one"),
            Self::ReleaseName { name, why } => {
                Message::new(format!("Helm does not accept the release name `{name}`: {why}"))
                    .help("set `helm.releaseName`; by default it is the name of the Application")
            }
            Self::KubeVersion { of, version } => {
                Message::new(format!("`{of}`: `{version}` is not a Kubernetes version")).help("write the version as in `1.34.2`")
            }
            Self::Refused { message, .. } => (**message).clone(),
            Self::Dependency { what, remedy } => Message::new(what).help(remedy.help()),
            Self::NeedsDependency { names, what } => needs_dependency(names, what),
            Self::ChartFile(file, why) => Message::new(format!("`{file}` cannot be parsed: {why}")),
            Self::KustomizeVersion { version, known } => {
                Message::new(format!("there is no kustomize `{version}` here, only {known}")).help(
                    "remove `kustomize.version` to run the one on `PATH`; others are listed in `ARGOCD_JOBS_KUSTOMIZE_VERSIONS`",
                )
            }
        }
    }
}

fn needs_dependency(names: &[String], what: &str) -> Message {
    let (one, are) = if names.len() == 1 { ("the dependency", "is") } else { ("one of the dependencies", "are") };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let text = format!("needs {one} {}, which {are} not in `charts`: {what}", names.join(", "));
    Message::new(text).help("run `helm dependency build` in the folder of the chart")
}

fn only_kubectl(field: &str) -> Message {
    Message::new(format!("there is no `kustomize` on PATH, and `kubectl kustomize` cannot set `{field}`"))
        .help("install `kustomize` (https://kubectl.docs.kubernetes.io/installation/kustomize/), or write the field into the kustomization")
}

const TIME: &str = "the limit is set by `ARGOCD_JOBS_RENDER_TIMEOUT`; Argo CD itself gives a plugin about 60 s";

fn failed(command: &str, said: &str, status: Status) -> Message {
    let said = match (said, status) {
        ("", Status::Exited(status)) => format!("exit status {status}, without a message"),
        ("", Status::Killed(signal)) => format!("it was killed by signal {signal}"),
        (said, Status::Killed(signal)) => format!("{said} (killed by signal {signal})"),
        (said, Status::Exited(_)) => said.to_owned(),
    };
    Message::of_lines(&format!("`{command}` failed: {said}"))
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message(Path::new("DIR")).fmt(f)
    }
}

/// The message that no memory became free before the deadline. The sizes are in MiB.
fn no_place(count: usize, each: u64, container: u64) -> Message {
    let fit = if count == 1 { "one rendering".to_owned() } else { format!("{count} renderings") };
    Message::new(format!(
        "there was no memory for another rendering in time: {fit} of {each} MiB fit into the {container} MiB of the container at once"
    ))
    .help("raise the memory limit of the container, or lower `ARGOCD_JOBS_RENDER_MEMORY`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_tool_failed_is_told_in_its_own_words() {
        let text = |said, status| failed("helm template", said, status).text;
        assert_eq!(text("no such chart", Status::Exited(1)), "`helm template` failed: no such chart");
        assert_eq!(text("", Status::Exited(7)), "`helm template` failed: exit status 7, without a message");
        assert_eq!(text("", Status::Killed(11)), "`helm template` failed: it was killed by signal 11");
        assert_eq!(text("oh", Status::Killed(6)), "`helm template` failed: oh (killed by signal 6)");
    }
}
