#![doc = include_str!("../README.md")]
//!
//! Argo CD splits a stream at lines that begin with `---` (`k8s.io/apimachinery/pkg/util/yaml`), reads the first document of each piece with go-yaml v2,
//! and turns it into JSON; the repo-server then reads that JSON as YAML once more. [`split`] does the first step, [`tree`] and [`resolve`] the second.
//! [`check`] refuses what either step refuses, [`expansion`] measures what aliases expand to, [`edit`] changes a text in place, and [`json`] prints
//! documents that cannot be edited in place.
//!
//! Nothing here knows Kubernetes. argocd-jobs never emits its output through a YAML printer: a printer may write the text `"yes"` without quotes, and
//! Argo CD reads that as `true`. [`mod@block`] is only for the templates of Argo CD.

pub mod block;
pub mod change;
pub mod check;
mod decode;
pub mod documents;
pub mod edit;
pub mod expansion;
pub mod json;
pub mod json_document;
pub mod json_entry;
pub mod last_line;
mod marks;
pub mod node;
mod node_index;
pub mod number;
mod parser;
pub mod path;
mod properties;
mod quote;
pub mod resolve;
pub mod shared;
pub mod split;
mod tags;
pub mod tree;
pub mod value;

use std::fmt;

pub use change::{Change, Changes, Target};
pub use node::{Document, KeptDocument, Node};
pub use node_index::NodeIndex;
pub use parser::{Layout, Style};
pub use path::{Path, PathSet, Step};
pub use tree::{Kind, Tree};
pub use value::Value;

/// Why and where Argo CD's reader refuses a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset of the error in the text that was read.
    pub offset: usize,
    /// Byte offset of the start of the unfinished part of the document; often equal to `offset`.
    pub started: usize,
    /// What is wrong, lower case, without a place.
    pub message: String,
    /// What to do about it, if there is a hint.
    pub help: Option<&'static str>,
    /// Who refuses the text.
    pub by: RefusedBy,
}

/// Who refuses a text. Argo CD ignores a file that it cannot read and that does not look like a manifest. Nothing else may ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedBy {
    /// Argo CD's reader, and therefore this program.
    ArgoCd,
    /// A limit of this program. Argo CD may read the text.
    Limit,
    /// This program alone, because it cannot read the text, or because nobody means what Argo CD reads. Argo CD may read the text.
    Us,
}

impl SyntaxError {
    /// An error at the byte `offset` of the text, without help.
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, started: offset, message: message.into(), help: None, by: RefusedBy::ArgoCd }
    }

    /// The same error with a hint on what to do.
    pub fn with_help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// The error as one of a limit of this program.
    pub fn of_a_limit(mut self) -> Self {
        self.by = RefusedBy::Limit;
        self
    }

    /// The error as one that Argo CD does not make.
    pub fn of_us(mut self) -> Self {
        self.by = RefusedBy::Us;
        self
    }

    /// The same error, in a part of the document that starts at the byte `started`.
    pub fn started_at(mut self, started: usize) -> Self {
        self.started = started;
        self
    }

    /// The same error at another byte offset.
    pub fn moved_to(mut self, offset: usize) -> Self {
        (self.offset, self.started) = (offset, offset);
        self
    }

    /// The same error in a text that begins `by` bytes earlier.
    pub fn shifted(mut self, by: usize) -> Self {
        self.offset += by;
        self.started += by;
        self
    }
}

/// Whether a key or value in YAML or JSON may contain the word: literally, with escapes, or in base64 (`!!binary`). A text for which this is false
/// certainly does not, so it need not be read.
pub fn may_contain(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    let hides_letters = |at: usize| match (bytes[at], bytes.get(at + 1)) {
        (b'!', Some(next)) => matches!(next, b'!' | b'<'),
        // A character in hexadecimal digits, the slash of JSON, or a line break, which may be a character beyond ASCII.
        (_, Some(next)) => matches!(next, b'x' | b'u' | b'U' | b'/' | b'\n' | b'\r' | 0x80..),
        (_, None) => false,
    };
    memchr::memmem::find(bytes, word.as_bytes()).is_some()
        || memchr::memchr2_iter(b'\\', b'!', bytes).any(hides_letters)
}

/// Gives the texts at paths of keys: implemented by decoded values and by nodes.
pub trait TextAt {
    /// The text at a path of keys. None if the value there is not a text.
    fn text_at(&self, keys: &[&str]) -> Option<&str>;
}

impl TextAt for Value {
    fn text_at(&self, keys: &[&str]) -> Option<&str> {
        self.text_at(keys)
    }
}

impl TextAt for Node<'_> {
    fn text_at(&self, keys: &[&str]) -> Option<&str> {
        Node::text_at(*self, keys)
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.by == RefusedBy::Limit { f.write_str(", a limit of argocd-jobs") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_in_every_spelling() {
        let spellings = [
            "kind: Secret",
            r#"kind: "S\x65cret""#,
            r#"kind: "\u0053ecret""#,
            "kind: \"Sec\\\n  ret\"",
            "kind: \"Sec\\\u{2028}  ret\"",
            "kind: !!binary U2VjcmV0",
            "kind: !!%62inary U2VjcmV0",
            "kind: !<tag:yaml.org,2002:binary> U2VjcmV0",
        ];
        for text in spellings {
            assert_eq!(Value::read(text).unwrap().text_at(&["kind"]), Some("Secret"), "{text}");
            assert!(may_contain(text, "Secret"), "{text}");
        }
        assert!(may_contain(r#"{"a": "b\/c"}"#, "b/c"));
        for text in ["kind: ConfigMap", r#"a: "\"\n\t""#, "a: b != c # !", "a: ! b", ""] {
            assert!(!may_contain(text, "Secret"), "{text}");
        }
    }
}
