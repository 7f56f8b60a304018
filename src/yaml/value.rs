//! What Argo CD reads: JSON values, with aliases followed and merge keys done as go-yaml v2 does them (`decode.go`).

use litemap::LiteMap;

use super::node::Node;
use super::path::{Path, Step};
use super::resolve::Scalar;
use super::tree::{Kind, Tree};
use super::{SyntaxError, expansion, number, parser};

/// A map; sorted by the bytes of its keys. A flat one, because most maps of a manifest have two or three entries, and a B-tree has
/// room for eleven in each.
pub type Map = LiteMap<String, Value>;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number, finite.
    Float(f64),
    /// A text.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// A map.
    Map(Map),
}

impl Value {
    /// The value of the first document of `text`; null when there is none.
    pub fn read(text: &str) -> Result<Self, SyntaxError> {
        Tree::default().read(text)?.root().map_or(Ok(Self::Null), Node::value)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.as_map()?.get(*key))
    }

    /// The text at a path of keys, when it is one.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path).and_then(Self::as_text)
    }

    /// The map, when it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, when it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The integer, when it is one.
    pub fn as_number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value at the end of a path.
    pub fn at_path(&self, path: &Path) -> Option<&Self> {
        path.steps().iter().try_fold(self, Self::child)
    }

    /// The value one step further. None for a key of a list and for an item of a map.
    pub fn child(&self, step: &Step) -> Option<&Self> {
        match (self, step) {
            (Self::Map(map), Step::Key(key)) => map.get(key),
            (Self::List(items), Step::Item(index)) => items.get(*index),
            _ => None,
        }
    }

    /// The path to the first entry of a map for which `wanted` returns true, at any depth.
    pub fn find(&self, wanted: &impl Fn(&str, &Self) -> bool) -> Option<Path> {
        let below = |step: &dyn Fn() -> Step, value: &Self| {
            value.find(wanted).map(|rest| Path::from_iter([step()]).join(&rest))
        };
        match self {
            Self::Map(map) => map.iter().find_map(|(key, value)| {
                if wanted(key, value) { Some(Path::from_iter([key])) } else { below(&|| key.into(), value) }
            }),
            Self::List(items) => items.iter().enumerate().find_map(|(index, value)| below(&|| index.into(), value)),
            _ => None,
        }
    }

    /// What it is, in the words of a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// A finite number as Argo CD reads it in the end: an integer when it prints as one.
pub fn number(found: f64) -> Value {
    number::as_integer(found).map_or(Value::Float(found), Value::Int)
}

impl Node<'_> {
    /// The value that Argo CD reads, or the first thing in the node that Argo CD refuses.
    pub fn value(self) -> Result<Value, SyntaxError> {
        Decoder { decoded: 0, through_alias: 0, open: Vec::new() }.decode(self)
    }
}

/// The entries of a map in the order in which go-yaml sets them.
type Entries = Vec<(String, Value)>;

/// The map of these entries; of equal keys the last one counts. The list becomes the map, without a copy.
fn map(mut entries: Entries) -> Map {
    if !entries.is_sorted_by(|(one, _), (next, _)| one < next) {
        entries.reverse();
        entries.sort_by(|(one, _), (next, _)| one.cmp(next));
        entries.dedup_by(|(next, _), (one, _)| one == next);
    }
    Map::from_sorted_store_unchecked(entries)
}

/// go-yaml's decoder, with its count of what aliases unfold to.
struct Decoder<'t> {
    decoded: usize,
    through_alias: usize,
    /// The aliases that are being followed.
    open: Vec<Node<'t>>,
}

impl<'t> Decoder<'t> {
    fn decode(&mut self, node: Node<'t>) -> Result<Value, SyntaxError> {
        self.count(node)?;
        match node.kind() {
            Kind::Alias => self.follow(node, Self::decode),
            Kind::Scalar(_) => self.scalar(node),
            Kind::Sequence(_) => {
                // Not a list that grows: most have one item, and it would get room for four.
                let mut items = Vec::with_capacity(node.items().count());
                for child in node.items() {
                    items.push(self.decode(child)?);
                }
                Ok(Value::List(items))
            }
            Kind::Mapping(_) => {
                let mut entries = Vec::with_capacity(node.entries().count());
                self.mapping(node, &mut entries)?;
                Ok(Value::Map(map(entries)))
            }
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
            return Err(self.refused(alias, "aliases are nested too deeply"));
        }
        self.open.push(alias);
        let result = then(self, alias.target());
        self.open.pop();
        result
    }

    /// Counts a node that is decoded, maybe as a part of an alias.
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
        for (key, value) in node.entries() {
            if key.is_merge() {
                self.merge(value, entries)?;
                continue;
            }
            self.count(key)?;
            let name = self.key(key)?;
            let decoded = self.decode(value)?;
            entries.push((name, decoded));
        }
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
            Scalar::Text(found) => Value::String(self.second_reading(node, &found)?),
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
            return Err(self.refused(node, "the key of a map must not be longer than 1024 characters"));
        }
        Ok(name)
    }

    /// The cmp-server prints JSON without escapes, which the repo-server reads as YAML: control characters are refused
    /// there, and U+0085 is a line break.
    fn second_reading(&self, node: Node<'t>, text: &str) -> Result<String, SyntaxError> {
        if text.bytes().all(|byte| (0x20..0x7f).contains(&byte) || byte == b'\n' || byte == b'\t') {
            return Ok(text.to_owned());
        }
        if text.chars().any(|found| found >= ' ' && !parser::is_readable(found)) {
            return Err(self.refused(node, "control characters are not allowed"));
        }
        Ok(if text.contains('\u{85}') { fold_next_lines(text) } else { text.to_owned() })
    }

    fn refused(&self, node: Node<'t>, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(node.span().start, message)
    }
}

/// Line folding of a double-quoted scalar in which U+0085 is the only raw line break.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_strings_whatever_they_were() {
        let Ok(Value::Map(map)) = Value::read("n: 1\n0x10: 2\n1.5: 3\n'n': 4\n") else { panic!() };
        assert_eq!(map.keys().collect::<Vec<_>>(), ["1.5", "16", "false", "n"]);
        for (key, name) in [
            ("007", "7"),
            ("1_0", "10"),
            ("0b-11", "-3"),
            ("1e3", "1000"),
            ("1e6", "1e+06"),
            ("1.0", "1"),
            ("!!str 007", "007"),
            (".5", "0.5"),
            ("on", "true"),
            ("é", "é"),
        ] {
            let read = Value::read(&format!("{key}: 1"));
            let Ok(Value::Map(map)) = &read else { panic!("{key}: {read:?}") };
            assert_eq!(map.keys().collect::<Vec<_>>(), [name], "{key}");
        }
    }

    #[test]
    fn a_merge_key_takes_a_map_and_a_list_of_maps() {
        let read = |text: &str| Value::read(&format!("a: &a {{x: 1}}\nl: &l [*a]\nm: {{<<: {text}}}\n"));
        let merged = |text: &str| read(text).unwrap().at(&["m"]).cloned();
        for (text, map) in [
            ("*a", "{x: 1}"),
            ("{y: 2}", "{y: 2}"),
            ("[*a, {y: 2}]", "{x: 1, y: 2}"),
            ("[{x: 2}, *a]", "{x: 2}"),
            ("[]", "{}"),
        ] {
            assert_eq!(merged(text), Some(Value::read(map).unwrap()), "{text}");
        }
        for text in ["1", "", "*l", "[1]", "[[*a]]", "[*l]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn merge_keys_apply_where_they_stand() {
        let found =
            Value::read("a: &a {x: 1, k: 1}\nb: &b {k: 2}\nc: {<<: [*a, *b], z: 3}\nd: {k: 0, <<: *a}\n").unwrap();
        assert_eq!(found.at(&["c", "k"]), Some(&Value::Int(1)));
        assert_eq!(found.at(&["d", "k"]), Some(&Value::Int(1)));
    }

    #[test]
    fn bombs_and_what_json_lacks_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let item = format!("*a{}", level - 1);
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![item; 9].join(", "));
        }
        assert_eq!(Value::read(&bomb).unwrap_err().message, "too much of the document comes from aliases");
        for text in ["a: .inf", "~: 1", "? [a]\n: b", "a: &a [*a]", "a: \"\\x7f\"", "a: {<<: 1}"] {
            assert!(Value::read(text).is_err(), "{text}");
        }
    }
}
