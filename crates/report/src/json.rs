//! Writes a report as JSON: indented, with a line end.

use std::fmt::{Display, Write};

use serde::{Serialize, Serializer};
use text::is_unseen;

/// The text of a report. Its maps must have strings as keys, so that it can be written.
///
/// JSON allows characters that a terminal obeys or that nobody sees, and it is printed into logs like any text: they are escaped here,
/// and so is what a runner takes for a command. Outside of strings there are no such characters.
pub(super) fn to_json(report: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    // A copy only where it has to be one: the report on thousands of Jobs is several times as long as their manifests.
    if text.contains("##[") {
        text = text.replace("##[", "#\\u0023[");
    }
    text.push('\n');
    if !text.contains(|found| found != '\n' && is_unseen(found)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for found in text.chars() {
        if found != '\n' && is_unseen(found) {
            for unit in found.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(found);
        }
    }
    out
}

/// A list that makes each item only when it is written: all of them together would take more memory than their text.
pub(super) struct Made<I>(pub(super) I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Made<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// Writes a text straight to the output, without keeping a copy for each item.
pub(super) fn display<S: Serializer>(text: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_or_a_runner_obeys_is_escaped_and_read_as_before() {
        let texts = ["a\u{7f}\u{9b}\u{202e}\u{200b}\u{e0041}b", "##[error]x", "\\##[", "é\n\t🚀"];
        let text = to_json(&texts);
        assert_eq!(
            text,
            "[\n  \"a\\u007f\\u009b\\u202e\\u200b\\udb40\\udc41b\",\n  \"#\\u0023[error]x\",\n  \"\\\\#\\u0023[\",\n  \"é\\n\\t🚀\"\n]\n"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), texts);
    }
}
