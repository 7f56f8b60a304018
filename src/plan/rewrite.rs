//! The new text of a piece, held as what is different in it.

use crate::text::Span;
use crate::yaml::edit::EditKind;

/// A piece of a manifest with its new text. Most of that is the old text, so only the part between the first and the last difference is
/// held: a plan has one for each of thousands of Jobs.
#[derive(Clone, Debug)]
pub struct Rewrite {
    manifest: u32,
    start: u32,
    end: u32,
    /// How many bytes of the old text stay before the new part, and how many after it.
    before: u32,
    after: u32,
    /// How the text was made.
    pub kind: EditKind,
    new: Box<str>,
}

impl Rewrite {
    /// The rewrite of the piece `span` of a manifest, whose text is `old` and becomes `new`.
    pub(super) fn new((manifest, span): (usize, Span), old: &str, new: &str, kind: EditKind) -> Self {
        let before = common(old.bytes(), new.bytes(), old.len().min(new.len()));
        let before = (0..=before).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0);
        let most = old.len().min(new.len()) - before;
        let after = common(old.bytes().rev(), new.bytes().rev(), most);
        let is_boundary =
            |after: &usize| old.is_char_boundary(old.len() - after) && new.is_char_boundary(new.len() - after);
        let after = (0..=after).rev().find(is_boundary).unwrap_or(0);
        // Lossless: all manifests together have at most a gibibyte.
        Self {
            manifest: manifest as u32,
            start: span.start as u32,
            end: span.end as u32,
            before: before as u32,
            after: after as u32,
            kind,
            new: new[before..new.len() - after].into(),
        }
    }

    /// The index of the manifest, and the piece of it.
    pub fn place(&self) -> (usize, Span) {
        (self.manifest as usize, Span::new(self.start as usize, self.end as usize))
    }

    /// The parts of the new text of the piece, whose old text is `old`.
    pub fn parts<'t>(&'t self, old: &'t str) -> [&'t str; 3] {
        [&old[..self.before as usize], &self.new, &old[old.len() - self.after as usize..]]
    }

    /// The new text of the piece, whose old text is `old`.
    pub fn text(&self, old: &str) -> String {
        self.parts(old).concat()
    }
}

/// How many of the first `most` bytes are the same.
fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>, most: usize) -> usize {
    one.zip(other).take(most).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_new_one_whatever_the_two_have_in_common() {
        for (old, new, held) in [
            ("name: a\nspec: {}\n", "name: a-1\nspec: {}\n", "-1"),
            ("a", "a", ""),
            ("aa", "a", ""),
            ("a", "aa", "a"),
            ("", "x", "x"),
            ("x", "", ""),
            ("aba", "ababa", "ba"),
            // Characters that have a byte in common stay whole, at both ends.
            ("é", "è", "è"),
            ("xé", "xĩ", "ĩ"),
            ("a\u{e9}b", "a\u{129}b", "\u{129}"),
        ] {
            let rewrite = Rewrite::new((3, Span::new(7, 7 + old.len())), old, new, EditKind::InPlace);
            assert_eq!(rewrite.text(old), new);
            assert_eq!(&*rewrite.new, held, "{old} → {new}");
            assert_eq!(rewrite.place(), (3, Span::new(7, 7 + old.len())));
        }
    }
}
