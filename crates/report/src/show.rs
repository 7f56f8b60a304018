//! How much text for people shows, how wide it is, and how it looks.

use text::visible;

use super::paint::{Ink, Paint};

/// What the front end knows about the reader and the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// Whether to colour.
    pub paint: Paint,
    /// The width of the terminal in columns; none if nothing is wrapped.
    pub width: Option<usize>,
    /// True for everything, one thing after the other: nothing is grouped, and nothing hidden.
    pub all: bool,
    /// True when findings of the level info are shown like others.
    pub info: bool,
    /// True when only what another version does not have is shown.
    pub only_new: bool,
}

impl Show {
    /// The most names of a list that are printed: `few`, or all of them for somebody who asks for everything.
    pub fn at_most(&self, few: usize) -> usize {
        if self.all { usize::MAX } else { few }
    }

    /// A sentence in lines that fit; the first line begins with `first`, the others with `rest`.
    pub fn wrapped(&self, text: &str, first: &str, rest: &str) -> String {
        let Some(width) = self.width else { return format!("{first}{text}") };
        let options = textwrap::Options::new(width).initial_indent(first).subsequent_indent(rest);
        let options = options.break_words(false).word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::fill(text, options.word_separator(textwrap::WordSeparator::AsciiSpace))
    }

    /// A sentence, harmless to print, in lines that fit, with a line end. Lines after the first are indented.
    pub fn line(&self, text: &str) -> String {
        self.inked(Ink::Plain, text)
    }

    /// A sentence in a colour, in lines like those of [`Show::line`].
    pub fn inked(&self, ink: Ink, text: &str) -> String {
        self.paint.ink(ink, self.wrapped(&visible(text), "", "  ")) + "\n"
    }

    /// A sentence after a coloured word and a colon, in lines like those of [`Show::line`]: `help: …`.
    pub fn labelled(&self, ink: Ink, label: &str, text: &str) -> String {
        let first = format!("{}: ", self.paint.ink(ink, label));
        self.wrapped(&visible(text), &first, "  ") + "\n"
    }
}

impl From<Paint> for Show {
    /// What is shown when nobody asks for more or less.
    fn from(paint: Paint) -> Self {
        Self { paint, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_wrapped_at_the_width_and_no_word_is_cut() {
        let show = |width| Show { width, ..Show::default() };
        assert_eq!(show(None).wrapped("a b c", "- ", "  "), "- a b c");
        assert_eq!(show(Some(8)).wrapped("aaa bbb-ccc-ddd-eee f", "- ", "  "), "- aaa\n  bbb-ccc-ddd-eee\n  f");
    }
}
