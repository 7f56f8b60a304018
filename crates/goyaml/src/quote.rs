//! Quotes texts as JSON strings.

use std::fmt::Write;

/// Decides which characters are escaped, and whether null entries are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For Argo CD, which reads it as JSON or YAML. Also escapes characters that its YAML reader refuses or takes for a line break.
    Stream,
    /// For the preimage of the content hash (version 1): raw UTF-8, without null entries of maps.
    Canonical,
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_text(text, Form::Stream, &mut out);
    out
}

/// Writes `text` to `out`: a string or a digest, to which writing cannot fail.
pub fn push(out: &mut impl Write, text: &str) {
    // Writing cannot fail, see above.
    let _ = out.write_str(text);
}

/// Writes a text as a JSON string to `out`: a string or a digest, to which writing cannot fail.
pub(super) fn write_text(text: &str, form: Form, out: &mut impl Write) {
    push(out, "\"");
    let mut done = 0;
    for (at, found) in text.char_indices().filter(|(_, found)| is_escaped(*found, form)) {
        push(out, &text[done..at]);
        match found {
            '"' => push(out, "\\\""),
            '\\' => push(out, "\\\\"),
            _ => push(out, &format!("\\u{:04x}", u32::from(found))),
        }
        done = at + found.len_utf8();
    }
    push(out, &text[done..]);
    push(out, "\"");
}

fn is_escaped(found: char, form: Form) -> bool {
    match found {
        '"' | '\\' | '\0'..='\x1f' => true,
        '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => form == Form::Stream,
        _ => false,
    }
}
