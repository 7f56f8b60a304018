//! The long text of a parameter.

use std::fmt::Write;

use rewrite::settings::{Id, Parameter, Position, Scope, SourceKind};

use super::setting_places::places;
use super::text::{self, heading, section, wrapped};
use crate::paint::{Ink, Paint};

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
    text::places(&mut out, places(parameter));
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
    let strategies = parameter.id.strategies();
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
