//! Turns a diagnostic into a finding with a place in a manifest.

use goyaml::{Path, Step, path};
use kube_jobs::argocd;
use rewrite::settings::{Id, Provenance};
use text::Span;

use super::diagnostic::Spot;
use super::fix::Fix;
use super::{Diagnostic, Finding, Rule, State, TextDiagnostic};
use crate::survey::{Address, ObjectPair, Side, Survey};

/// The finding for a diagnostic about an object.
pub(super) fn of_diagnostic(rule: &'static Rule, diagnostic: Diagnostic, survey: &Survey<'_>, state: State) -> Finding {
    let setter = if state == State::Open { setter(&diagnostic, survey) } else { None };
    let diagnostic = at_setting(diagnostic, setter);
    let address = survey.objects[diagnostic.object].address;
    let span = address.map(|address| {
        let manifest = &survey.manifests[address.manifest];
        let located = survey.locate(address, &diagnostic.path);
        // If the end of the path does not exist, point at the start of the map that lacks the key, not at the whole map.
        let span = located.span;
        let is_whole = located.depth == diagnostic.path.steps().len();
        let span = if is_whole { spot(&diagnostic, address, span, survey) } else { Span::new(span.start, span.start) };
        (address.manifest, first_line(span, &manifest.text))
    });
    let may_show = |(manifest, span): (usize, Span)| survey.may_show_line(manifest, span.start);
    let related = diagnostic.related.iter().filter_map(|(object, path)| survey.place(*object, path)).collect();
    let in_config_file = setter.and_then(|(_, by)| by.place());
    let may_show = |at| may_show(at) && in_config_file.is_none();
    let shows_source = span.is_some_and(may_show) && !survey.objects[diagnostic.object].is_secret();
    let place = span.map(|(manifest, span)| survey.manifests[manifest].place(span.start));
    let place = in_config_file.or(place);
    let (place, span, shows_source) = match diagnostic.elsewhere {
        // No comment of the manifest is about it.
        Some(elsewhere) => (Some(elsewhere), None, false),
        None => (place, span, shows_source),
    };
    Finding {
        level: diagnostic.level.unwrap_or(rule.level),
        span,
        shows_source,
        object: Some(diagnostic.object),
        // Only fixes read the path, and there can be thousands of findings.
        path: if Fix::find(rule.id).is_some() { diagnostic.path } else { Path::default() },
        changes: diagnostic.changes,
        related,
        state,
        ..Finding::new(rule, place, diagnostic.message, diagnostic.help)
    }
}

/// Who set the parameter that wrote the value at which a diagnostic points; none for a value that is in the manifest as written.
fn setter<'s>(diagnostic: &Diagnostic, survey: &'s Survey<'_>) -> Option<(Id, &'s Provenance)> {
    let (plan, object) = (survey.job(diagnostic.object)?, &survey.objects[diagnostic.object]);
    let value = |side| object.on(side)?.object().value().at_path(&diagnostic.path);
    if value(Side::Emitted).is_none() || value(Side::Written).is_some() {
        return None;
    }
    let parameters: &[Id] = match diagnostic.path.steps() {
        [Step::Key(metadata), Step::Key(annotations), Step::Key(key)]
            if metadata == "metadata" && annotations == "annotations" =>
        {
            match key.as_str() {
                argocd::HOOK_DELETE_POLICY => &[Id::DeletePolicy],
                argocd::HOOK => &[Id::Hook, Id::Strategy],
                argocd::SYNC_OPTIONS => &[Id::Prune, Id::Strategy],
                argocd::SYNC_WAVE => &[Id::Wave],
                _ => return None,
            }
        }
        [Step::Key(spec), Step::Key(key)] if spec == "spec" => match key.as_str() {
            "ttlSecondsAfterFinished" => &[Id::Ttl],
            "activeDeadlineSeconds" => &[Id::Deadline],
            _ => return None,
        },
        _ => return None,
    };
    parameters.iter().find_map(|id| Some((*id, &plan.settings.get(*id)?.by)))
}

/// The diagnostic at the setting that wrote its value: only there can somebody change it.
fn at_setting(diagnostic: Diagnostic, setter: Option<(Id, &Provenance)>) -> Diagnostic {
    let Some((id, by)) = setter else { return diagnostic };
    let help = match id {
        // What to do about a strategy is to choose another one, as the rules say.
        Id::Strategy => diagnostic.help,
        _ => format!("change the {by}, which writes this value").into(),
    };
    let path = match by {
        Provenance::Annotation(key) => path!["metadata", "annotations", key.as_str()],
        _ => diagnostic.path,
    };
    Diagnostic { path, help, ..diagnostic }
}

/// The bytes that a diagnostic points at. `value` are the bytes of its value.
fn spot(diagnostic: &Diagnostic, address: Address, value: Span, survey: &Survey<'_>) -> Span {
    match &diagnostic.spot {
        Spot::Value => value,
        Spot::Key => survey.locate_key(address, &diagnostic.path).unwrap_or(value),
        Spot::Word(word) => {
            let at = find_word(value.of(&survey.manifests[address.manifest].text), word);
            at.map_or(value, |at| Span::new(value.start + at, value.start + at + word.len()))
        }
    }
}

/// The maximum number of bytes of a value that are searched for a word. Every word of a value may have a finding, so searching all of it each time
/// would take quadratic time.
const SEARCHED: usize = 1024;

/// The offset of a whole word near the start of a text: `PreSync` does not contain the word `Sync`.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let end = (0..=(SEARCHED + word.len()).min(text.len())).rev().find(|end| text.is_char_boundary(*end))?;
    let found = text[..end].match_indices(word).map(|(at, _)| at);
    let is_part = |found: char| found.is_alphanumeric() || matches!(found, '-' | '_' | '=');
    let is_whole = |at: usize| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part);
    found.into_iter().find(|at| !word.is_empty() && is_whole(*at))
}

/// Whether the lines of a piece of a manifest may be shown, because it contains no Secret.
pub(super) fn may_show_piece(manifest: usize, piece: Span, survey: &Survey<'_>) -> bool {
    !survey.holds_secret(manifest, piece) && !survey.in_piece(manifest, piece).iter().any(ObjectPair::is_secret)
}

/// The finding for a diagnostic about the text of a piece of a manifest.
pub(super) fn of_text_diagnostic(
    rule: &'static Rule,
    diagnostic: TextDiagnostic,
    manifest: usize,
    piece: Span,
    survey: &Survey<'_>,
) -> Finding {
    let start = piece.start;
    let text = &survey.manifests[manifest].text;
    let span = first_line(Span::new(start + diagnostic.span.start, start + diagnostic.span.end), text);
    let place = survey.manifests[manifest].place(span.start);
    Finding {
        span: Some((manifest, span)),
        shows_source: survey.may_show_line(manifest, span.start),
        ..Finding::new(rule, Some(place), diagnostic.message, diagnostic.help)
    }
}

/// The part of a span that is on its first line.
fn first_line(span: Span, text: &str) -> Span {
    let line = span.of(text).lines().next().unwrap_or("").trim_end();
    Span::new(span.start, span.start + line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whole() {
        assert_eq!(find_word("PreSync,Sync", "Sync"), Some(8));
        assert_eq!(find_word("\"Prune=True\"", "Prune=True"), Some(1));
        assert_eq!(find_word("PreSync", "Sync"), None);
        assert_eq!(find_word("Replace=true,Force = true", "Force = true"), Some(13));
        assert_eq!(find_word("a", ""), None);
    }
}
