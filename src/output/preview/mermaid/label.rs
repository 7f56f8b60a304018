//! Labels of a Mermaid diagram in which a stranger's words stay words.

use std::fmt::Write;

use crate::text::visible;

/// The most characters of a line of a label.
const WIDTH: usize = 200;

/// A line of a label, in which everything that Mermaid, HTML or Markdown could treat specially is an entity of Mermaid, `#34;`: quotes, backticks,
/// `#`, `<`, and what begins a list. Without the backticks of our messages, and cut at the end where it is too long.
fn line(text: &str) -> String {
    let text = visible(text).replace('`', "");
    let is_cut = text.chars().count() > WIDTH;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().take(if is_cut { WIDTH - 1 } else { WIDTH }).peekable();
    while let Some(one) = rest.next() {
        let is_plain = match (one, rest.peek()) {
            // With a `#` later in the word, the colon of `style:` makes a colour (`encodeEntities` in mermaid/src/utils.ts).
            (':', next) => next == Some(&' '),
            ('.', next) => next != Some(&' '),
            ('-', _) => !out.is_empty(),
            (' ' | ',' | ';' | '/' | '_' | '(' | ')' | '…' | '→', _) => true,
            (one, _) => one.is_alphanumeric(),
        };
        match is_plain {
            true => out.push(one),
            false => _ = write!(out, "#{};", u32::from(one)),
        }
    }
    if is_cut { out + "…" } else { out }
}

/// The label with these lines.
pub(super) fn of(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().filter(|text| !text.is_empty()).map(|text| line(text)).collect();
    format!("\"{}\"", lines.join("<br>"))
}
