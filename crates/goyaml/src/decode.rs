//! Nodes → values. Follows aliases and applies merge keys as go-yaml v2 does (`decode.go`).

use litemap::LiteMap;

use super::node::Node;
use super::resolve::Scalar;
use super::shared::Text;
use super::tree::Kind;
use super::value::{Map, Value};
use super::{SyntaxError, expansion, number, parser};

impl Node<'_> {
    /// The value that Argo CD reads, or an error at the first place that it refuses.
    pub fn value(self) -> Result<Value, SyntaxError> {
        Decoder::new().decode(self)
    }

    /// Returns the error that [`Node::value`] would return, without building the value.
    pub(super) fn refused(self) -> Result<(), SyntaxError> {
        Decoder::new().check(self)
    }

    /// The entries of a map as Argo CD reads them, without the entry `key`.
    pub(super) fn map_without(self, key: &str) -> Result<Map, SyntaxError> {
        let (mut decoder, mut entries) = (Decoder::new(), Vec::new());
        for entry in self.entries().filter(|(name, _)| !name.is_key(key)) {
            decoder.entry(entry, &mut entries)?;
        }
        Ok(map(entries))
    }
}

/// The entries of a map in the order in which go-yaml assigns them.
type Entries = Vec<(Text, Value)>;

/// Makes a map of the entries, without a copy. Of equal keys the last one counts.
fn map(mut entries: Entries) -> Map {
    if !entries.is_sorted_by(|(one, _), (next, _)| one < next) {
        entries.reverse();
        entries.sort_by(|(one, _), (next, _)| one.cmp(next));
        entries.dedup_by(|(next, _), (one, _)| one == next);
    }
    LiteMap::from_sorted_store_unchecked(entries).into()
}

/// go-yaml's decoder. It counts the nodes that aliases expand to.
struct Decoder<'t> {
    decoded: usize,
    through_alias: usize,
    /// The aliases that are being followed.
    open: Vec<Node<'t>>,
}

impl<'t> Decoder<'t> {
    fn new() -> Self {
        Self { decoded: 0, through_alias: 0, open: Vec::new() }
    }

    fn decode(&mut self, node: Node<'t>) -> Result<Value, SyntaxError> {
        self.count(node)?;
        match node.kind() {
            Kind::Alias => self.follow(node, Self::decode),
            Kind::Scalar(_) => self.scalar(node),
            Kind::Sequence(_) => {
                // Exact capacity: a growing list would reserve four items, and most lists have one.
                let mut items = Vec::with_capacity(node.items().count());
                for child in node.items() {
                    items.push(self.decode(child)?);
                }
                Ok(Value::List(items.into()))
            }
            Kind::Mapping(_) => {
                let mut entries = Vec::with_capacity(node.entries().count());
                self.mapping(node, &mut entries)?;
                Ok(Value::Map(map(entries)))
            }
        }
    }

    /// Returns the errors that `decode` returns, and counts nodes in the same way.
    fn check(&mut self, node: Node<'t>) -> Result<(), SyntaxError> {
        self.count(node)?;
        match node.kind() {
            Kind::Alias => self.follow(node, Self::check),
            Kind::Scalar(_) => self.scalar(node).map(drop),
            Kind::Sequence(_) => node.items().try_for_each(|item| self.check(item)),
            Kind::Mapping(_) => node.entries().enumerate().try_for_each(|(index, (key, value))| {
                let checked = if key.is_merge() {
                    self.merge(value, &mut Vec::new())
                } else {
                    self.count(key).and_then(|()| self.key(key)).and_then(|_| self.check(value))
                };
                checked.map_err(|error| replaced(error, node, index))
            }),
        }
    }

    fn follow<T>(
        &mut self,
        alias: Node<'t>,
        then: impl FnOnce(&mut Self, Node<'t>) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.open.contains(&alias) {
            return Err(self.refused(alias, "the value of an anchor contains itself"));
        }
        if self.open.len() > parser::MAX_DEPTH {
            return Err(self.refused(alias, "aliases are nested too deeply").of_a_limit());
        }
        self.open.push(alias);
        let result = then(self, alias.target());
        self.open.pop();
        result
    }

    /// Counts a decoded node. Inside an alias it also counts as a node from an alias.
    fn count(&mut self, node: Node<'t>) -> Result<(), SyntaxError> {
        self.decoded += 1;
        if self.open.is_empty() {
            return Ok(());
        }
        self.through_alias += 1;
        if expansion::is_bomb(self.through_alias, self.decoded) {
            let alias = self.open.first().copied().unwrap_or(node);
            return Err(self.refused(alias, "too much of the document comes from aliases"));
        }
        Ok(())
    }

    fn mapping(&mut self, node: Node<'t>, entries: &mut Entries) -> Result<(), SyntaxError> {
        for (index, entry) in node.entries().enumerate() {
            self.entry(entry, entries).map_err(|error| replaced(error, node, index))?;
        }
        Ok(())
    }

    fn entry(&mut self, (key, value): (Node<'t>, Node<'t>), entries: &mut Entries) -> Result<(), SyntaxError> {
        if key.is_merge() {
            return self.merge(value, entries);
        }
        self.count(key)?;
        let name = self.key(key)?.into();
        let decoded = self.decode(value)?;
        entries.push((name, decoded));
        Ok(())
    }

    fn merge(&mut self, node: Node<'t>, entries: &mut Entries) -> Result<(), SyntaxError> {
        match node.target().kind() {
            Kind::Mapping(_) => self.merge_one(node, entries),
            Kind::Sequence(_) if node.kind() != Kind::Alias => {
                let parts: Vec<Node<'t>> = node.items().collect();
                parts.into_iter().rev().try_for_each(|part| self.merge_one(part, entries))
            }
            _ => Err(self.refused(node, "`<<` needs a map or a list of maps as its value")),
        }
    }

    fn merge_one(&mut self, node: Node<'t>, entries: &mut Entries) -> Result<(), SyntaxError> {
        self.count(node)?;
        match (node.kind(), node.target().kind()) {
            (Kind::Alias, Kind::Mapping(_)) => self.follow(node, |this, target| {
                this.count(target)?;
                this.mapping(target, entries)
            }),
            (Kind::Mapping(_), _) => self.mapping(node, entries),
            _ => Err(self.refused(node, "`<<` needs a map or a list of maps as its value")),
        }
    }

    fn scalar(&self, node: Node<'t>) -> Result<Value, SyntaxError> {
        let scalar = node.resolve().map_err(|message| self.refused(node, message))?;
        Ok(match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(found) => Value::Bool(found),
            Scalar::Int(found) => Value::Int(found),
            Scalar::Float(found) if found.is_finite() => Value::Float(found),
            Scalar::Float(_) => return Err(self.refused(node, "JSON has no such number")),
            Scalar::Text(found) => Value::String(self.second_reading(node, &found)?.into()),
        })
    }

    /// A key as a string (`convertToJSONableObject` in sigs.k8s.io/yaml).
    fn key(&self, node: Node<'t>) -> Result<String, SyntaxError> {
        let target = node.target();
        if !target.is_scalar() {
            return Err(self.refused(node, "the key of a map must be a scalar"));
        }
        let scalar = target.resolve().map_err(|message| self.refused(node, message))?;
        let written = target.content();
        let is_integer = number::parse_integer(&written.replace('_', "")).is_some();
        let name = match scalar {
            Scalar::Null => return Err(self.refused(node, "the key of a map must not be null")),
            Scalar::Bool(found) => found.to_string(),
            Scalar::Int(found) if is_integer || !number::is_yaml_float(written) => found.to_string(),
            Scalar::Int(_) => number::print_float_key(number::parse_float(written).unwrap_or(0.0)),
            Scalar::Float(_) if is_integer => {
                return Err(self.refused(node, "an integer that is the key of a map must fit into 64 bits"));
            }
            Scalar::Float(found) => number::print_float_key(found),
            Scalar::Text(found) => self.second_reading(node, &found)?,
        };
        if name.len() > 1000 && name.chars().count() > 1022 {
            return Err(self.refused(node, "the key of a map must not be longer than 1024 characters").of_us());
        }
        Ok(name)
    }

    /// The second reading of a text. The cmp-server prints JSON without escapes; the repo-server, which reads it as YAML, refuses control characters
    /// and takes U+0085 for a line break.
    fn second_reading(&self, node: Node<'t>, text: &str) -> Result<String, SyntaxError> {
        if text.bytes().all(|byte| (0x20..0x7f).contains(&byte) || byte == b'\n' || byte == b'\t') {
            return Ok(text.to_owned());
        }
        if text.chars().any(|found| found >= ' ' && !parser::is_readable(found)) {
            return Err(self.refused(node, "control characters are not allowed").of_us());
        }
        Ok(if text.contains('\u{85}') { fold_next_lines(text) } else { text.to_owned() })
    }

    fn refused(&self, node: Node<'t>, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(node.span().start, message)
    }
}

/// An error in an entry of a map. Argo CD does not see it if a later entry has the same key: it checks what is left after that.
fn replaced(error: SyntaxError, map: Node<'_>, index: usize) -> SyntaxError {
    let mut entries = map.entries().skip(index).map(|(key, _)| key);
    let is_replaced = entries.next().is_some_and(|key| {
        key.is_merge() || entries.any(|later| later.is_merge() || later.target().content() == key.target().content())
    });
    if is_replaced { error.of_us() } else { error }
}

/// Folds the lines of a double-quoted scalar whose only raw line breaks are U+0085.
fn fold_next_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut breaks = 0;
    let count = text.matches('\u{85}').count();
    for (index, line) in text.split('\u{85}').enumerate() {
        let line = if index == 0 { line } else { line.trim_start_matches(' ') };
        let last = index == count;
        if index > 0 {
            breaks += 1;
        }
        if line.trim_end_matches(' ').is_empty() && index > 0 && !last {
            continue;
        }
        match breaks {
            0 => {}
            1 => out.push(' '),
            more => out.extend(std::iter::repeat_n('\n', more - 1)),
        }
        breaks = 0;
        out.push_str(if last { line } else { line.trim_end_matches(' ') });
    }
    out
}
