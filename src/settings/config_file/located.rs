//! The config file as values with their places: the only file that knows `serde_yaml`, which has the values, and the YAML tree,
//! which has the places.

use std::collections::{BTreeMap, HashMap};

use serde_yaml::Value as Yaml;

use crate::settings::value::RawValue;
use crate::settings::words::Switch;
use crate::settings::{CONFIG_FILE, Error, ErrorKind, Provenance, strict};
use crate::text::{LineColumn, Lines};
use crate::yaml::{self, Node, Path, Tree};

/// The config file after parsing.
pub(super) struct Document<'t> {
    nodes: yaml::Document<'t>,
    lines: Lines,
    value: Yaml,
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
        let value = values(nodes).map_err(|error| {
            let place = error.location().map(|at| LineColumn { line: at.line(), column: at.column() });
            malformed(place.unwrap_or_else(|| at(text, 0)), without_place(&error.to_string()))
        })?;
        Ok(Self { nodes, lines: Lines::of(text), value })
    }

    /// The map that the file is; `None` when it is empty.
    pub(super) fn root(&self) -> Result<Option<Located<'_>>, Error> {
        let root = Located { document: self, value: &self.value, node: self.nodes.root() };
        match &self.value {
            Yaml::Null => Ok(None),
            Yaml::Mapping(_) => Ok(Some(root)),
            _ => Err(malformed(root.at(), format!("the config file is {}, expected a map", root.kind()))),
        }
    }
}

/// The values of a document. The tree that made the document has limited its aliases, and the nesting of its brackets, for which `serde_yaml` takes
/// quadratic time.
fn values(document: yaml::Document<'_>) -> serde_yaml::Result<Yaml> {
    serde_yaml::from_str(document.text())
}

/// All that the text of a config file says but the value of `key`, to compare it; none when it cannot be read.
pub(super) fn without(text: &str, key: &str) -> Option<impl PartialEq + use<>> {
    match values(Tree::default().read(text).ok()?).ok()? {
        Yaml::Mapping(mut map) => {
            map.remove(key);
            Some(Yaml::Mapping(map))
        }
        Yaml::Null => Some(Yaml::Mapping(serde_yaml::Mapping::new())),
        other => Some(other),
    }
}

/// A value of the config file, with its place.
#[derive(Clone, Copy)]
pub(super) struct Located<'d> {
    document: &'d Document<'d>,
    value: &'d Yaml,
    /// The node of the value, or of the list or map around it, where the two parsers read something differently.
    node: Option<Node<'d>>,
}

/// An entry of a map.
#[derive(Clone, Copy)]
pub(super) struct Entry<'d> {
    /// The key.
    pub(super) key: &'d str,
    key_node: Option<Node<'d>>,
    /// The value.
    pub(super) value: Located<'d>,
}

impl<'d> Located<'d> {
    /// Where the value is.
    pub(super) fn at(self) -> LineColumn {
        self.document.at(self.node)
    }

    /// The text, when the value is one.
    pub(super) fn as_str(self) -> Option<&'d str> {
        self.value.as_str()
    }

    /// The value as parameters take it.
    pub(super) fn raw(self) -> RawValue {
        raw(self.value)
    }

    /// The type of the value in words.
    pub(super) fn kind(self) -> &'static str {
        kind(self.value)
    }

    /// The items of a list, `None` for any other value.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let Self { document, value, node } = self;
        let mut nodes = node.into_iter().flat_map(|node| node.target().children());
        let items = value.as_sequence()?.iter();
        Some(items.map(|value| Self { document, value, node: nodes.next().or(node) }).collect())
    }

    /// The entries of a map, of which every key has to be a string; `None` for any other value.
    pub(super) fn entries(self) -> Result<Option<Vec<Entry<'d>>>, Error> {
        let Self { document, value, node } = self;
        let Some(map) = value.as_mapping() else { return Ok(None) };
        let written = node.into_iter().flat_map(|node| node.target().entries());
        let nodes: HashMap<&str, (Node<'_>, Node<'_>)> =
            written.map(|(key, value)| (content(key), (key, value))).collect();
        let entry = |(key, value): (&'d Yaml, &'d Yaml)| {
            let Some(key) = key.as_str() else {
                let message = format!("a key is {}, expected a string", kind(key));
                return Err(self.error("", ErrorKind::Malformed(message)));
            };
            let (key_node, value_node) = nodes.get(key).copied().unzip();
            Ok(Entry { key, key_node: key_node.or(node), value: Self { document, value, node: value_node.or(node) } })
        };
        map.iter().map(entry).collect::<Result<_, _>>().map(Some)
    }

    /// The place of an item, a key or a value in this list or map that is this text.
    pub(super) fn place_inside(self, text: &str) -> Option<LineColumn> {
        if let Some(items) = self.items() {
            return items.into_iter().find(|item| item.as_str() == Some(text)).map(Self::at);
        }
        let entries = self.entries().ok()??;
        entries.into_iter().find_map(|entry| {
            if entry.key == text {
                return Some(entry.key_at());
            }
            (entry.value.as_str() == Some(text)).then(|| entry.value.at())
        })
    }

    /// An error about the value of `key`.
    pub(super) fn error(self, key: &str, kind: ErrorKind) -> Error {
        Error::new(Provenance::ConfigFile { at: self.at(), key: key.to_owned() }, kind)
    }
}

impl Entry<'_> {
    /// The value as Argo CD would read it; text stays text. An error in it is one of this file.
    pub(super) fn yaml(self) -> Result<RawValue, Error> {
        if let Some(text) = self.value.as_str() {
            return Ok(RawValue::String(text.to_owned()));
        }
        // A value that comes from a merge key has no node of its own.
        let is_own = self.key_node.is_some_and(|key| content(key) == self.key);
        let Some(node) = self.value.node.filter(|_| is_own) else { return Ok(self.value.raw()) };
        let document = self.value.document;
        let value = node.value().map_err(|error| malformed(document.at_offset(error.offset), error.message))?;
        Ok(RawValue::Yaml(value))
    }

    /// The place of what is at this path of the value, or of its key.
    pub(super) fn place_at(self, path: &Path, is_key: bool) -> LineColumn {
        let document = self.value.document;
        let offset = self.value.node.map_or(0, |node| strict::offset(node, path, is_key));
        document.at_offset(offset)
    }

    /// Where the key is.
    pub(super) fn key_at(self) -> LineColumn {
        self.value.document.at(self.key_node)
    }

    /// An error about the value.
    pub(super) fn error(self, kind: ErrorKind) -> Error {
        self.value.error(self.key, kind)
    }

    /// The error that the value has another type than this one.
    pub(super) fn wrong_type(self, expected: &'static str) -> Error {
        self.error(ErrorKind::Type { found: self.value.kind(), expected })
    }
}

impl Document<'_> {
    fn at(&self, node: Option<Node<'_>>) -> LineColumn {
        self.at_offset(node.map_or(0, |node| node.span().start))
    }

    fn at_offset(&self, offset: usize) -> LineColumn {
        self.lines.at(self.nodes.text(), offset)
    }
}

/// The characters of a key; of the anchored key for an alias.
fn content(key: Node<'_>) -> &str {
    key.target().content()
}

/// The place of a byte; for one place only, since it counts the lines.
fn at(text: &str, offset: usize) -> LineColumn {
    LineColumn::of(text.as_bytes(), offset)
}

fn malformed(at: LineColumn, message: String) -> Error {
    Error::new(Provenance::ConfigFile { at, key: CONFIG_FILE.to_owned() }, ErrorKind::Malformed(message))
}

/// The message of `serde_yaml` without its place, which is printed before it.
fn without_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

fn kind(value: &Yaml) -> &'static str {
    match value {
        Yaml::Sequence(_) => "a list",
        Yaml::Mapping(_) => "a map",
        other => raw(other).kind(),
    }
}

fn raw(value: &Yaml) -> RawValue {
    match value {
        Yaml::Null => RawValue::Other("null"),
        Yaml::Bool(true) => RawValue::Bool(Switch::On),
        Yaml::Bool(false) => RawValue::Bool(Switch::Off),
        Yaml::Number(number) => number.as_i64().map_or(RawValue::Other("a number"), RawValue::Number),
        Yaml::String(text) => RawValue::String(text.clone()),
        Yaml::Sequence(items) => {
            let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(ToOwned::to_owned)).collect();
            texts.map_or(RawValue::Other("a list with items that are not strings"), RawValue::List)
        }
        Yaml::Mapping(map) => {
            let entry = |(key, value): (&Yaml, &Yaml)| Some((key.as_str()?.to_owned(), value.as_str()?.to_owned()));
            let texts: Option<BTreeMap<String, String>> = map.iter().map(entry).collect();
            texts.map_or(RawValue::Other("a map with values that are not strings"), RawValue::Map)
        }
        Yaml::Tagged(_) => RawValue::Other("a value with a tag"),
    }
}
