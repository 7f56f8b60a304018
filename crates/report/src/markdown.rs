//! Markdown in which a stranger's words stay words: no mention, link, image, HTML or cell is made of them.
//!
//! Messages put the user's words in backticks, and those words may contain backticks too, so the pairs are not trusted. Text inside a pair
//! becomes a code span. Outside, every word that Markdown or GitHub could treat specially becomes a code span as well. A wrong pairing changes
//! only the font.

use std::borrow::Cow;

use text::visible;

/// Where a text is: in a table cell, a bar ends the cell even inside a code span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// In a paragraph, a heading or an item of a list.
    Line,
    /// In a cell of a table.
    Cell,
}

/// A message or a sentence of this program, with the user's words in backticks.
pub fn sentence(text: &str, at: At) -> String {
    let text = visible(text);
    let mut parts = Parts::default();
    let mut rest = text.as_ref();
    while let Some((before, behind)) = rest.split_once('`') {
        // One without a partner is a character like others.
        let Some((inside, behind)) = behind.split_once('`') else { break };
        parts.words(before);
        parts.code(if inside.is_empty() { "``" } else { inside });
        rest = behind;
    }
    parts.words(rest);
    parts.print(at)
}

/// A text in a code span, whatever is in it.
pub fn code(text: &str, at: At) -> String {
    let text = visible(text);
    let text = match at {
        At::Line => text,
        At::Cell => Cow::Owned(without_bars(&text)),
    };
    if text.is_empty() {
        return "`\"\"`".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // A reader takes away one space at both ends, unless there is nothing else.
    let is_padded = text.starts_with(' ') && text.ends_with(' ') && text.contains(|found| found != ' ');
    let pad = if text.starts_with('`') || text.ends_with('`') || is_padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Opens a `<details>` block with this summary.
pub fn folded(summary: &str) -> String {
    format!("<details><summary>{}</summary>", html(summary))
}

/// As [`folded`], with a name behind the words, in `<code>`: GitHub notifies nobody who is mentioned there.
pub fn folded_with(words: &str, name: &str) -> String {
    format!("<details><summary>{} <code>{}</code></summary>", html(words), html(name))
}

/// As [`folded`], with a summary in `<code>`, such as a path: a mention in it is not live.
pub fn folded_code(summary: &str) -> String {
    format!("<details><summary><code>{}</code></summary>", html(summary))
}

/// Lines in a fence that is longer than any in them.
pub fn fenced(language: &str, body: &str) -> String {
    let fence = "`".repeat((longest_run(body) + 1).max(3));
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{body}{end}{fence}\n")
}

fn html(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes bars as GFM requires in a cell. A bar after a backslash cannot be escaped and is spelled out.
fn without_bars(text: &str) -> String {
    text.replace("\\|", "\\\\u{7c}").replace('|', "\\|")
}

fn longest_run(text: &str) -> usize {
    text.split(|found| found != '`').map(str::len).max().unwrap_or(0)
}

/// Text and code in turns. Adjacent code spans are merged: side by side, their backticks would be misread.
#[derive(Default)]
struct Parts(Vec<(bool, String)>);

impl Parts {
    fn add(&mut self, is_code: bool, text: &str) {
        match self.0.last_mut() {
            // Between two code spans, nothing would part them.
            _ if text.is_empty() => {}
            Some((last, whole)) if *last == is_code => whole.push_str(text),
            _ => self.0.push((is_code, text.to_owned())),
        }
    }

    fn code(&mut self, text: &str) {
        self.add(true, text);
    }

    /// Words with a space between them. At the start of a line a space, a dash or a number could begin a block.
    fn words(&mut self, text: &str) {
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 && !self.0.is_empty() && !self.0.last().is_some_and(|(_, last)| last.ends_with(' ')) {
                self.add(false, " ");
            }
            let is_first = self.0.is_empty();
            if is_word(word) && (!is_first || is_first_word(word)) {
                self.add(false, word);
                continue;
            }
            let (before, inside, behind) = without_punctuation(word);
            self.add(false, before);
            self.add(true, inside);
            self.add(false, behind);
        }
    }

    fn print(&self, at: At) -> String {
        let print = |(is_code, text): &(bool, String)| if *is_code { code(text, at) } else { text.clone() };
        self.0.iter().map(print).collect::<String>().trim_end().to_owned()
    }
}

/// Whether no Markdown, and nothing that GitHub makes of a text, begins in this word: `@name`, `#1`, `GH-1`, `www.x`, `https://x`, `:smile:`.
fn is_word(word: &str) -> bool {
    let is_plain = |found: char| found.is_alphanumeric() || ".,;:()'\"-/?%+=→…–—’“”".contains(found);
    let lower = word.to_lowercase();
    let is_link = ["www.", "://", "gh-"].iter().any(|part| lower.contains(part));
    word.chars().all(is_plain) && !is_link && word.matches(':').count() < 2
}

/// A word without the brackets and signs around it, which are no part of what it names.
fn without_punctuation(word: &str) -> (&str, &str, &str) {
    let inside = word.trim_start_matches(['(', '"', '\'']);
    let (before, inside) = word.split_at(word.len() - inside.len());
    let end = inside.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'']).len();
    match end {
        0 => ("", word, ""),
        _ => (before, &inside[..end], &inside[end..]),
    }
}

/// Whether a line that begins with this word is an ordinary paragraph.
fn is_first_word(word: &str) -> bool {
    let begins = word.starts_with(|first: char| first.is_alphanumeric() || "('\"…".contains(first));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    begins && !word.strip_suffix(['.', ')']).is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stay_as_they_are() {
        for text in [
            "`a` is read by `b`, which fails (see `c`)",
            "2 Jobs run: `a`; the name ends in `-x`",
            "Job `a`: the sync's wave 1.5 – 50% of 3 + 4 = 7…",
        ] {
            assert_eq!(sentence(text, At::Cell), text);
        }
    }

    #[test]
    fn what_is_more_than_a_word_becomes_code() {
        for (text, wanted) in [
            ("`a` @octocat ![x](https://e/p.png)` b", "`a` `@octocat` `` ![x](https://e/p.png)` `` b".to_owned()),
            ("a` b", "`` a` `` b".to_owned()),
            ("- a", "`-` a".to_owned()),
            ("1. a", "`1`. a".to_owned()),
            ("see (a.yaml:1:2).", "see (`a.yaml:1:2`).".to_owned()),
            ("    a  b ", "a b".to_owned()),
            ("see www.x.io, GH-1, o/r#1 and :100:", "see `www.x.io`, `GH-1`, `o/r#1` and `:100`:".to_owned()),
            ("`a``b`", "`ab`".to_owned()),
            ("`a` b` c ``` d", "`a` b```  c `` ``` d".to_owned()),
            ("`a`@b", "`a@b`".to_owned()),
            ("<b>*x*</b> $y$", "`<b>*x*</b>` `$y$`".to_owned()),
        ] {
            assert_eq!(sentence(text, At::Line), wanted, "{text}");
        }
        assert_eq!(sentence("`a|b` c|d \\", At::Cell), "`a\\|b` `c\\|d` `\\`");
    }

    #[test]
    fn a_code_span_holds_any_text() {
        for (text, line, cell) in [
            ("a", "`a`", "`a`"),
            ("", "`\"\"`", "`\"\"`"),
            ("`a", "`` `a ``", "`` `a ``"),
            ("a``b", "```a``b```", "```a``b```"),
            (" a ", "`  a  `", "`  a  `"),
            ("  ", "`  `", "`  `"),
            ("a|b", "`a|b`", "`a\\|b`"),
            ("a\\|b", "`a\\|b`", "`a\\\\u{7c}b`"),
            ("a\nb", "`a\\nb`", "`a\\nb`"),
        ] {
            assert_eq!((code(text, At::Line).as_str(), code(text, At::Cell).as_str()), (line, cell), "{text}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_those_in_it() {
        assert_eq!(fenced("diff", "+````\n"), "`````diff\n+````\n`````\n");
        assert_eq!(folded_code("a<b>&"), "<details><summary><code>a&lt;b&gt;&amp;</code></summary>");
    }
}
