//! Replaces the differences between two renderings of the same files by fixed words. Then a comparison with another
//! version shows only real changes, and the same input gives the same output.

use goyaml::Tree;
use rewrite::manifest::Differing;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use text::Span;

use crate::places;

/// The replacement for text that differs each time. It is valid as a part of a name.
const TEXT: &str = "random";

/// The replacement for digits that differ each time. It is valid as a number.
const DIGITS: &str = "1";

/// Documents with more lines than this are not aligned line by line when their numbers of lines differ.
const MAX_ALIGNED: usize = 4_000;

/// A rendered text, and the bytes of it that differ at every rendering.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Masked {
    pub(super) text: String,
    pub(super) spans: Vec<Span>,
}

impl Masked {
    /// The differing spans. A span is dated if it differs from a rendering on another day, but not from `again`,
    /// which was rendered at the same time as `text`.
    pub(super) fn differing(&self, text: &str, again: &str) -> Vec<Differing> {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (one, other) = (lines(text), lines(again));
        let is_aligned = one.len() == other.len() && one.len() == self.text.lines().count();
        let line = |span: Span| self.text[..span.start].matches('\n').count();
        let is_dated = |span: Span| is_aligned && one[line(span)] == other[line(span)];
        self.spans.iter().map(|span| Differing { span: *span, is_dated: is_dated(*span) }).collect()
    }
}

/// Compares two renderings. Differences are replaced if `may_change` is set and both renderings become the same text;
/// otherwise the text stays, and the differences are only marked.
pub(super) fn masked(text: &str, again: &str, may_change: bool) -> Masked {
    if text != again && may_change {
        let found = mask(text, again);
        if found.text == mask(again, text).text && is_readable(&found.text) {
            return found;
        }
    }
    Masked { text: text.to_owned(), spans: differing(text, again) }
}

/// Whether each document is valid YAML.
fn is_readable(text: &str) -> bool {
    places::pieces(text).into_iter().all(|piece| Tree::default().read(piece.of(text)).is_ok())
}

/// The documents of two texts in pairs, as lines; a single pair with the whole texts if they have different numbers
/// of documents.
fn pairs<'t>(text: &'t str, again: &'t str) -> Vec<(Vec<&'t str>, Vec<&'t str>)> {
    let (ours, theirs) = (documents(text), documents(again));
    if ours.len() == theirs.len() {
        return ours.into_iter().zip(theirs).collect();
    }
    vec![(ours.concat(), theirs.concat())]
}

fn documents(text: &str) -> Vec<Vec<&str>> {
    let mut documents: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.split_inclusive('\n') {
        match documents.last_mut() {
            Some(last) if !line.starts_with("---") => last.push(line),
            _ => documents.push(vec![line]),
        }
    }
    documents
}

/// For each document that differs, the span from the first to the last line that differs.
fn differing(text: &str, again: &str) -> Vec<Span> {
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let (mut at, mut spans) = (0, Vec::new());
    for (ours, theirs) in pairs(text, again) {
        let (before, after) = ends(&ours, &theirs);
        if ours != theirs {
            let start = at + length(&ours[..before]);
            spans.push(Span::new(start, start + length(&ours[before..ours.len() - after])));
        }
        at += length(&ours);
    }
    spans
}

/// The number of equal items at the start, and of equal items at the end of the rest.
fn ends<T: PartialEq>(ours: &[T], theirs: &[T]) -> (usize, usize) {
    let before = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
    let rest = ours[before..].iter().rev().zip(theirs[before..].iter().rev());
    (before, rest.take_while(|(one, other)| one == other).count())
}

fn mask(text: &str, again: &str) -> Masked {
    let mut out = Masked::default();
    for (ours, theirs) in pairs(text, again) {
        if ours.len() == theirs.len() {
            ours.iter().zip(&theirs).for_each(|(one, other)| out.line(one, other));
        } else if ours.len().max(theirs.len()) <= MAX_ALIGNED {
            for op in capture_diff_slices(Algorithm::Myers, &ours, &theirs) {
                let (tag, one, other) = op.as_tag_tuple();
                out.lines(tag, &ours[one], &theirs[other]);
            }
        } else {
            let (before, after) = ends(&ours, &theirs);
            let end = ours.len() - after;
            ours[..before].iter().for_each(|line| out.text.push_str(line));
            out.lines(DiffTag::Replace, &ours[before..end], &theirs[before..theirs.len() - after]);
            ours[end..].iter().for_each(|line| out.text.push_str(line));
        }
    }
    out
}

impl Masked {
    /// Adds differing lines. If the renderings have different numbers of them, as with certificates, one line
    /// replaces them all.
    fn lines(&mut self, tag: DiffTag, ours: &[&str], theirs: &[&str]) {
        if ours.len() == theirs.len() || tag == DiffTag::Equal {
            ours.iter().zip(theirs).for_each(|(one, other)| self.line(one, other));
        } else if let Some(line) = ours.first().or(theirs.first()) {
            self.text.push_str(&line[..line.len() - line.trim_start().len()]);
            self.word(TEXT);
            self.text.push('\n');
        }
    }

    /// Adds a line in which the difference from the other line is replaced.
    fn line(&mut self, ours: &str, theirs: &str) {
        if ours == theirs {
            return self.text.push_str(ours);
        }
        let (one, other): (Vec<char>, Vec<char>) = (ours.chars().collect(), theirs.chars().collect());
        let (mut before, mut after) = ends(&one, &other);
        // Random letters at the edges can be equal by chance, so the difference is extended to the whole word.
        while before > 0 && is_part(one[before - 1]) {
            before -= 1;
        }
        while after > 0 && (is_part(one[one.len() - after]) || one[one.len() - after] == '=') {
            after -= 1;
        }
        let are_digits = |line: &[char]| line[before..line.len() - after].iter().all(|letter| letter.is_ascii_digit());
        self.text.extend(&one[..before]);
        self.word(if are_digits(&one) && are_digits(&other) { DIGITS } else { TEXT });
        self.text.extend(&one[one.len() - after..]);
    }

    fn word(&mut self, word: &str) {
        let start = self.text.len();
        self.text.push_str(word);
        self.spans.push(Span::new(start, self.text.len()));
    }
}

/// Whether a letter can be part of a random text, as base64, bcrypt and the functions `rand…` print it.
fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str, again: &str) -> (String, Vec<String>) {
        let found = masked(text, again, true);
        assert_eq!(found.spans.len(), masked(again, text, true).spans.len());
        let spans = found.spans.iter().map(|span| span.of(&found.text).to_owned()).collect();
        (found.text, spans)
    }

    #[test]
    fn words_stand_for_what_differs() {
        for (text, again, wanted) in [
            ("name: shop-k3x9a\n", "name: shop-kq71z\n", "name: shop-random\n"),
            ("name: shop-20261125-a\n", "name: shop-20271227-a\n", "name: shop-1-a\n"),
            ("password: \"cGFzcw==\"\n", "password: \"cGF4eA==\"\n", "password: \"random\"\n"),
            ("a: postgres://u:abc1@host/db\n", "a: postgres://u:Zq9x@host/db\n", "a: postgres://u:random@host/db\n"),
            ("a: {b: 1732, c: d}\n", "a: {b: 1801, c: d}\n", "a: {b: 1, c: d}\n"),
            ("id: 0a-b1-9f\n", "id: 11-b1-77\n", "id: random\n"),
            ("a: |\n  BEGIN\n  x1\n  y2\n  END\n", "a: |\n  BEGIN\n  z3\n  END\n", "a: |\n  BEGIN\n  random\n  END\n"),
        ] {
            let (masked, spans) = both(text, again);
            assert_eq!((masked.as_str(), spans.len()), (wanted, 1), "{text}");
            assert_eq!(masked, both(again, text).0);
        }
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_is_marked() {
        let (text, again) = ("a: 1\n---\nb:\n- c: 1\n- d: 2\ne: 3\n", "a: 1\n---\nb:\n- c: 4\ne: 3\n");
        assert_eq!(both(text, again), (text.to_owned(), vec!["- c: 1\n- d: 2\n".to_owned()]));
        assert_eq!(both(text, text), (text.to_owned(), vec![]));
    }
}
