//! Keeps what findings and suppressions need of the text of one document.

use super::suppression::comment::{self, Comment};
use super::{Check, RULES, Rule, TextDiagnostic};
use crate::plan::Reading;

/// What the rules and the suppressions need of a document's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The diagnostics of rules about the text.
    pub(super) diagnostics: Vec<(&'static Rule, TextDiagnostic)>,
    /// The comments that begin with `argocd-jobs:`.
    pub(super) comments: Vec<Comment>,
}

impl Notes {
    /// Takes notes of a document, with `most` diagnostics of each rule at most. A document that cannot be parsed has none.
    pub(super) fn of(reading: &Reading<'_>, most: usize) -> Self {
        let Some(document) = reading.document() else { return Self::default() };
        let checked = RULES.iter().filter_map(|rule| match rule.check {
            Check::Document(check) => Some((rule, check(document, most))),
            _ => None,
        });
        let diagnostics = checked
            .flat_map(|(rule, diagnostics)| diagnostics.into_iter().map(move |diagnostic| (rule, diagnostic)))
            .collect();
        Self { diagnostics, comments: comment::find(document) }
    }
}
