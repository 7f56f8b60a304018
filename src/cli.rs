//! The command line: what can be typed. One flag for each parameter comes from the table of parameters.

use argocd_jobs::settings::parameter::{PARAMETERS, Parameter, Scope};
use argocd_jobs::settings::{self, SetBy, Settings};
use argocd_jobs::source::{Recurse, SourceKind};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

/// The command line as clap knows it.
pub(crate) fn command() -> Command {
    Command::new("argocd-jobs")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Makes Kubernetes Jobs work under Argo CD")
        .long_about(
            "Makes Kubernetes Jobs work under Argo CD.\n\n\
             Many fields of a Job are immutable, so the first change of an image ends in `field is immutable`. This program \
             rewrites the Jobs of an Application so that they can be applied again and again, and leaves every other byte as it was.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(generate())
}

fn generate() -> Command {
    let parameters = PARAMETERS.iter().filter(|parameter| parameter.scope != Scope::Job);
    Command::new("generate")
        .about("Print the manifests as a YAML stream in which every Job can be applied again")
        .after_help("Exit status: 0 done, 2 could not do it; then nothing is on standard output.")
        .arg(
            Arg::new("DIR")
                .help("The Application's source directory; `-` reads manifests from standard input")
                .default_value("."),
        )
        .args(parameters.map(flag))
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("NAME=VALUE")
                .help("Set a parameter by its name; of several for one parameter the last one wins")
                .action(ArgAction::Append),
        )
        .args(source())
        .arg(
            Arg::new("allow-empty")
                .long("allow-empty")
                .help("An output without any object is meant, although it deletes what is live")
                .action(ArgAction::SetTrue),
        )
}

fn flag(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(parameter.name).long(parameter.name).help(parameter.summary).action(ArgAction::Append);
    if parameter.expected == "`true` or `false`" {
        let arg = arg.num_args(0..=1).require_equals(true);
        return arg.default_missing_value("true").value_name("true|false");
    }
    arg.value_name("VALUE")
        .allow_hyphen_values(true)
        .long_help(format!("{}\nTakes {}", parameter.summary, parameter.expected))
}

fn source() -> [Arg; 4] {
    let glob = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("GLOB").help(help).allow_hyphen_values(true)
    };
    [
        Arg::new("source")
            .long("source")
            .value_name("SOURCE")
            .help("What the directory is; `auto` detects it as Argo CD does")
            .value_parser(value_parser!(String))
            .default_value("auto"),
        Arg::new("recurse").long("recurse").help("Read the directories below too").action(ArgAction::SetTrue),
        glob("include", "Read only paths that match; `*` also crosses `/`"),
        glob("exclude", "Leave out paths that match, also when they are included"),
    ]
}

/// The settings that were typed, as one layer.
pub(crate) fn settings(matches: &ArgMatches) -> Result<Settings, settings::Error> {
    let mut typed: Vec<(usize, String, String, String)> = Vec::new();
    for id in PARAMETERS.iter().filter(|parameter| parameter.scope != Scope::Job).map(|parameter| parameter.name) {
        for (index, value) in occurrences(matches, id) {
            typed.push((index, id.to_owned(), format!("--{id}"), value));
        }
    }
    for (index, pair) in occurrences(matches, "set") {
        let (name, value) = pair.split_once('=').unwrap_or((pair.as_str(), ""));
        typed.push((index, name.to_owned(), name.to_owned(), value.to_owned()));
    }
    typed.sort_by_key(|(index, ..)| *index);
    let mut settings = Settings::default();
    for (_, name, written, value) in typed {
        settings::parameter::set_for_application(&mut settings, &name, &written, &value, SetBy::CommandLine)?;
    }
    Ok(settings)
}

fn occurrences(matches: &ArgMatches, id: &str) -> Vec<(usize, String)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<String>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}

/// `--source`
pub(crate) fn source_kind(matches: &ArgMatches) -> Result<SourceKind, settings::Error> {
    let value = matches.get_one::<String>("source").map_or("auto", String::as_str);
    SourceKind::parse(value).ok_or_else(|| {
        settings::Error::unknown_value("--source", value, "`auto`, `directory`, `kustomize` or `helm`", SourceKind::IDS)
    })
}

/// `--recurse`
pub(crate) fn recurse(matches: &ArgMatches) -> Recurse {
    if matches.get_flag("recurse") { Recurse::Yes } else { Recurse::No }
}
