//! The settings that were typed.

use std::path::Path;

use anyhow::{Result, anyhow};
use rewrite::settings::{CliParameter, CliValue, Id, Parameter, Position};
use text::Message;

use crate::value_flags::TypedValues;

/// The parameters that nobody types often enough for a flag: `--set` sets them.
const WITHOUT_A_FLAG: [Id; 11] = [
    Id::AllowRandom,
    Id::Baseline,
    Id::HelmCredentialsProjects,
    Id::HelmRegistryConfig,
    Id::HelmRepositoryConfig,
    Id::HelmValuesFileSchemes,
    Id::KustomizeVersions,
    Id::RenderMemory,
    Id::RenderTimeout,
    Id::StripTemplateLabels,
    Id::TriggerName,
];

/// The parameters that have a flag.
pub fn flagged() -> impl Iterator<Item = &'static Parameter> {
    typed().filter(|parameter| !WITHOUT_A_FLAG.contains(&parameter.id))
}

/// The parameters that the command line can set, with a flag or with `--set`.
fn typed() -> impl Iterator<Item = &'static Parameter> {
    Parameter::at(Position::Platform)
}

/// The settings that were typed.
#[derive(Clone, Debug, Default)]
pub struct TypedSettings {
    /// The parameters, in the order in which they were typed.
    pub parameters: Vec<CliParameter>,
    /// The flags for a chart.
    pub values: TypedValues,
    /// Whether the parameters of the Application hold for standard input too.
    pub application_parameters: bool,
}

impl TypedSettings {
    /// The parameters for a source. `dir` is its directory, whose repository has the value files; none for the working directory.
    pub fn for_source(&self, dir: Option<&Path>) -> Result<Vec<CliParameter>> {
        Ok(self.parameters.iter().cloned().chain(self.values.parameters(dir)?).collect())
    }

    /// A copy of these settings in which the text parameter `name` has this value.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut settings = self.clone();
        settings.parameters.push(CliParameter::by_flag(name, name, value.to_owned()));
        settings
    }

    /// The last value of a parameter that takes a text; none if it was not typed.
    pub fn last(&self, name: &str) -> Option<&str> {
        match &self.parameters.iter().rfind(|typed| typed.name == name)?.value {
            CliValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether they set a parameter of Jobs.
    pub(crate) fn have_any_of_jobs(&self) -> bool {
        self.of_jobs().next().is_some()
    }

    fn of_jobs(&self) -> impl Iterator<Item = &CliParameter> {
        let is_about_jobs = |typed: &&CliParameter| Parameter::find(&typed.name).is_some_and(Parameter::is_about_jobs);
        self.parameters.iter().filter(is_about_jobs)
    }

    /// An error if they set a parameter of Jobs, which has no effect; `why` is the reason.
    pub fn refuse_those_of_jobs(&self, why: &str) -> Result<()> {
        let Some(typed) = self.of_jobs().next() else { return Ok(()) };
        let set = if is_set_by_name(typed) { "--set " } else { "" };
        let flag = format!("{set}{}", typed.written);
        let message = Message::new(format!("{why}, so `{flag}` has no effect"));
        Err(anyhow!(message.help(format!("remove `{flag}`"))))
    }

    /// Whether they say what one source is, or how it is rendered.
    pub fn describe_a_source(&self) -> bool {
        let is_of_a_source = |parameter: &Parameter| {
            parameter.tool().is_some() || ["source", "recurse", "include", "exclude"].contains(&parameter.name)
        };
        self.values.first_flag().is_some()
            || typed()
                .filter(|parameter| is_of_a_source(parameter))
                .any(|parameter| self.last(parameter.name).is_some())
    }

    /// The first flag that is typed and is for a tool that renders a directory.
    pub(crate) fn flag_for_a_tool(&self) -> Option<String> {
        let is_of_a_tool = |name: &str| typed().any(|known| known.name == name && known.tool().is_some());
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
