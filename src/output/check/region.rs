//! The place of a finding as the numbers that other programs expect.

use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::text::Precision;

/// A part of one line, counted from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) line: usize,
    pub(super) column: usize,
    /// One past the last character; always more than `column`.
    pub(super) end: usize,
}

impl Region {
    /// The region of a finding that is at one place.
    pub(super) fn of(finding: &Finding, manifests: &[Manifest]) -> Option<Self> {
        let place = finding.place.as_ref()?;
        let at = place.at;
        // What is wrong is not at this place itself.
        let span = finding.span.filter(|_| place.precision == Precision::Line);
        let text = span.map_or("", |(manifest, span)| span.of(&manifests[manifest].text));
        Some(Self { line: at.line, column: at.column, end: at.column + text.chars().count().max(1) })
    }
}
