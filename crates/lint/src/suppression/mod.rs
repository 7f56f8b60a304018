//! Suppressions: users can ignore findings with a comment, with an annotation of the object, or in the config file.
//!
//! Each suppression names the id of a rule. A suppression without effect is itself a finding (`unused-ignore`), so that typos and outdated
//! suppressions are noticed.

mod annotation;
pub(super) mod comment;

use std::collections::BTreeMap;

use rewrite::settings::{self, ErrorKind, Layers, PluginUse, Provenance};
use text::spelling::nearest;

use super::{Finding, Ignored, IgnoredBy, RULES, Rule, State};
use crate::survey::Survey;
use comment::PlacedComment;

/// Prefix of an annotation that ignores a finding; the rest of the key is the rule's id.
pub use rewrite::settings::IGNORE as ANNOTATION;

/// A suppression of one rule.
#[derive(Debug)]
struct Suppression {
    id: String,
    scope: Scope,
    ignored: Ignored,
    /// The `unused-ignore` finding for this suppression. Its message is filled in if the suppression has no effect.
    template: Finding,
}

/// The findings that a suppression applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// The findings on this line of a manifest.
    Line { manifest: usize, line: usize },
    /// The findings about the object with this index in the survey.
    Object(usize),
}

/// Marks suppressed findings as ignored, and adds a finding for each suppression without effect.
pub(super) fn apply(findings: &mut Vec<Finding>, survey: &Survey<'_>, comments: impl Iterator<Item = PlacedComment>) {
    let Some(rule) = Rule::find("unused-ignore") else { return };
    let (suppressions, mut unused) = comment::read(rule, survey, comments);
    let (more, without_reason) = annotation::read(rule, survey);
    unused.extend(without_reason);
    let suppressions: Vec<Suppression> = suppressions.into_iter().chain(more).collect();
    let used = mark(findings, &suppressions);
    // With the plugin, some findings exist that do not exist without it, and the other way round.
    let may_be_used = |suppression: &Suppression| {
        let source = match suppression.scope {
            Scope::Line { manifest, .. } => survey.source_at(manifest),
            Scope::Object(object) => survey.source(object),
        };
        source.layers.plugin() == PluginUse::AsWritten && unknown(&suppression.id).is_none()
    };
    let without_effect = suppressions.into_iter().zip(used).filter(|(one, used)| !used && !may_be_used(one));
    unused.extend(without_effect.map(|(suppression, _)| unused_ignore(suppression)));
    findings.extend(unused);
    for finding in findings.iter_mut().filter(|finding| !matches!(finding.state, State::Ignored(_))) {
        let object = finding.object.and_then(|object| survey.objects[object].written.as_ref());
        let job = object.and_then(|resource| resource.job());
        let source = match (finding.span, finding.object) {
            (Some((manifest, _)), _) => survey.source_at(manifest),
            (None, Some(object)) => survey.source(object),
            (None, None) => survey.source_at(0),
        };
        if source.layers.ignores(finding.rule.id, job, survey.application.namespace.as_deref()) {
            finding.state = State::Ignored(Ignored { by: IgnoredBy::ConfigFile, reason: None });
        }
    }
}

/// Marks suppressed findings as ignored. Returns which suppressions had an effect.
fn mark(findings: &mut [Finding], suppressions: &[Suppression]) -> Vec<bool> {
    let mut used = vec![false; suppressions.len()];
    let mut by_scope: BTreeMap<(&str, Scope), Vec<usize>> = BTreeMap::new();
    for (index, suppression) in suppressions.iter().enumerate() {
        by_scope.entry((&suppression.id, suppression.scope)).or_default().push(index);
    }
    for finding in findings {
        let line = finding.place.as_ref().zip(finding.span);
        let line = line.map(|(place, (manifest, _))| Scope::Line { manifest, line: place.at.line });
        let scopes = line.into_iter().chain(finding.object.map(Scope::Object));
        for index in scopes.filter_map(|scope| by_scope.get(&(finding.rule.id, scope))).flatten() {
            used[*index] = true;
            finding.state = State::Ignored(suppressions[*index].ignored.clone());
        }
    }
    used
}

/// The finding for a suppression without effect.
fn unused_ignore(suppression: Suppression) -> Finding {
    let Suppression { id, scope, mut template, .. } = suppression;
    let (message, help) = match (unknown(&id), scope) {
        (Some(help), _) => (format!("there is no finding with the id `{id}`"), help),
        (None, Scope::Line { line, .. }) => (
            format!("nothing to ignore: there is no `{id}` finding on line {line}"),
            "remove the comment, or move it to the line of the finding, or to a line of its own directly above"
                .to_owned(),
        ),
        (None, Scope::Object(_)) => {
            let help = format!("remove the annotation `{ANNOTATION}{id}`");
            (format!("nothing to ignore: there is no `{id}` finding about this resource"), help)
        }
    };
    template.message = message;
    template.help = help.into();
    template
}

/// The help line for an unknown id. None for a known id.
fn unknown(id: &str) -> Option<String> {
    if Rule::find(id).is_some() {
        return None;
    }
    Some(match nearest(id, RULES.iter().map(|rule| rule.id)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "run `argocd-jobs explain` for a list of all ids".to_owned(),
    })
}

/// Fails if the config file names an unknown id. `generate` does not call this, because it has no findings.
pub fn check_ids(layers: &Layers) -> Result<(), settings::Error> {
    let wrong = layers.all_ignored().find(|ignore| Rule::find(&ignore.id).is_none());
    wrong.map_or(Ok(()), |ignore| {
        let by = Provenance::ConfigFile { at: ignore.at, key: "ignore".to_owned() };
        let nearest = nearest(&ignore.id, RULES.iter().map(|rule| rule.id));
        let expected = "ids of findings (`argocd-jobs explain` lists them)";
        let error = settings::Error::new(by, ErrorKind::Value { value: ignore.id.clone(), expected, nearest });
        Err(layers.config_file().map_or(error.clone(), |path| error.in_config_file(path)))
    })
}
