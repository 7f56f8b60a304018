//! The flags of settings, and the settings that were typed. One flag for each parameter comes from the table of parameters.

use std::path::Path;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use rewrite::settings::{
    CliParameter, CliValue, Error, ErrorKind, Id, Parameter, Position, Provenance, Scope, SourceKind, ValueType,
};
use text::{Message, capitalized};

use super::flags::{flag, switch};
use super::{help, value_flags};

/// The parameters that the short help shows, which is for a first look.
const IN_SHORT_HELP: [&str; 6] = ["strategy", "hook", "deadline", "source", "recurse", "exclude"];

/// The flags of settings, and where else settings come from.
pub(super) fn flags() -> impl Iterator<Item = Arg> {
    let set = flag("set", "NAME=VALUE")
        .help("Set a parameter by its name; the last value wins")
        .allow_hyphen_values(true)
        .action(ArgAction::Append);
    let application_parameters = switch("application-parameters")
        .help("Read ARGOCD_APP_PARAMETERS even with `-`, when it may belong to another plugin")
        .hide_short_help(true);
    flagged().map(flag_of).chain(value_flags::flags()).chain([set, application_parameters])
}

/// The parameters that have a flag. Hashes are written with `--set`: `--baseline` prints them.
pub(super) fn flagged() -> impl Iterator<Item = &'static Parameter> {
    Parameter::at(Position::Platform).filter(|parameter| parameter.value_type != ValueType::Hashes)
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

/// The settings that were typed.
#[derive(Clone, Default)]
pub(super) struct TypedSettings {
    /// The parameters, in the order in which they were typed.
    parameters: Vec<CliParameter>,
    /// The flags for a chart.
    values: value_flags::Typed,
    /// Whether the parameters of the Application hold for standard input too.
    pub(super) application_parameters: bool,
}

impl TypedSettings {
    /// Takes the flags of settings from the matches of a subcommand, and reads the files that they name with `@FILE`.
    pub(super) fn of(matches: &ArgMatches) -> Result<Self> {
        let mut typed: Vec<(usize, CliParameter)> = Vec::new();
        for parameter in flagged() {
            let name = parameter.name;
            for (index, value) in occurrences(matches, name) {
                let written = format!("--{name}");
                let (value, written) = match parameter.value_type {
                    ValueType::Block(_) => value_flags::block(&written, &value)?,
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
        Ok(Self {
            parameters: typed.into_iter().map(|(_, typed)| typed).collect(),
            values: value_flags::Typed::of(matches)?,
            application_parameters: matches.get_flag("application-parameters"),
        })
    }

    /// The parameters for a source. `dir` is its directory, whose repository has the value files; none for the working directory.
    pub(super) fn for_source(&self, dir: Option<&Path>) -> Result<Vec<CliParameter>> {
        Ok(self.parameters.iter().cloned().chain(self.values.parameters(dir)?).collect())
    }

    /// A copy of these settings in which the text parameter `name` has this value.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        let mut settings = self.clone();
        settings.parameters.push(CliParameter::by_flag(name, name, value.to_owned()));
        settings
    }

    /// The last value of a parameter that takes a text; none if it was not typed.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        match &self.parameters.iter().rfind(|typed| typed.name == name)?.value {
            CliValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An error if they set a parameter of Jobs, which has no effect; `why` is the reason.
    pub(super) fn refuse_those_of_jobs(&self, why: &str) -> Result<()> {
        let is_about_jobs = |typed: &&CliParameter| Parameter::find(&typed.name).is_some_and(Parameter::is_about_jobs);
        let Some(typed) = self.parameters.iter().find(is_about_jobs) else { return Ok(()) };
        let set = if is_set_by_name(typed) { "--set " } else { "" };
        let flag = format!("{set}{}", typed.written);
        let message = Message::new(format!("{why}, so `{flag}` has no effect"));
        Err(anyhow!(message.help(format!("remove `{flag}`"))))
    }

    /// Whether they say what one source is, or how it is rendered.
    pub(super) fn describe_a_source(&self) -> bool {
        let is_of_a_source = |parameter: &Parameter| {
            parameter.tool().is_some() || ["source", "recurse", "include", "exclude"].contains(&parameter.name)
        };
        self.values.first_flag().is_some()
            || flagged()
                .filter(|parameter| is_of_a_source(parameter))
                .any(|parameter| self.last(parameter.name).is_some())
    }

    /// The first flag that is typed and is for a tool that renders a directory.
    pub(super) fn flag_for_a_tool(&self) -> Option<String> {
        let is_of_a_tool = |name: &str| flagged().any(|known| known.name == name && known.tool().is_some());
        let of_tools = || self.parameters.iter().filter(|typed| is_of_a_tool(&typed.name));
        let flag = |known: &'static Parameter| {
            of_tools()
                .any(|typed| typed.name == known.name && !is_set_by_name(typed))
                .then(|| format!("--{}", known.name))
        };
        let values = self.values.first_flag().map(|name| format!("--{name}"));
        let by_name = || of_tools().find(|typed| is_set_by_name(typed)).map(|typed| format!("--set {}", typed.name));
        values.or_else(|| flagged().find_map(flag)).or_else(by_name)
    }
}

/// Whether a parameter was typed after `--set`.
fn is_set_by_name(typed: &CliParameter) -> bool {
    typed.written == typed.name
}

fn occurrences(matches: &ArgMatches, id: &str) -> Vec<(usize, String)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<String>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}
