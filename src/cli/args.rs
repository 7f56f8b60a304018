//! Arguments that several subcommands have. One flag for each parameter comes from the table of parameters.

use std::path::Path;

use anyhow::Result;
use argocd_jobs::settings::{
    CliParameter, Error, ErrorKind, Parameter, Position, Provenance, Scope, SourceKind, ValueType,
};
use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};

use super::choice::When;
use super::values;

/// When text is coloured.
pub(super) fn color() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .help("Colour the text; `auto` does it on a terminal, where NO_COLOR is not set")
        .default_value("auto")
        .value_parser(value_parser!(When))
}

/// Another version of the manifests.
pub(super) fn base(help: &'static str) -> Arg {
    Arg::new("base").long("base").value_name("DIR|REV|FILE").help(help).allow_hyphen_values(true)
}

/// Where the manifests are.
pub(super) fn source() -> Arg {
    Arg::new("DIR")
        .help("The Application's source directory, or a file with manifests; `-` reads them from standard input")
        .value_hint(ValueHint::AnyPath)
        .default_value(".")
}

/// The source directory or file as it was typed; `-` for standard input.
pub(super) fn dir(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("DIR").map_or(".", String::as_str)
}

/// The flags of settings, and where else settings come from.
pub(super) fn settings_flags() -> impl Iterator<Item = Arg> {
    let set = Arg::new("set")
        .long("set")
        .value_name("NAME=VALUE")
        .help("Set a parameter by its name; of several for one parameter the last one wins")
        .allow_hyphen_values(true)
        .action(ArgAction::Append);
    let application_parameters = Arg::new("application-parameters")
        .long("application-parameters")
        .help("Read ARGOCD_APP_PARAMETERS with `-` too, where it may be another plugin's")
        .action(ArgAction::SetTrue);
    flagged().map(flag).chain(values::flags()).chain([set, application_parameters])
}

/// The parameters that have a flag. Hashes are written with `--set`: `--baseline` prints them.
pub(super) fn flagged() -> impl Iterator<Item = &'static Parameter> {
    Parameter::at(Position::Platform).filter(|parameter| parameter.value_type != ValueType::Hashes)
}

/// Under which heading of the help a flag is; none for those of every source.
fn heading(parameter: &Parameter) -> Option<&'static str> {
    match (parameter.scope, parameter.tool()) {
        (Scope::Platform, _) => Some("What helm and kustomize may do"),
        (_, Some(SourceKind::Helm)) => Some("Helm"),
        (_, Some(_)) => Some("kustomize"),
        (_, None) => None,
    }
}

fn flag(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(parameter.name).long(parameter.name).help(parameter.summary).action(ArgAction::Append);
    let arg = arg.help_heading(heading(parameter));
    if parameter.value_type == ValueType::Switch {
        let arg = arg.num_args(0..=1).require_equals(true);
        return arg.default_missing_value("true").value_name("true|false");
    }
    if let ValueType::Block(_) = parameter.value_type {
        let arg = arg.value_name("YAML|@FILE").value_hint(ValueHint::FilePath);
        return arg.long_help(format!(
            "{}\nTakes {}, or `@` and the path of a file with it",
            parameter.summary, parameter.expected
        ));
    }
    arg.value_name("VALUE")
        .allow_hyphen_values(true)
        .long_help(format!("{}\nTakes {}", parameter.summary, parameter.expected))
}

/// The parameters that were typed, in their order. `dir` is the source directory; none for standard input.
pub(super) fn typed(matches: &ArgMatches, dir: Option<&Path>) -> Result<Vec<CliParameter>> {
    let mut typed: Vec<(usize, CliParameter)> = Vec::new();
    for parameter in flagged() {
        let name = parameter.name;
        for (index, value) in occurrences(matches, name) {
            let written = format!("--{name}");
            let (value, written) = match parameter.value_type {
                ValueType::Block(_) => values::block(&written, &value)?,
                _ => (value, written),
            };
            typed.push((index, CliParameter { name: name.to_owned(), written, value: value.into() }));
        }
    }
    for (index, pair) in occurrences(matches, "set") {
        let Some((name, value)) = pair.split_once('=') else {
            let wrong = ErrorKind::Value { value: pair, expected: "`NAME=VALUE`", nearest: None };
            return Err(Error::new(Provenance::CommandLine("--set".to_owned()), wrong).into());
        };
        typed.push((index, CliParameter { name: name.to_owned(), written: name.to_owned(), value: value.into() }));
    }
    typed.sort_by_key(|(index, _)| *index);
    Ok(typed.into_iter().map(|(_, typed)| typed).chain(values::typed(matches, dir)?).collect())
}

fn occurrences(matches: &ArgMatches, id: &str) -> Vec<(usize, String)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<String>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}
