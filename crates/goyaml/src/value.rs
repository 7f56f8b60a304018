//! The JSON values that Argo CD reads.

use litemap::LiteMap;

use super::node::Node;
use super::path::{Path, Step};
use super::shared::{Shared, Text};
use super::tree::Tree;
use super::{SyntaxError, number};

/// A list, shared by its clones.
pub type List = Shared<Vec<Value>>;

/// A map, sorted by the bytes of its keys and shared by its clones. It is a flat array, because most maps of a manifest have two or three entries,
/// and every node of a B-tree has room for eleven.
pub type Map = Shared<LiteMap<Text, Value>>;

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<Value>>())
    }
}

impl<K: Into<Text>> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        Self::from(entries.into_iter().map(|(key, value)| (key.into(), value)).collect::<LiteMap<Text, Value>>())
    }
}

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
    String(Text),
    /// A list.
    List(List),
    /// A map.
    Map(Map),
}

impl Value {
    /// Reads the value of the first document of `text`. Null if there is no document.
    pub fn read(text: &str) -> Result<Self, SyntaxError> {
        Tree::default().read(text)?.root().map_or(Ok(Self::Null), Node::value)
    }

    /// The value at a path of keys. None if a key is missing.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.as_map()?.get(*key))
    }

    /// Whether there is a value other than null at a path of keys.
    pub fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some_and(|value| *value != Self::Null)
    }

    /// Whether it is null, or a map or a list without entries.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Map(map) => map.is_empty(),
            Self::List(items) => items.is_empty(),
            _ => false,
        }
    }

    /// The text at a path of keys. None if the value is not a text.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path).and_then(Self::as_text)
    }

    /// The map. None for other values.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list. None for other values.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The items of the list at a path of keys. Empty if the value is not a list.
    pub fn items_at(&self, path: &[&str]) -> &[Self] {
        self.at(path).and_then(Self::as_list).unwrap_or_default()
    }

    /// The texts in the list at a path of keys; other items are left out. Empty if the value is not a list.
    pub fn texts_at(&self, path: &[&str]) -> Vec<String> {
        self.items_at(path).iter().filter_map(Self::as_text).map(ToOwned::to_owned).collect()
    }

    /// Whether the value at a path of keys is `true`.
    pub fn is_true_at(&self, path: &[&str]) -> bool {
        self.at(path) == Some(&Self::Bool(true))
    }

    /// The integer. None for other values.
    pub fn as_number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The text. None for other values.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value at the end of a path. None if the path does not exist.
    pub fn at_path(&self, path: &Path) -> Option<&Self> {
        path.steps().iter().try_fold(self, Self::child)
    }

    /// The value one step further. None if there is no such key or item, or if the step does not fit the value.
    pub fn child(&self, step: &Step) -> Option<&Self> {
        match (self, step) {
            (Self::Map(map), Step::Key(key)) => map.get(key),
            (Self::List(items), Step::Item(index)) => items.get(*index),
            _ => None,
        }
    }

    /// Removes the entry at a path of keys, if it exists.
    pub fn remove(&mut self, path: &[&str]) {
        match (self, path) {
            (Self::Map(map), [key]) => {
                map.remove(*key);
            }
            (Self::Map(map), [key, rest @ ..]) => {
                if let Some(next) = map.get_mut(*key) {
                    next.remove(rest);
                }
            }
            _ => {}
        }
    }

    /// The path to the first map entry, at any depth, for which `wanted` returns true.
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

    /// Replaces maps and lists of this value by equal ones of `other`, so that both share their memory. Returns whether the whole values are equal.
    pub fn share(&mut self, other: &Self) -> bool {
        let (equal, lengths) = match (&mut *self, other) {
            (Self::Map(own), Self::Map(other)) => {
                let share = |(key, value): (_, &mut Self)| other.get(key).is_some_and(|other| value.share(other));
                // Not `all`, which stops at the first difference: later entries can still be shared.
                (own.iter_mut().map(share).filter(|is_equal| *is_equal).count(), [own.len(), other.len()])
            }
            (Self::List(own), Self::List(other)) => {
                let share = |(value, other): (&mut Self, &Self)| value.share(other);
                (own.iter_mut().zip(other).map(share).filter(|is_equal| *is_equal).count(), [own.len(), other.len()])
            }
            (own, other) => return own == other,
        };
        let is_equal = lengths == [equal; 2];
        if is_equal {
            self.clone_from(other);
        }
        is_equal
    }

    /// The type of the value, in the words of a message.
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

/// Folds the case of a key as Go's `encoding/json` does to compare it with the name of a field (`foldName` in `fold.go`). Two letters beyond ASCII
/// become `k` and `s`.
pub fn folded(key: &str) -> String {
    let fold = |char: char| match char {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        char => char.to_ascii_lowercase(),
    };
    key.chars().map(fold).collect()
}

/// A finite number as Argo CD finally reads it: an integer if it prints as one.
pub fn number(found: f64) -> Value {
    number::as_integer(found).map_or(Value::Float(found), Value::Int)
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
    fn what_is_equal_is_shared_and_changed_alone() {
        let other = Value::read("a: {b: {c: 1}, d: [{e: 1}, {e: 2}]}\nf: {g: 1}\nh: {}\n").unwrap();
        let mut value = Value::read("a: {b: {c: 1}, d: [{e: 1}, {e: 3}]}\nf: {g: 1, i: 1}\nj: {}\n").unwrap();
        let before = value.clone();
        assert!(!value.share(&other));
        assert_eq!(value, before);
        let map = |value: &Value, path: &[&str]| value.at(path).and_then(Value::as_map).cloned().unwrap();
        assert!(map(&value, &["a", "b"]).is_same(&map(&other, &["a", "b"])));
        for path in [&["a"][..], &["f"]] {
            assert!(!map(&value, path).is_same(&map(&other, path)), "{path:?}");
        }
        let item = |value: &Value, index: usize| value.at(&["a", "d"]).unwrap().as_list().unwrap()[index].clone();
        let is_same = |one: &Value, two: &Value| one.as_map().unwrap().is_same(two.as_map().unwrap());
        assert!(is_same(&item(&value, 0), &item(&other, 0)) && !is_same(&item(&value, 1), &item(&other, 1)));

        let mut equal = Value::read("f: {g: 1}\nh: {}\na: {b: {c: 1}, d: [{e: 1}, {e: 2}]}\n").unwrap();
        assert!(equal.share(&other) && is_same(&equal, &other));
        let Value::Map(entries) = &mut equal else { panic!() };
        entries.remove("h");
        assert!(other.at(&["h"]).is_some() && equal.at(&["h"]).is_none() && equal != other);
    }

    #[test]
    fn a_value_is_small() {
        assert_eq!((size_of::<Value>(), size_of::<(Text, Value)>()), (24, 48));
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
        for level in 1..5 {
            let item = format!("*a{}", level - 1);
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![item; 9].join(", "));
        }
        assert_eq!(Value::read(&bomb).unwrap_err().message, "too much of the document comes from aliases");
        for text in ["a: .inf", "~: 1", "? [a]\n: b", "a: &a [*a]", "a: \"\\x7f\"", "a: {<<: 1}"] {
            assert!(Value::read(text).is_err(), "{text}");
        }
    }
}
