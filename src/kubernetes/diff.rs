//! What differs between two values, field by field.

use std::collections::BTreeSet;
use std::fmt;

use crate::yaml::json::{self, Form};
use crate::yaml::value::Map;
use crate::yaml::{Path, Value};

/// How many characters of a value are shown at most.
const MAX_SHOWN: usize = 60;
/// How many characters before the first difference are shown of long texts that begin alike.
const CONTEXT: usize = 10;

/// One difference between an old and a new value: added without `old`, removed without `new`. When both are lists, they are the
/// names of the items that both have, which have changed places.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where; an index is that in the new list, or in the old one for an item that is gone.
    pub path: Path,
    /// What was there.
    pub old: Option<Value>,
    /// What is there now.
    pub new: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", self.path)?;
        match (&self.old, &self.new) {
            (Some(Value::List(old)), Some(Value::List(new))) => {
                write!(f, "reordered `{}` → `{}`", names(old), names(new))
            }
            (Some(old), Some(new)) => {
                let (old, new) = (text(old), text(new));
                let skipped = alike(&old, &new);
                write!(f, "changed `{}` → `{}`", cut(&old, skipped), cut(&new, skipped))
            }
            (None, Some(new)) => write!(f, "added `{}`", cut(&text(new), 0)),
            (Some(old), None) => write!(f, "removed, was `{}`", cut(&text(old), 0)),
            (None, None) => f.write_str("unchanged"),
        }
    }
}

/// A value on one line; texts as they are when they have no control characters, otherwise as Rust and YAML quote them.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().any(char::is_control) => format!("\"{}\"", text.escape_debug()),
        Value::String(text) if !text.is_empty() => text.clone(),
        _ => json::print(value, Form::Stream),
    }
}

fn names(items: &[Value]) -> String {
    cut(&items.iter().map(text).collect::<Vec<_>>().join(", "), 0)
}

/// How many characters at the start need not be shown, because they are the same in texts too long to be shown whole.
fn alike(one: &str, other: &str) -> usize {
    if one.chars().count().max(other.chars().count()) <= MAX_SHOWN {
        return 0;
    }
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    if same < MAX_SHOWN / 2 { 0 } else { same - CONTEXT }
}

/// At most [`MAX_SHOWN`] characters of a text after those that are skipped.
fn cut(text: &str, skipped: usize) -> String {
    let mut shown: String = text.chars().skip(skipped).take(MAX_SHOWN).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    if text.chars().count() > skipped + MAX_SHOWN {
        shown.push('…');
    }
    shown
}

/// Where two values differ, in the order of the new one's lists and of the bytes of keys. A null entry of a map counts as none. The
/// items of two lists in which every item is a map with a `name` of its own are compared by their names, others by their places.
pub fn differences(old: &Value, new: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&Path::default(), Some(old), Some(new), &mut found);
    found
}

fn compare(path: &Path, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Difference>) {
    match (old, new) {
        (Some(Value::Map(old)), Some(Value::Map(new))) => compare_maps(path, old, new, found),
        (Some(Value::List(old)), Some(Value::List(new))) => compare_lists(path, old, new, found),
        (old, new) if old == new => {}
        (old, new) => found.push(Difference { path: path.clone(), old: old.cloned(), new: new.cloned() }),
    }
}

fn compare_maps(path: &Path, old: &Map, new: &Map, found: &mut Vec<Difference>) {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let entry = |map| Map::get(map, key).filter(|value| **value != Value::Null);
        compare(&path.with(key), entry(old), entry(new), found);
    }
}

fn compare_lists(path: &Path, old: &[Value], new: &[Value], found: &mut Vec<Difference>) {
    let item = |index| path.with(index);
    let (Some(old_names), Some(new_names)) = (names_of(old, "name"), names_of(new, "name")) else {
        for index in 0..old.len().max(new.len()) {
            compare(&item(index), old.get(index), new.get(index), found);
        }
        return;
    };
    for (index, name) in old_names.iter().enumerate().filter(|(_, name)| !new_names.contains(name)) {
        debug_assert!(name.as_text().is_some());
        compare(&item(index), old.get(index), None, found);
    }
    for (index, name) in new_names.iter().enumerate() {
        let before = old_names.iter().position(|old| old == name).and_then(|at| old.get(at));
        compare(&item(index), before, new.get(index), found);
    }
    let shared = |names: &[&Value], other: &[&Value]| {
        Value::List(names.iter().filter(|name| other.contains(name)).map(|name| (*name).clone()).collect())
    };
    let orders = (shared(&old_names, &new_names), shared(&new_names, &old_names));
    if orders.0 != orders.1 {
        found.push(Difference { path: path.clone(), old: Some(orders.0), new: Some(orders.1) });
    }
}

/// What every item has under `key`, when all are maps and no two have the same there.
pub(super) fn names_of<'v>(items: &'v [Value], key: &str) -> Option<Vec<&'v Value>> {
    let names: Option<Vec<&Value>> = items.iter().map(|item| item.at(&[key])).collect();
    let is_scalar = |name: &&Value| matches!(name, Value::String(_) | Value::Int(_));
    names
        .filter(|names| names.iter().enumerate().all(|(index, name)| is_scalar(name) && !names[..index].contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::job::job_of;

    fn told(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (job_of(old), job_of(new));
        differences(old.value(), new.value()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_field_is_told_with_its_path() {
        assert_eq!(told("{a: {b: 1, c: [x, u], n: null}}", "{a: {b: 1, c: [x, u]}}"), [""; 0]);
        assert_eq!(
            told("{a: {b: 1, c: [x, u], gone: {x: 1}}}", "{a: {b: true, c: [x, z, w], 'e.x/y': ''}}"),
            [
                "`a.b` changed `1` → `true`",
                "`a.c[1]` changed `u` → `z`",
                "`a.c[2]` added `w`",
                "`a[\"e.x/y\"]` added `\"\"`",
                "`a.gone` removed, was `{\"x\":1}`",
            ]
        );
    }

    #[test]
    fn items_with_names_are_compared_by_name() {
        assert_eq!(
            told("{c: [{name: a, x: 1}, {name: b}]}", "{c: [{name: m}, {name: a, x: 2}, {name: b}]}"),
            ["`c[0]` added `{\"name\":\"m\"}`", "`c[1].x` changed `1` → `2`"]
        );
        assert_eq!(
            told("{c: [{name: a}, {name: b}, {name: g}]}", "{c: [{name: b}, {name: a, x: 1}]}"),
            ["`c[2]` removed, was `{\"name\":\"g\"}`", "`c[1].x` added `1`", "`c` reordered `a, b` → `b, a`"]
        );
        assert_eq!(
            told("{c: [{name: a}, {name: a}]}", "{c: [{name: b}, {name: a}]}"),
            ["`c[0].name` changed `a` → `b`"]
        );
    }

    #[test]
    fn long_values_are_shown_around_their_first_difference() {
        let long = "x".repeat(100);
        let expected = format!("`a` changed `…{0}1{1}…` → `…{0}2`", "x".repeat(10), "y".repeat(49));
        assert_eq!(told(&format!("{{a: {long}1{}}}", "y".repeat(80)), &format!("{{a: {long}2}}")), [expected]);
        assert_eq!(told("{a: 1}", &format!("{{a: {long}}}")), [format!("`a` changed `1` → `{}…`", "x".repeat(60))]);
        assert_eq!(told("{a: \"x\\ny\"}", "{}"), ["`a` removed, was `\"x\\ny\"`"]);
    }
}
