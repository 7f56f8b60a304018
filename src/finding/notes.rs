//! What is kept of the text of one document for its findings and suppressions.

use super::ignore::comment::{self, Comment};
use super::{FINDINGS, Judge, Row, Spot};
use crate::plan::Reading;

/// What the rules and the suppressions need of a document's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// What rules say about the text.
    pub(super) spots: Vec<(&'static Row, Spot)>,
    /// Comments for this program.
    pub(super) comments: Vec<Comment>,
}

impl Notes {
    /// Takes notes of a document; none of one that cannot be read.
    pub(super) fn of(reading: &Reading<'_>) -> Self {
        let Some(document) = reading.document() else { return Self::default() };
        let judged = FINDINGS.iter().filter_map(|row| match row.judge {
            Judge::Document(judge) => Some((row, judge(document))),
            _ => None,
        });
        let spots = judged.flat_map(|(row, spots)| spots.into_iter().map(move |spot| (row, spot))).collect();
        Self { spots, comments: comment::find(document) }
    }
}
