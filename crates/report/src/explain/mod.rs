//! The long texts of findings, strategies, parameters and annotations, for a terminal; the texts of findings and strategies also for the
//! page docs/findings.md.

mod annotation;
mod annotations;
pub mod finding;
mod list;
mod parameter;
mod setting_places;
mod strategy;
mod text;

use std::collections::BTreeSet;

use lint::{RULES, Rule};
use rewrite::settings::{PARAMETERS, Parameter, Position};
use rewrite::strategy::STRATEGIES;

use super::paint::{Ink, Paint};
use annotations::ANNOTATIONS;
pub use list::all;

/// The prefix of annotations that set a parameter.
const OWN: &str = "argocd-jobs/";
/// The prefix of environment variables that set a parameter.
const VARIABLE: &str = "ARGOCD_JOBS_";
/// The prefix that Argo CD puts before the variables of an Application.
const OF_AN_APPLICATION: &str = "ARGOCD_ENV_";
/// Suggest at most this many names.
const MOST: usize = 3;

/// There is no such name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Names that may be meant, the best first.
    pub near: Vec<&'static str>,
}

/// All names that [`one`] knows, each once: findings, strategies, parameters and annotations.
pub fn names() -> impl Iterator<Item = &'static str> {
    let rules = RULES.iter().map(|row| row.id);
    let strategies = STRATEGIES.iter().map(|row| row.id);
    let parameters = PARAMETERS.iter().map(|row| row.name);
    let annotations = ANNOTATIONS.iter().map(|row| row.id.trim_end_matches('.'));
    let mut seen = BTreeSet::new();
    rules.chain(strategies).chain(parameters).chain(annotations).filter(move |name| seen.insert(*name))
}

/// The long text of what has this name; of all that have it, when there are several.
///
/// A parameter is also found by its flag, its environment variable and its annotation.
pub fn one(name: &str, paint: Paint) -> Result<String, Unknown> {
    if let Some(row) = spelled(name) {
        return Ok(parameter::text(row, paint));
    }
    let mut texts: Vec<String> = Vec::new();
    texts.extend(Rule::find(name).map(|row| finding::text(row, paint)));
    texts.extend(STRATEGIES.iter().find(|row| row.id == name).map(|row| strategy::text(row, paint)));
    texts.extend(Parameter::find(name).map(|row| parameter::text(row, paint)));
    let is_annotation = |id: &str| match id.strip_suffix('.') {
        Some(prefix) => name == prefix || name.strip_prefix(id).is_some_and(|finding| Rule::find(finding).is_some()),
        None => name == id,
    };
    let annotation = ANNOTATIONS.iter().find(|row| is_annotation(row.id));
    texts.extend(annotation.map(|row| annotation::text(row, paint)));
    if texts.is_empty() {
        return Err(Unknown { near: near(name.trim_start_matches('-')) });
    }
    let separator = format!("\n{}\n\n", paint.ink(Ink::Faint, "─".repeat(text::WIDTH)));
    Ok(texts.join(&separator))
}

/// The parameter that has this flag, environment variable or annotation.
fn spelled(name: &str) -> Option<&'static Parameter> {
    if let Some(flag) = name.strip_prefix("--") {
        return Parameter::find(flag);
    }
    if let Some(variable) = name.strip_prefix(OF_AN_APPLICATION).unwrap_or(name).strip_prefix(VARIABLE) {
        return PARAMETERS.iter().find(|row| row.variable() == variable);
    }
    // The annotation `argocd-jobs/trigger` is not that of the parameter.
    Parameter::find(name.strip_prefix(OWN)?).filter(|row| row.scope.allows(Position::Job))
}

/// The names that are near: at most a third of the letters differ, or the word is a whole part of them.
fn near(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    // The prefix of an annotation says nothing about which one is meant.
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let own = last(&word);
    let length = own.chars().count();
    let distance = |name: &str| strsim::damerau_levenshtein(&own, &last(name));
    let is_other = |name: &str| name.contains('/') && !word.contains('/');
    // Best first: another case, the last part of an annotation, a misspelling, any part.
    let rank = |name: &'static str| match distance(name) {
        distance if distance * 3 <= length => Some((distance * 2 + usize::from(is_other(name)), name.len(), name)),
        _ if is_part(&word, name) => Some((length * 2, name.len(), name)),
        _ => None,
    };
    let mut found: Vec<_> = names().filter_map(rank).collect();
    found.sort_unstable();
    let best = found.first().map_or(0, |(distance, ..)| *distance);
    // A misspelling means one name; a part can mean each that has it.
    let names = found.into_iter().filter(|(distance, ..)| *distance == best).map(|(_, _, name)| name);
    names.take(MOST).collect()
}

/// Whether the words of `part` are words of `name`, one after the other.
fn is_part(part: &str, name: &str) -> bool {
    let words = |text: &str| {
        let words = text.split(|found: char| !found.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let (part, name) = (words(part), words(name));
    !part.is_empty() && name.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(name: &str) -> String {
        let text = one(name, Paint::Plain).unwrap();
        text.lines().next().unwrap().to_owned()
    }

    #[test]
    fn every_name_has_a_text_without_a_long_line_or_a_blank_at_the_end() {
        for name in names() {
            let text = one(name, Paint::Plain).unwrap();
            assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
            assert!(!text.contains("\n\n\n") && text.ends_with('\n') && !text.ends_with("\n\n"), "{text}");
            // YAML, commands and addresses are never broken.
            let is_long = |line: &&str| line.chars().count() > text::WIDTH && !line.starts_with("    ");
            let long: Vec<&str> = text.lines().filter(is_long).collect();
            assert!(long.iter().all(|line| line.contains("https://")), "{long:?}");
        }
    }

    #[test]
    fn a_parameter_is_found_by_each_of_its_names() {
        for name in ["ttl", "--ttl", "ARGOCD_JOBS_TTL", "ARGOCD_ENV_ARGOCD_JOBS_TTL", "argocd-jobs/ttl"] {
            assert_eq!(first(name), "ttl (parameter)");
        }
        assert_eq!(first("ARGOCD_JOBS_DELETE_POLICY"), "delete-policy (parameter)");
        assert_eq!(first("argocd-jobs/ignore"), "argocd-jobs/ignore.<finding> (annotation)");
        assert_eq!(first("argocd-jobs/ignore.ttl-reruns"), "argocd-jobs/ignore.<finding> (annotation)");
        assert_eq!(first("argocd-jobs/trigger"), "argocd-jobs/trigger (annotation)");
    }

    #[test]
    fn a_name_with_two_meanings_has_two_texts() {
        let text = one("hook", Paint::Plain).unwrap();
        assert!(text.starts_with("hook (strategy)\n"), "{text}");
        assert!(text.contains("\n─────") && text.contains("─\n\nhook (parameter)\n"), "{text}");
        assert_eq!(first("argocd-jobs/hook"), "hook (parameter)");
    }

    #[test]
    fn only_near_names_are_suggested() {
        let near = |word: &str| one(word, Paint::Plain).unwrap_err().near;
        assert_eq!(near("hash-nam"), ["hash-name"]);
        assert_eq!(near("Hook"), ["hook"]);
        assert_eq!(near("sync-wave"), ["argocd.argoproj.io/sync-wave"]);
        assert_eq!(near("hook-delete-policy"), ["helm.sh/hook-delete-policy", "argocd.argoproj.io/hook-delete-policy"]);
        assert_eq!(near("policy"), ["delete-policy", "unknown-delete-policy", "delete-policy-without-hook"]);
        for word in ["foo", "", "-", "nonsense", "argocd-jobs/wave-of-light"] {
            assert_eq!(near(word), [""; 0], "{word}");
        }
    }
}
