//! `argocd-jobs sidecar PROGRAM [ARGUMENTS…]`: says in the log of the container what holds there, and becomes argocd-cmp-server.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, anyhow};
use argocd_jobs::process::{self, Wall};
use argocd_jobs::settings::{PlatformSettings, RawLayers};
use argocd_jobs::source::Source;
use argocd_jobs::text::Message;
use argocd_jobs::version::read_layers;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};

use super::environment::Environment;
use super::status::Status;

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("sidecar")
        .about(
            "Say how Helm and kustomize are confined here, then become PROGRAM; the plugin's container starts with it",
        )
        .hide(true)
        .after_help("Exit status: that of PROGRAM, or 2 if it cannot be started.")
        .arg(
            Arg::new("PROGRAM")
                .help("The path of the program, and its arguments")
                .required(true)
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_hint(ValueHint::CommandWithArguments)
                .value_parser(value_parser!(OsString)),
        )
}

/// Prints on standard error, where `kubectl logs` shows it. A wrong setting is an error of each rendering, and never of the server: without a
/// server the pod of repo-server is not ready.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let mut words = matches.get_many::<OsString>("PROGRAM").into_iter().flatten();
    let program = words.next().ok_or_else(|| anyhow!("no program"))?;
    let platform = platform(environment).unwrap_or_default();
    let text = format!("argocd-jobs {}: {}\n", env!("CARGO_PKG_VERSION"), confinement(&platform));
    // Nothing can be done about a closed standard error.
    drop(io::stderr().write_all(text.as_bytes()));
    let mut command = process::Command::new(program);
    command.args(words);
    let error = process::become_program(command);
    let message = Message::new(format!("cannot start `{}`: {error}", Path::new(program).display()))
        .help("the init container `copyutil` of repo-server puts argocd-cmp-server into the volume `var-files`: mount it at `/var/run/argocd`");
    Err(anyhow!(message))
}

/// The settings of the platform owner for all Applications; none when there is something wrong with them.
fn platform(environment: &Environment) -> Option<PlatformSettings> {
    let texts = RawLayers { environment: &environment.variables, ..RawLayers::default() };
    let mut nothing = Source::files(Vec::<(&str, &str)>::new());
    Some(read_layers(&mut nothing, &texts).ok()?.application().platform)
}

fn confinement(platform: &PlatformSettings) -> String {
    let wall = match process::wall() {
        Wall::Kernel => "the kernel (Landlock) keeps helm and kustomize inside of the repository",
        Wall::Reading => {
            "this kernel has no Landlock: charts and kustomizations are read before helm and kustomize read them, and what leads out of the \
             repository or cannot be decided is refused"
        }
    };
    format!("{wall}; {}", memory(platform.memory))
}

/// How many renderings there may be at once.
#[cfg(target_os = "linux")]
fn memory(wanted: u64) -> String {
    let Some(share) = process::Share::of_container(wanted) else {
        return format!("each rendering may take {} MiB, and nothing limits their number", wanted >> 20);
    };
    let (each, container) = (share.each >> 20, share.container >> 20);
    let less = if share.each < wanted { format!(" (not {}, which do not fit)", wanted >> 20) } else { String::new() };
    match share.count {
        1 => format!("one rendering at a time may take {each} MiB{less} of the container's {container} MiB"),
        count => format!("{count} renderings at once may take {each} MiB each of the container's {container} MiB"),
    }
}

#[cfg(not(target_os = "linux"))]
fn memory(wanted: u64) -> String {
    format!("each rendering may take {} MiB", wanted >> 20)
}
