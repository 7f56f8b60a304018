//! The YAML of the config file, in which every value has its line and column.

use std::collections::BTreeMap;

use goyaml::resolve::Scalar;
use goyaml::{Node, Path, Tree};
use text::{LineColumn, Lines};

use crate::settings::value::RawValue;
use crate::settings::words::Switch;
use crate::settings::{CONFIG_FILE, Error, ErrorKind, Provenance, strict};

/// The config file after parsing.
pub(super) struct Document<'t> {
    nodes: goyaml::Document<'t>,
    lines: Lines,
}

impl<'t> Document<'t> {
    /// Parses the text of the file, without a byte order mark, into `tree`.
    pub(super) fn parse(text: &'t str, tree: &'t mut Tree) -> Result<Self, Error> {
        let nodes = tree.read(text).map_err(|error| malformed(at(text, error.offset), error.message))?;
        if let Some(fault) = strict::fault(nodes, "the config file") {
            let place = at(text, fault.offset);
            return Err(match fault.repeated {
                Some(key) => Error::new(Provenance::ConfigFile { at: place, key }, ErrorKind::Twice),
                None => malformed(place, fault.message),
            });
        }
        Ok(Self { nodes, lines: Lines::of(text) })
    }

    /// The map at the top of the file; `None` when the file is empty, an error when it holds anything else.
    pub(super) fn root(&self) -> Result<Option<Located<'_>>, Error> {
        let Some(node) = self.nodes.root() else { return Ok(None) };
        let root = Located { document: self, node };
        match root.raw() {
            RawValue::Other("null") => Ok(None),
            _ if node.is_map() => Ok(Some(root)),
            _ => Err(malformed(root.at(), format!("the config file is {}, expected a map", root.kind()))),
        }
    }

    fn at(&self, offset: usize) -> LineColumn {
        self.lines.at(self.nodes.text(), offset)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Located<'d> {
    document: &'d Document<'d>,
    /// The node as written. An alias is not followed, so the place of an error is the alias.
    node: Node<'d>,
}

#[derive(Clone, Copy)]
pub(super) struct Entry<'d> {
    pub(super) key: &'d str,
    key_node: Node<'d>,
    pub(super) value: Located<'d>,
}

impl<'d> Located<'d> {
    pub(super) fn at(self) -> LineColumn {
        self.document.at(self.node.span().start)
    }

    /// The value, when it is a text.
    pub(super) fn as_str(self) -> Option<&'d str> {
        self.node.target().as_text()
    }

    /// The value in the form that the parsers of parameters take.
    pub(super) fn raw(self) -> RawValue {
        let node = self.node.target();
        if node.is_list() {
            let texts = node.items().map(text).collect::<Option<_>>();
            return texts.map_or(RawValue::Other("a list with items that are not strings"), RawValue::List);
        }
        if node.is_map() {
            let entry = |(key, value)| Some((text(key)?, text(value)?));
            let texts = node.entries().map(entry).collect::<Option<BTreeMap<_, _>>>();
            return texts.map_or(RawValue::Other("a map with values that are not strings"), RawValue::Map);
        }
        match node.resolve() {
            Ok(Scalar::Null) => RawValue::Other("null"),
            Ok(Scalar::Bool(true)) => RawValue::Bool(Switch::On),
            Ok(Scalar::Bool(false)) => RawValue::Bool(Switch::Off),
            Ok(Scalar::Int(number)) => RawValue::Number(number),
            Ok(Scalar::Float(_)) => RawValue::Other("a number"),
            Ok(Scalar::Text(text)) => RawValue::String(text.into_owned()),
            Err(_) => RawValue::Other("a value that does not fit its tag"),
        }
    }

    /// An error if the value is a number or a boolean here, where the file is read as YAML 1.1, and something else in YAML 1.2.
    pub(super) fn refuse_ambiguous(self, key: &str) -> Result<(), Error> {
        let node = self.node.target();
        let written = node.content();
        let (meant, is_alike) = match node.resolve() {
            // Hexadecimal numbers are alike, and `0600` and `1_000` are not.
            Ok(Scalar::Int(number)) => {
                let is_alike = written.starts_with("0x") || written.parse::<f64>() == Ok(number as f64);
                (number.to_string(), is_alike)
            }
            Ok(Scalar::Bool(flag)) => {
                (flag.to_string(), written.eq_ignore_ascii_case(if flag { "true" } else { "false" }))
            }
            _ => return Ok(()),
        };
        match is_alike {
            true => Ok(()),
            false => Err(self.error(key, ErrorKind::Ambiguous { written: written.to_owned(), meant })),
        }
    }

    /// The type of the value in words, for a message.
    pub(super) fn kind(self) -> &'static str {
        let node = self.node.target();
        if node.is_list() {
            "a list"
        } else if node.is_map() {
            "a map"
        } else {
            self.raw().kind()
        }
    }

    /// The items of a list, `None` for any other value.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let list = self.node.target();
        list.is_list().then(|| list.items().map(|node| Self { node, ..self }).collect())
    }

    /// Returns the entries of a map in the order of the file; `None` for any other value. A key that is not a string is an error.
    pub(super) fn entries(self) -> Result<Option<Vec<Entry<'d>>>, Error> {
        let map = self.node.target();
        if !map.is_map() {
            return Ok(None);
        }
        let entry = |(key_node, node): (Node<'d>, Node<'d>)| {
            let Some(key) = key_node.target().as_text() else {
                let kind = Self { node: key_node, ..self }.kind();
                return Err(self.error("", ErrorKind::Malformed(format!("a key is {kind}, expected a string"))));
            };
            Ok(Entry { key, key_node, value: Self { node, ..self } })
        };
        map.entries().map(entry).collect::<Result<_, _>>().map(Some)
    }

    /// The place of the first item, key or value in this list or map that equals `text`.
    pub(super) fn place_inside(self, text: &str) -> Option<LineColumn> {
        let is_it = |node: &Node<'_>| node.target().as_text() == Some(text);
        let found = self.node.target().children().find(is_it)?;
        Some(Self { node: found, ..self }.at())
    }

    /// An error about the value of `key`.
    pub(super) fn error(self, key: &str, kind: ErrorKind) -> Error {
        Error::new(Provenance::ConfigFile { at: self.at(), key: key.to_owned() }, kind)
    }
}

impl Entry<'_> {
    /// The value as Argo CD would read it; a text is returned as it is. A YAML error in it is an error of the config
    /// file.
    pub(super) fn yaml(self) -> Result<RawValue, Error> {
        if let Some(text) = self.value.as_str() {
            return Ok(RawValue::String(text.to_owned()));
        }
        let document = self.value.document;
        let value = self.value.node.value().map_err(|error| malformed(document.at(error.offset), error.message))?;
        Ok(RawValue::Yaml(value))
    }

    /// The place of the value at this path below the entry, or of its key.
    pub(super) fn place_at(self, path: &Path, is_key: bool) -> LineColumn {
        self.value.document.at(strict::offset(self.value.node, path, is_key))
    }

    pub(super) fn key_at(self) -> LineColumn {
        self.value.document.at(self.key_node.span().start)
    }

    /// An error about the value.
    pub(super) fn error(self, kind: ErrorKind) -> Error {
        self.value.error(self.key, kind)
    }

    /// The error for a value of another type than `expected`.
    pub(super) fn wrong_type(self, expected: &'static str) -> Error {
        self.error(ErrorKind::Type { found: self.value.kind(), expected })
    }
}

/// The text of a key or of a value; `None` when it is not a text.
fn text(node: Node<'_>) -> Option<String> {
    node.target().as_text().map(ToOwned::to_owned)
}

/// Line and column of a byte. Counts the lines from the start, so it is slow when called often.
fn at(text: &str, offset: usize) -> LineColumn {
    LineColumn::of(text.as_bytes(), offset)
}

fn malformed(at: LineColumn, message: String) -> Error {
    Error::new(Provenance::ConfigFile { at, key: CONFIG_FILE.to_owned() }, ErrorKind::Malformed(message))
}
