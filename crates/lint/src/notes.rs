//! Keeps the parts of a document's text that findings and suppressions need.

use rewrite::plan::Reading;

use super::suppression::comment::{self, Comment};
use super::{Check, RULES, Rule, TextDiagnostic};

/// The diagnostics and comments of one document.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The diagnostics of the rules that check text.
    pub(super) diagnostics: Vec<(&'static Rule, TextDiagnostic)>,
    /// The comments that begin with `argocd-jobs:`.
    pub(super) comments: Vec<Comment>,
    /// Whether the document is what its text says, to a reader of YAML.
    pub(super) is_accepted: bool,
}

impl Notes {
    /// Reads a document. Keeps about `most` diagnostics of each rule at most. Empty for a document without places in the manifest.
    pub(super) fn of(reading: &Reading<'_>, most: usize) -> Self {
        let Some(document) = reading.placed() else { return Self::default() };
        let checked = RULES.iter().filter_map(|rule| match rule.check {
            Check::Document(check) => Some((rule, check(document, most))),
            _ => None,
        });
        let diagnostics = checked
            .flat_map(|(rule, diagnostics)| diagnostics.into_iter().map(move |diagnostic| (rule, diagnostic)))
            .collect();
        Self { diagnostics, comments: comment::find(document), is_accepted: false }
    }
}
