//! Where a parameter can be set, lowest precedence first, with what to write there.

use crate::settings::{Parameter, Position, ValueType};
use crate::yaml::json::quote;

/// A place where a parameter can be set. A later one of this list wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The environment of the plugin's sidecar.
    Sidecar,
    /// The config file, at the top.
    ConfigFile,
    /// A rule of the config file.
    Rule,
    /// `plugin.env` of the Application.
    PluginEnv,
    /// `plugin.parameters` of the Application.
    PluginParameters,
    /// The command line.
    CommandLine,
    /// An annotation of the Job.
    Annotation,
}

impl Place {
    const ALL: [Self; 7] = [
        Self::Sidecar,
        Self::ConfigFile,
        Self::Rule,
        Self::PluginEnv,
        Self::PluginParameters,
        Self::CommandLine,
        Self::Annotation,
    ];

    fn position(self) -> Position {
        match self {
            Self::Sidecar | Self::CommandLine => Position::Platform,
            Self::ConfigFile | Self::PluginEnv | Self::PluginParameters => Position::Application,
            Self::Rule => Position::Rule,
            Self::Annotation => Position::Job,
        }
    }

    /// The place in words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Sidecar => "the plugin's sidecar, in the `env` of the container",
            Self::ConfigFile => ".argocd-jobs.yaml, at the top",
            Self::Rule => ".argocd-jobs.yaml, in a rule for some Jobs",
            Self::PluginEnv => "the Application, in `spec.source.plugin.env`",
            Self::PluginParameters => "the Application, in `spec.source.plugin.parameters`",
            Self::CommandLine => "the command line",
            Self::Annotation => "an annotation of the Job",
        }
    }

    fn lines(self, parameter: &Parameter) -> String {
        let Parameter { name, example, .. } = parameter;
        let key = format!("{name}: {}", in_config_file(parameter));
        match self {
            Self::Sidecar | Self::PluginEnv => {
                format!("- {{name: ARGOCD_JOBS_{}, value: {}}}", parameter.variable(), quote(example))
            }
            Self::ConfigFile => key,
            Self::Rule => format!("rules:\n  - match: {{name: migrate}}\n    {key}"),
            Self::PluginParameters => format!("- {{name: {name}, {}}}", as_application_parameter(parameter)),
            Self::CommandLine => format!("argocd-jobs preview {}", flag(parameter)),
            Self::Annotation => format!("argocd-jobs/{name}: {}", quote(of_one_job(parameter))),
        }
    }
}

/// The places where the parameter can be set, with what to write there.
pub(super) fn places(parameter: &Parameter) -> impl Iterator<Item = (Place, String)> {
    let allowed = Place::ALL.into_iter().filter(|place| parameter.scope.allows(place.position()));
    allowed.map(|place| (place, place.lines(parameter)))
}

/// The value for one Job, where that is less than for all of them.
fn of_one_job(parameter: &Parameter) -> &'static str {
    match parameter.value_type {
        ValueType::Hashes => parameter.example.split_once('=').map_or("", |(_, hash)| hash),
        _ => parameter.example,
    }
}

fn in_config_file(parameter: &Parameter) -> String {
    let example = parameter.example;
    match parameter.value_type {
        ValueType::Choice(_)
        | ValueType::CommaList(_)
        | ValueType::Number(_)
        | ValueType::Switch
        | ValueType::Block(_) => example.to_owned(),
        ValueType::Text { .. } => scalar(example),
        ValueType::List | ValueType::Texts => list(parameter, scalar),
        ValueType::Map | ValueType::Hashes => map(example, scalar),
    }
}

fn as_application_parameter(parameter: &Parameter) -> String {
    match parameter.value_type {
        ValueType::List | ValueType::Texts => format!("array: {}", list(parameter, scalar)),
        ValueType::Map | ValueType::Hashes => format!("map: {}", map(parameter.example, quote)),
        _ => format!("string: {}", scalar(parameter.example)),
    }
}

fn list(parameter: &Parameter, item: impl Fn(&str) -> String) -> String {
    let items: Vec<String> = parameter.example.split(',').map(item).collect();
    format!("[{}]", items.join(", "))
}

fn map(example: &str, value: impl Fn(&str) -> String) -> String {
    let pairs = example.split(',').filter_map(|pair| pair.split_once('='));
    let entries: Vec<String> = pairs.map(|(key, found)| format!("{key}: {}", value(found))).collect();
    format!("{{{}}}", entries.join(", "))
}

/// A text as YAML: quoted where it could be anything else than a text.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|found| found.is_ascii_alphanumeric() || matches!(found, '.' | '/' | '-'))
        && !["true", "false", "yes", "no", "on", "off", "y", "n", "null"].contains(&text);
    if is_plain { text.to_owned() } else { quote(text) }
}

fn flag(parameter: &Parameter) -> String {
    let Parameter { name, example, .. } = parameter;
    let value = in_shell(example);
    match parameter.value_type {
        // There is no flag for hashes: see `flagged` in `src/cli/args.rs`.
        ValueType::Hashes => format!("--set {name}={value}"),
        ValueType::Switch => format!("--{name}={value}"),
        _ if example.starts_with('-') => format!("--{name}={value}"),
        _ => format!("--{name} {value}"),
    }
}

/// A text as one word of a shell. No example has a quote in it.
fn in_shell(text: &str) -> String {
    let is_plain = |found: char| found.is_ascii_alphanumeric() || "-_./:=,@+".contains(found);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{text}'") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::kubernetes::job::job_of;
    use crate::settings::{CliParameter, ConfigText, Id, Layers, PARAMETERS, RawLayers};
    use crate::yaml::json::{self, Form};
    use crate::yaml::{Tree, Value};

    fn read(yaml: &str) -> Value {
        Tree::default().read(yaml).unwrap().root().unwrap().value().unwrap()
    }

    /// The settings of a Job named `migrate` when these lines are written at this place.
    fn shown(place: Place, lines: &str, parameter: &Parameter) -> String {
        let mut environment = BTreeMap::new();
        let mut typed = Vec::new();
        let mut texts = RawLayers::default();
        let config = ConfigText { path: ".argocd-jobs.yaml".into(), text: format!("{lines}\n") };
        let mut job = "{metadata: {name: migrate}, spec: {}}".to_owned();
        let parameters = match place {
            Place::PluginParameters => json::print(&read(lines), Form::Stream),
            _ => String::new(),
        };
        match place {
            Place::Sidecar | Place::PluginEnv => {
                let entry = read(lines).as_list().unwrap()[0].clone();
                let text = |key: &str| entry.at(&[key]).and_then(Value::as_text).unwrap().to_owned();
                let prefix = if place == Place::PluginEnv { "ARGOCD_ENV_" } else { "" };
                environment.insert(format!("{prefix}{}", text("name")), text("value"));
            }
            Place::ConfigFile | Place::Rule => texts.config_file = Some(&config),
            Place::PluginParameters => texts.application_parameters = Some(&parameters),
            Place::CommandLine => {
                let words = lines.strip_prefix("argocd-jobs preview --").unwrap();
                let words = words.strip_prefix("set ").unwrap_or(words);
                let (name, value) = words.split_once([' ', '=']).unwrap();
                let written = format!("--{name}");
                typed.push(CliParameter {
                    name: name.to_owned(),
                    written,
                    value: value.trim_matches('\'').to_owned().into(),
                });
            }
            Place::Annotation => job = format!("{{metadata: {{name: migrate, annotations: {{{lines}}}}}, spec: {{}}}}"),
        }
        // Credentials are for some AppProjects only, which have to be named.
        let is_secret = matches!(parameter.id, Id::HelmRepositoryConfig | Id::HelmRegistryConfig);
        if is_secret {
            environment.insert("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "shop".to_owned());
        }
        let texts = RawLayers { environment: &environment, command_line: &typed, ..texts };
        let layers = Layers::read(&texts).unwrap_or_else(|error| panic!("{lines}: {error}"));
        let settings = layers.for_job(&job_of(&job), None).unwrap_or_else(|error| panic!("{lines}: {error}")).settings;
        let set: Vec<Id> = settings.iter().map(|(id, _)| id).collect();
        let id = parameter.id.field_of().map_or(parameter.id, |(block, _)| block);
        assert!(is_secret || set == [id], "{lines}: sets {set:?}");
        settings.iter().map(|(id, setting)| format!("{id:?} {:?}; ", setting.value.display())).collect()
    }

    #[test]
    fn what_is_written_at_each_place_sets_the_same() {
        for parameter in PARAMETERS {
            let all: Vec<(Place, String)> =
                places(parameter).map(|(place, lines)| (place, shown(place, &lines, parameter))).collect();
            assert!(all.len() >= 2, "{}", parameter.name);
            // On a Job a baseline is only its hash.
            let of_job = |place: Place| place == Place::Annotation && parameter.value_type == ValueType::Hashes;
            let differs = all.iter().find(|(place, value)| *value != all[0].1 && !of_job(*place));
            assert_eq!(differs, None, "{:?}", all[0]);
        }
    }
}
