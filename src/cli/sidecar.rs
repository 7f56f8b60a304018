//! `argocd-jobs sidecar PROGRAM [ARGUMENTS…]`: logs how Helm and kustomize are confined in the container, and becomes argocd-cmp-server.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use confined::Wall;
use deployment::Environment;
use kube_jobs::argocd::Version;
use render::version_of;
use rewrite::settings::{ApplicationSettings, PlatformSettings, RawLayers};
use source::{Source, read_layers};
use system::PathText;
use text::Message;

use super::status::Status;

/// The arguments of `sidecar`.
pub(super) fn command() -> Command {
    Command::new("sidecar")
        .about(
            "Log what confines Helm and kustomize on this machine, then become PROGRAM; the plugin's container starts with this command",
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

/// The variable that says which Argo CD runs the plugin.
const ARGOCD_VERSION: &str = "ARGOCD_JOBS_ARGOCD_VERSION";

/// Prints what confines the tools on standard error, where `kubectl logs` shows it, and warns of tools in other versions than Argo CD has. A wrong setting is not an error here, but in each rendering: if the
/// server did not start, the pod of repo-server would not become ready.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let mut words = matches.get_many::<OsString>("PROGRAM").into_iter().flatten();
    let program = words.next().ok_or_else(|| anyhow!("no program"))?;
    let settings = settings(environment).unwrap_or_default();
    let line = |text: String| format!("argocd-jobs {}: {text}\n", env!("CARGO_PKG_VERSION"));
    let mut text = line(confinement(&settings.platform));
    if environment.get(ARGOCD_VERSION).is_some() {
        text.extend(other_tools(settings.output.argocd_version, environment).map(line));
    }
    // Nothing can be done about a closed standard error.
    drop(io::stderr().write_all(text.as_bytes()));
    let mut command = confined::Command::new(program);
    command.args(words);
    let error = confined::become_program(command);
    let message = Message::new(format!("cannot start `{}`: {error}", Path::new(program).shown()))
        .help("the init container `copyutil` of repo-server puts argocd-cmp-server into the volume `var-files`: mount it at `/var/run/argocd`");
    Err(anyhow!(message))
}

/// A warning for each tool that is not that of this Argo CD. A tool whose version cannot be found out gets none.
fn other_tools(version: Version, environment: &Environment) -> impl Iterator<Item = String> {
    let (tools, rendering) = (environment.tools(), environment.rendering());
    let found = move |program: &'static str| {
        let launcher = env::current_exe().ok()?;
        let found = version_of(program, &tools, &rendering.temporary, &launcher, &rendering.temporary)?;
        let warning = version.differs(program, &found)?;
        Some(format!(
            "warning: {warning}, so manifests can differ from those of Argo CD; use the image whose tag ends in `-argocd{}`",
            version.without_patch()
        ))
    };
    ["helm", "kustomize"].into_iter().filter_map(found)
}

/// The settings of the platform owner for all Applications; none if one of them is wrong.
fn settings(environment: &Environment) -> Option<ApplicationSettings> {
    let texts = RawLayers { environment: &environment.variables, ..RawLayers::default() };
    let mut nothing = Source::files(Vec::<(&str, &str)>::new());
    Some(read_layers(&mut nothing, &texts).ok()?.application())
}

fn confinement(platform: &PlatformSettings) -> String {
    let wall = match confined::wall() {
        Wall::Kernel => "the kernel (Landlock) keeps helm and kustomize inside the repository",
        Wall::Reading => {
            "this kernel has no Landlock: the plugin reads charts and kustomizations before helm and kustomize do, and refuses those that \
             lead out of the repository or that it cannot judge"
        }
    };
    format!("{wall}; {}", memory(platform.memory))
}

/// How many renderings can run at once, and how much memory each may take: the end of the line.
fn memory(wanted: u64) -> String {
    let Some(share) = confined::Share::of_container(wanted) else {
        return format!("each rendering may take {} MiB, and any number can run at once", wanted >> 20);
    };
    let (each, container) = (share.each >> 20, share.container >> 20);
    let less = if share.each < wanted { format!(" ({} MiB do not fit)", wanted >> 20) } else { String::new() };
    match share.count {
        1 => format!("one rendering runs at a time, with up to {each} MiB{less} of the container's {container} MiB"),
        count => format!(
            "at most {count} renderings run at once, each with up to {each} MiB of the container's {container} MiB"
        ),
    }
}
