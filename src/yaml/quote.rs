//! Texts as JSON strings.

use std::fmt::Write;

/// Which characters are escaped, and whether nulls are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be read by Argo CD, as JSON or as YAML: also escapes what YAML's reader refuses or takes for a line break.
    Stream,
    /// The preimage of the content hash (version 1): raw UTF-8, null entries of maps left out.
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
    // No error is possible, see above.
    let _ = out.write_str(text);
}

/// Writes a text as a JSON string to `out`, which must not fail.
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
