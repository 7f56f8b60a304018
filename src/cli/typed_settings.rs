//! The flags of settings. One flag for each parameter comes from the table of parameters.

use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use deployment::typed_settings::{TypedSettings, flagged};
use deployment::value_flags::block;
use rewrite::settings::{CliParameter, Error, ErrorKind, Id, Parameter, Provenance, Scope, SourceKind, ValueType};
use text::capitalized;

use super::flags::{flag, switch};
use super::{help, value_flags};

/// The parameters that the short help shows, which is for a first look.
const IN_SHORT_HELP: [&str; 6] = ["strategy", "hook", "deadline", "source", "recurse", "exclude"];

/// The flags of settings, and where else settings come from.
pub(super) fn flags() -> impl Iterator<Item = Arg> {
    let set = flag("set", "NAME=VALUE")
        .help("Set a parameter by its name, also one that has no flag; the last value wins")
        .allow_hyphen_values(true)
        .action(ArgAction::Append);
    let application_parameters = switch("application-parameters")
        .help("Read ARGOCD_APP_PARAMETERS even with `-`, when it may belong to another plugin")
        .hide_short_help(true);
    flagged().map(flag_of).chain(value_flags::flags()).chain([set, application_parameters])
}

/// Under which heading of the help the flag of a parameter is.
fn heading(parameter: &Parameter) -> &'static str {
    match (parameter.scope, parameter.tool()) {
        (Scope::Platform, _) => "What helm and kustomize may do",
        (_, Some(SourceKind::Helm)) => help::HELM,
        (_, Some(_)) => "kustomize",
        (_, None) if parameter.id == Id::ArgoCdVersion => "Argo CD",
        (_, None) if parameter.is_about_the_source() => "Source",
        (_, None) => "Job defaults",
    }
}

fn flag_of(parameter: &'static Parameter) -> Arg {
    let long = match parameter.value_type {
        ValueType::Block(_) => format!("{} `@FILE` reads it from a file.", parameter.description()),
        // The name of its value says the rest.
        ValueType::Switch | ValueType::Choice(_) if parameter.value_name.contains('|') => {
            format!("{}.", capitalized(parameter.summary))
        }
        _ => parameter.description(),
    };
    let default = match (parameter.id, parameter.default) {
        // On the command line another default holds, which its summary says.
        (Id::Network, _) | (_, "") => String::new(),
        (_, default) => format!("\n\n[default: {default}]"),
    };
    let arg = flag(parameter.name, parameter.value_name)
        .help(capitalized(parameter.summary))
        .long_help(format!("{long}{default}"))
        .help_heading(heading(parameter))
        .hide_short_help(!IN_SHORT_HELP.contains(&parameter.name))
        .action(ArgAction::Append);
    match parameter.value_type {
        ValueType::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        ValueType::Block(_) => arg.value_hint(ValueHint::FilePath),
        _ => arg.allow_hyphen_values(true),
    }
}

/// Takes the flags of settings from the matches of a subcommand, and reads the files that they name with `@FILE`.
pub(super) fn of(matches: &ArgMatches) -> Result<TypedSettings> {
    let mut typed: Vec<(usize, CliParameter)> = Vec::new();
    for parameter in flagged() {
        let name = parameter.name;
        for (index, value) in occurrences(matches, name) {
            let written = format!("--{name}");
            let (value, written) = match parameter.value_type {
                ValueType::Block(_) => block(&written, &value)?,
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
    Ok(TypedSettings {
        parameters: typed.into_iter().map(|(_, typed)| typed).collect(),
        values: value_flags::of(matches)?,
        application_parameters: matches.get_flag("application-parameters"),
    })
}

fn occurrences(matches: &ArgMatches, id: &str) -> Vec<(usize, String)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<String>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}
