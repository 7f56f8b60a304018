//! Refuses documents that parse, but that Argo CD does not accept.
//!
//! Most documents have no alias, no merge key and no odd scalar; for those one pass over the nodes is enough. The others
//! are decoded as go-yaml decodes them, and the first refusal is the answer.

use super::node::{Document, Node};
use super::parser::Style;
use super::tree::Kind;
use super::{Layout, SyntaxError, resolve};

impl Document<'_> {
    /// Returns the document, or an error at the first place that Argo CD refuses although it parses. A document without content passes.
    pub fn checked(self) -> Result<Self, SyntaxError> {
        let Some(root) = self.root() else { return Ok(self) };
        if let Some(offset) = question_mark(self) {
            let message = "Argo CD's reader does not accept `?` in an unquoted string inside `[]` or `{}`";
            return Err(SyntaxError::new(offset, message).with_help("put the string in quotes"));
        }
        if let Some(offset) = escaped_slash(self) {
            let message = "Argo CD's reader does not accept `\\/` in a string";
            return Err(SyntaxError::new(offset, message).with_help("write `/`"));
        }
        if self.has_references() || self.nodes().any(is_odd) || self.nodes().any(has_odd_key) {
            root.refused()?;
        }
        Ok(self)
    }
}

/// The offset of the first `?` in a plain scalar of a flow collection. There go-yaml v2 takes it for the start of a key
/// (`yaml_parser_scan_plain_scalar` in `scannerc.go`); the parser of this program takes it for text. Applies to manifests only: go-yaml v3, which
/// reads the files of kustomize and helm, agrees with our parser.
fn question_mark(document: Document<'_>) -> Option<usize> {
    memchr::memchr(b'?', document.text().as_bytes())?;
    let mut flow_end = 0;
    document.nodes().find_map(|node| {
        let span = node.span();
        match node.kind() {
            Kind::Sequence(Layout::Flow) | Kind::Mapping(Layout::Flow) => flow_end = flow_end.max(span.end),
            Kind::Scalar(Style::Plain) if span.start < flow_end && span.of(document.text()).contains('?') => {
                // An anchor or a tag comes before the content.
                return span.of(document.text()).rfind('?').map(|at| span.start + at);
            }
            _ => {}
        }
        None
    })
}

/// The offset of the first `\/` in a double-quoted string: JSON and YAML 1.2 have this escape, go-yaml v2 does not.
fn escaped_slash(document: Document<'_>) -> Option<usize> {
    let text = document.text();
    memchr::memmem::find(text.as_bytes(), b"\\/")?;
    document.nodes().filter(|node| node.kind() == Kind::Scalar(Style::DoubleQuoted)).find_map(|node| {
        let span = node.span();
        let mut bytes = span.of(text).bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            if byte == b'\\' && bytes.next().is_some_and(|(_, escaped)| escaped == b'/') {
                return Some(span.start + at);
            }
        }
        None
    })
}

/// Whether a scalar could be refused, or mean something other than its characters: it has a tag, is not a slice of the text, or is infinite.
fn is_odd(node: Node<'_>) -> bool {
    let Kind::Scalar(style) = node.kind() else { return false };
    if node.tag().is_some() {
        return true;
    }
    let content = node.content();
    if node.is_composed() {
        return content.chars().any(|char| char >= '\x7f');
    }
    style == Style::Plain
        && content.len() <= 5
        && content.starts_with(['.', '+', '-'])
        && matches!(resolve::plain(content), resolve::Scalar::Float(number) if !number.is_finite())
}

/// Whether a map has a key that is not a scalar, is null, is a number beyond `int64`, or is too long for the repo-server's second reading.
fn has_odd_key(map: Node<'_>) -> bool {
    map.entries().any(|(key, _)| {
        let Kind::Scalar(style) = key.kind() else { return true };
        let content = key.content();
        content.len() > 1000
            || style == Style::Plain
                && (matches!(content, "" | "~" | "null" | "Null" | "NULL")
                    || content.len() > 18 && matches!(resolve::plain(content), resolve::Scalar::Float(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Tree, parser};

    fn is_accepted(text: &str) -> bool {
        Tree::default().read(text).and_then(|document| document.checked()).is_ok()
    }

    #[test]
    fn what_argo_cd_refuses_in_a_value_is_refused_without_being_asked_for() {
        for text in [
            "a: .inf",
            "a: -.Inf",
            "a: !!int x",
            "a: \"\\x7f\"",
            "a: \"\\x80\"",
            "a: \"\\x01\\u0085\\ufffe\"",
            "a: &a [*a]",
            "a: {<<: 1}",
            "a: \"b\\/c\"",
            "\"a\\/b\": c",
        ] {
            assert!(!is_accepted(text), "{text}");
        }
        for text in [
            "",
            "a: .inf1",
            "a: '.inf'",
            "a: 1e3",
            "a: !!int 1",
            "a: \"\\t\\n\\xa0\"",
            "a: &a [b]",
            "b: \"\\x01\"",
            "a: b\\/c",
            "a: \"\\\\/b\"",
        ] {
            assert!(is_accepted(text), "{text}");
        }
    }

    #[test]
    fn what_argo_cd_refuses_as_a_key_is_refused_without_being_asked_for() {
        let long = |length: usize| format!("? {}\n: b", "k".repeat(length));
        // An integer of 19 digits can exceed `int64`.
        for text in [
            "? [a]\n: b",
            "? {}\n: b",
            "? \n: b",
            "~: 1",
            "null: 1",
            "Null: 1",
            "NULL: 1",
            "18446744073709551615: 1",
            &long(1023),
        ] {
            assert!(!is_accepted(text), "{text}");
        }
        for text in [
            "'': 1",
            "'~': 1",
            "\"null\": 1",
            "nUll: 1",
            "9223372036854775807: 1",
            "'18446744073709551615': 1",
            &long(1022),
        ] {
            assert!(is_accepted(text), "{text}");
        }
    }

    #[test]
    fn a_character_that_yaml_does_not_allow_is_refused_where_it_is() {
        for (text, at) in [("a: \u{7}\n", 3), ("\u{7}", 0), ("\u{feff}a: \u{7}\n", 6), ("é: b\nc: \u{7f}", 9)] {
            let error = Tree::default().read(text).map(drop).unwrap_err();
            assert_eq!((error.offset, error.message.as_str()), (at, "control characters are not allowed"), "{text:?}");
        }
    }

    #[test]
    fn no_directive_but_yaml_1_1_is_accepted() {
        assert!(is_accepted("%YAML 1.1\n---\na: b\n"));
        for version in ["1.0", "1.2", "2.1"] {
            assert!(!is_accepted(&format!("%YAML {version}\n---\na: b\n")), "{version}");
        }
    }

    #[test]
    fn the_parser_reads_what_is_readable_and_nothing_else() {
        let borders = [0..0x300, 0x2020..0x2030, 0xd7f0..0xe010, 0xfe00..0x1_0010, 0x10_fff0..0x11_0000];
        for found in borders.into_iter().flatten().filter_map(char::from_u32).filter(|found| !"\"\\".contains(*found)) {
            let is_read = Tree::default().read(&format!("\"{found}\"")).is_ok();
            assert_eq!(is_read, parser::is_readable(found), "{found:?}");
        }
    }

    #[test]
    fn a_question_mark_counts_in_brackets_only() {
        for text in ["a?: b", "? a?\n: b", "a: b?", "a: [b]\nc: d?", "- [a]\n- b?", "a: [\"b?\"]"] {
            assert!(is_accepted(text), "{text}");
        }
        for text in ["[a?]", "{a?: b}", "[[a], b?]", "{. ?}", "[a?-z]"] {
            assert!(!is_accepted(text), "{text}");
        }
    }
}
