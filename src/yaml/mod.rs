//! YAML as Argo CD reads it, and edits of its text.
//!
//! Argo CD's reader is neither YAML 1.2 nor quite YAML 1.1: it splits a stream at lines that begin with `---`
//! (`k8s.io/apimachinery/pkg/util/yaml`), reads the first document of each piece with go-yaml v2, turns it into JSON, and
//! reads that JSON once more as YAML in the repo-server. [`split`] does the first, [`tree`] and [`resolve`] the
//! second, [`check`] refuses what either stage refuses, [`expansion`] measures what aliases expand to. [`edit`] changes a text in place; [`json`] prints what cannot be.
//!
//! Nothing here knows Kubernetes, and nothing that this program writes is ever printed through a YAML emitter: they read `"yes"` back as `true`.
//! [`mod@block`] prints what a template of Argo CD prints.

pub mod block;
pub mod change;
pub mod check;
mod decode;
pub mod edit;
pub mod expansion;
pub mod json;
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

/// What Argo CD's reader refuses, with the byte where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset in the text that was read.
    pub offset: usize,
    /// Byte offset at which the part of the document starts that could not be finished; often the same.
    pub started: usize,
    /// What is wrong, lower case, without a place.
    pub message: String,
    /// What to do about it, when there is something to say.
    pub help: Option<&'static str>,
    /// Whether Argo CD would read it, and a limit of this program is exceeded.
    pub is_limit: bool,
}

impl SyntaxError {
    /// An error at the byte `offset` of the text that was read, without help.
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, started: offset, message: message.into(), help: None, is_limit: false }
    }

    /// The same error with what to do about it.
    pub fn with_help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// The same error as one about a limit of this program.
    pub fn of_a_limit(mut self) -> Self {
        self.is_limit = true;
        self
    }

    /// The same error, about a part of the document that starts at the byte `started`.
    pub fn started_at(mut self, started: usize) -> Self {
        self.started = started;
        self
    }

    /// The same error at another place.
    pub fn moved_to(mut self, offset: usize) -> Self {
        (self.offset, self.started) = (offset, offset);
        self
    }

    /// The same error of a text that begins `by` bytes earlier.
    pub fn shifted(mut self, by: usize) -> Self {
        self.offset += by;
        self.started += by;
        self
    }
}

/// What has texts at paths of keys: a value, or a node that is not decoded.
pub trait TextAt {
    /// The text at a path of keys, when the value there is one.
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
        f.write_str(&self.message)
    }
}
