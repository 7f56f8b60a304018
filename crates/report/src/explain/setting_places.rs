//! Where a parameter can be set, lowest precedence first, with what to write there.

use goyaml::json::quote;
use rewrite::settings::{Parameter, Position, ValueType};

/// The places where the parameter can be set, in words, with what to write there; of several, the last one wins.
pub(super) fn places(parameter: &Parameter) -> impl Iterator<Item = (&'static str, String)> {
    let Parameter { name, example, scope, .. } = parameter;
    let variable = format!("- {{name: ARGOCD_JOBS_{}, value: {}}}", parameter.variable(), quote(example));
    let key = format!("{name}: {}", in_config_file(parameter));
    let rule = format!("rules:\n  - match: {{name: migrate}}\n    {key}");
    let of_plugin = format!("- {{name: {name}, {}}}", as_application_parameter(parameter));
    let annotation = format!("argocd-jobs/{name}: {}", quote(of_one_job(parameter)));
    let all = [
        (Position::Platform, "the plugin's sidecar, in the `env` of the container", variable.clone()),
        (Position::Application, ".argocd-jobs.yaml, at the top", key),
        (Position::Rule, ".argocd-jobs.yaml, in a rule for some Jobs", rule),
        (Position::Application, "the Application, in `spec.source.plugin.env`", variable),
        (Position::Application, "the Application, in `spec.source.plugin.parameters`", of_plugin),
        (Position::Platform, "the command line", format!("argocd-jobs preview {}", flag(parameter))),
        (Position::Job, "an annotation of the Job", annotation),
    ];
    let allowed = all.into_iter().filter(|(position, ..)| scope.allows(*position));
    allowed.map(|(_, place, lines)| (place, lines))
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
        // There is no flag for hashes: see `flagged` in `src/cli/typed_settings.rs`.
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
    use goyaml::json::{self, Form};
    use goyaml::{Tree, Value};
    use kube_jobs::kubernetes::Job;
    use rewrite::settings::{CliParameter, ConfigText, Id, Layers, PARAMETERS, RawLayers};

    fn read(yaml: &str) -> Value {
        Tree::default().read(yaml).unwrap().root().unwrap().value().unwrap()
    }

    /// The settings of a Job named `migrate` when these lines are written at this place.
    fn shown(place: &str, lines: &str, parameter: &Parameter) -> String {
        let mut environment = BTreeMap::new();
        let mut typed = Vec::new();
        let mut texts = RawLayers::default();
        let config = ConfigText { path: ".argocd-jobs.yaml".into(), text: format!("{lines}\n") };
        let mut job = "{metadata: {name: migrate}, spec: {}}".to_owned();
        let is_of_plugin = place.ends_with("`spec.source.plugin.parameters`");
        let parameters = if is_of_plugin { json::print(&read(lines), Form::Stream) } else { String::new() };
        match place.split(',').next_back().unwrap() {
            _ if is_of_plugin => texts.application_parameters = Some(&parameters),
            env if env.contains("env`") => {
                let entry = read(lines).as_list().unwrap()[0].clone();
                let text = |key: &str| entry.at(&[key]).and_then(Value::as_text).unwrap().to_owned();
                let prefix = if env.contains("plugin.env") { "ARGOCD_ENV_" } else { "" };
                environment.insert(format!("{prefix}{}", text("name")), text("value"));
            }
            " at the top" | " in a rule for some Jobs" => texts.config_file = Some(&config),
            "the command line" => {
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
            _ => job = format!("{{metadata: {{name: migrate, annotations: {{{lines}}}}}, spec: {{}}}}"),
        }
        // Credentials are for some AppProjects only, which have to be named.
        let is_secret = matches!(parameter.id, Id::HelmRepositoryConfig | Id::HelmRegistryConfig);
        if is_secret {
            environment.insert("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "shop".to_owned());
        }
        let texts = RawLayers { environment: &environment, command_line: &typed, ..texts };
        let layers = Layers::read(&texts).unwrap_or_else(|error| panic!("{lines}: {error}"));
        let settings =
            layers.for_job(&Job::read(&job).unwrap(), None).unwrap_or_else(|error| panic!("{lines}: {error}")).settings;
        let set: Vec<Id> = settings.iter().map(|(id, _)| id).collect();
        let id = parameter.id.field_of().map_or(parameter.id, |(block, _)| block);
        assert!(is_secret || set == [id], "{lines}: sets {set:?}");
        settings.iter().map(|(id, setting)| format!("{id:?} {:?}; ", setting.value.display())).collect()
    }

    #[test]
    fn what_is_written_at_each_place_sets_the_same() {
        for parameter in PARAMETERS {
            let all: Vec<(&str, String)> =
                places(parameter).map(|(place, lines)| (place, shown(place, &lines, parameter))).collect();
            assert!(all.len() >= 2, "{}", parameter.name);
            // On a Job a baseline is only its hash.
            let of_job = |place: &str| place.contains("annotation") && parameter.value_type == ValueType::Hashes;
            let differs = all.iter().find(|(place, value)| *value != all[0].1 && !of_job(place));
            assert_eq!(differs, None, "{:?}", all[0]);
        }
    }
}
