//! The long text of a parameter.

use std::fmt::Write;

use super::setting_places::places;
use super::text::{self, heading, section, wrapped};
use crate::output::paint::{Ink, Paint};
use crate::settings::{Id, Parameter, Position, Scope, SourceKind};
use crate::strategy::Strategy;

/// The text for a terminal.
pub(super) fn text(parameter: &Parameter, paint: Paint) -> String {
    let Parameter { name, summary, expected, default, .. } = parameter;
    let mut out = format!("{} (parameter)\n{}\n", paint.ink(Ink::Strong, name), wrapped(summary, "", ""));
    section(&mut out, "What it takes", expected, paint);
    let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
    section(&mut out, "Default", &default, paint);
    if let Some(words) = effect(parameter) {
        section(&mut out, "Where it has an effect", &words, paint);
    }
    heading(&mut out, "Where to set it", paint);
    text::places(&mut out, places(parameter).map(|(place, lines)| (place.as_str(), lines)));
    let _ = writeln!(out, "\n{}", wrapped(&precedence(parameter), "  ", "  "));
    out
}

fn precedence(parameter: &Parameter) -> String {
    let later = "If it is set in several places, the last one in this list wins";
    let own = match parameter.id {
        Id::Ttl => "; the Job's own `spec.ttlSecondsAfterFinished` wins over all but the annotation",
        Id::Hook => "; the Job's own hook types win over all but the annotation",
        _ => "",
    };
    let lock = match parameter.scope.allows(Position::Application) || parameter.scope.allows(Position::Job) {
        true => {
            format!(
                " `ARGOCD_JOBS_LOCK: {}` in the sidecar's `env` makes the sidecar's value win, or the default if the sidecar sets none.",
                parameter.name
            )
        }
        false => String::new(),
    };
    format!("{later}{own}.{lock}")
}

fn effect(parameter: &Parameter) -> Option<String> {
    let tool = match parameter.tool() {
        Some(SourceKind::Helm) => Some("a Helm chart"),
        Some(SourceKind::Kustomize) => Some("a kustomization"),
        _ => None,
    };
    if let Some(tool) = tool {
        return Some(format!("In an Application whose source is {tool}."));
    }
    if parameter.scope == Scope::Platform {
        return Some("Where helm or kustomize renders the source. An Application cannot set it.".to_owned());
    }
    if matches!(parameter.id, Id::Trigger | Id::TriggerName) {
        return Some("In an Application with hooks that run in a sync.".to_owned());
    }
    let strategies = honouring(parameter.id);
    let names: Vec<String> = strategies.iter().map(|strategy| format!("`{strategy}`")).collect();
    let (last, others) = names.split_last()?;
    let (noun, list) = match others.is_empty() {
        true => ("strategy", last.clone()),
        false => ("strategies", format!("{} and {last}", others.join(", "))),
    };
    let refused = match parameter.id {
        Id::Hook | Id::Ttl | Id::DeletePolicy => {
            " As an annotation of a Job with `hash-name` or `replace` it is an error."
        }
        _ => "",
    };
    Some(format!("With the {noun} {list}.{refused}"))
}

/// The strategies under which the parameter changes what is written. None for a parameter that is not for single Jobs.
fn honouring(id: Id) -> &'static [Strategy] {
    use Strategy::{GenerateName, HashName, Hook, Replace};
    match id {
        Id::Hook | Id::DeletePolicy | Id::Ttl | Id::Deadline => &[Hook, GenerateName],
        Id::KeepName => &[Hook],
        Id::Wave | Id::StripTemplateLabels => &[HashName, Hook, GenerateName, Replace],
        Id::Rerun | Id::HashReferences => &[HashName, GenerateName],
        Id::BaseName => &[HashName, Hook, GenerateName],
        Id::Prune | Id::Baseline => &[HashName],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argocd::Application;
    use crate::kubernetes::job::job_of;
    use crate::settings::{ConfigText, Layers, PARAMETERS, RawLayers, ValueType};
    use crate::strategy::{STRATEGIES, StrategyChoice, decide};

    fn written(strategy: &str, line: &str) -> String {
        let config = format!("strategy: {strategy}\nrules: [{{match: {{}}{line}}}]\n");
        let text = ConfigText { path: ".argocd-jobs.yaml".into(), text: config };
        let layers = Layers::read(&RawLayers { config_file: Some(&text), ..RawLayers::default() }).unwrap();
        let job = job_of("{metadata: {name: a}, spec: {template: {metadata: {labels: {helm.sh/chart: a}}, spec: {}}}}");
        let options = layers.for_job(&job, None).unwrap().options;
        format!("{:?}", decide(&job, &options, &Application::default()).unwrap().changes)
    }

    #[test]
    fn a_parameter_has_an_effect_under_the_strategies_that_are_named() {
        let of_jobs = PARAMETERS.iter().filter(|parameter| parameter.scope.allows(Position::Rule));
        let mut wrong = Vec::new();
        for parameter in of_jobs.filter(|parameter| !matches!(parameter.id, Id::Strategy | Id::Baseline)) {
            let value = match parameter.value_type {
                ValueType::List => format!("[{}]", parameter.example),
                _ => parameter.example.to_owned(),
            };
            for row in STRATEGIES {
                let StrategyChoice::Strategy(strategy) = row.choice else { continue };
                let changes = written(row.id, &format!(", {}: {value}", parameter.name)) != written(row.id, "");
                if changes != honouring(parameter.id).contains(&strategy) {
                    wrong.push(format!("{} under {}: changes the Job: {changes}", parameter.name, row.id));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
