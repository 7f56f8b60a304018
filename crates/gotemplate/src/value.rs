//! Go's values: the parameters that a template sees, and the results of functions.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map as Object, Value as Json};

use super::Parameters;
use super::error::{DEPTH, Result, Work, too_large};
use crate::semver::Version;

/// A value in Go. Maps and lists are shared, as in Go: `set` changes a map for everyone who holds it.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// No value at all: a missing key, or a nil that was passed through a pipeline.
    Absent,
    /// A nil in a map or list, or as the result of a function.
    Nil,
    Bool(bool),
    /// `int`, `int64`, `uint64` and `uint8`.
    Int(i64),
    Int64(i64),
    Uint64(u64),
    Uint8(u8),
    Float(f64),
    Text(Rc<str>),
    List(Rc<List>),
    Map(Rc<Map>),
    /// `*semver.Version`.
    Version(Rc<Version>),
}

/// The type of the elements of a list or map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Any,
    Text,
    Int,
    Lists,
}

/// A slice.
#[derive(Debug)]
pub(super) struct List {
    pub(super) of: Of,
    pub(super) is_nil: bool,
    items: RefCell<Vec<Value>>,
}

/// A map whose keys are texts.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) of: Of,
    pub(super) is_nil: bool,
    entries: RefCell<Entries>,
}

pub(super) type Entries = BTreeMap<Rc<str>, Value>;

impl List {
    pub(super) fn items(&self) -> Ref<'_, Vec<Value>> {
        self.items.borrow()
    }

    /// Replaces the items for everyone who holds the list.
    pub(super) fn replace(&self, items: Vec<Value>) {
        *self.items.borrow_mut() = items;
    }
}

impl Map {
    pub(super) fn entries(&self) -> Ref<'_, Entries> {
        self.entries.borrow()
    }

    pub(super) fn get(&self, key: &str) -> Option<Value> {
        self.entries().get(key).cloned()
    }

    pub(super) fn insert(&self, key: &str, value: Value) {
        self.entries.borrow_mut().insert(key.into(), value);
    }

    pub(super) fn remove(&self, key: &str) {
        self.entries.borrow_mut().remove(key);
    }
}

impl Value {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// `[]interface{}`.
    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::list_of(Of::Any, items)
    }

    pub(super) fn list_of(of: Of, items: Vec<Self>) -> Self {
        Self::List(Rc::new(List { of, is_nil: false, items: RefCell::new(items) }))
    }

    /// `[]string`.
    pub(super) fn texts<T: Into<Rc<str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::list_of(Of::Text, texts.into_iter().map(Self::text).collect())
    }

    pub(super) fn nil_list(of: Of) -> Self {
        Self::List(Rc::new(List { of, is_nil: true, items: RefCell::default() }))
    }

    /// `map[string]interface{}`.
    pub(super) fn map(entries: Entries) -> Self {
        Self::map_of(Of::Any, entries)
    }

    pub(super) fn map_of(of: Of, entries: Entries) -> Self {
        Self::Map(Rc::new(Map { of, is_nil: false, entries: RefCell::new(entries) }))
    }

    pub(super) fn nil_map() -> Self {
        Self::Map(Rc::new(Map { of: Of::Any, is_nil: true, entries: RefCell::default() }))
    }

    /// The value that `encoding/json` decodes into an `interface{}`: all numbers are floats.
    pub(super) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(found) => Self::Bool(*found),
            Json::Number(found) => Self::Float(found.as_f64().unwrap_or(f64::NAN)),
            Json::String(found) => Self::text(found.as_str()),
            Json::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Json::Object(entries) => Self::from_object(entries),
        }
    }

    pub(super) fn from_object(entries: &Object<String, Json>) -> Self {
        Self::map(entries.iter().map(|(key, value)| (key.as_str().into(), Self::from_json(value))).collect())
    }

    /// The parameters as a map. Some of its maps and lists have the types that they have in Go.
    pub(super) fn from_parameters(parameters: &Parameters) -> Self {
        let entry = |(key, value): (&String, &Json)| (key.as_str().into(), Self::typed(value, key, parameters));
        Self::map(parameters.iter().map(entry).collect())
    }

    fn typed(value: &Json, path: &str, parameters: &Parameters) -> Self {
        let of = if parameters.is_typed(path) { Of::Text } else { Of::Any };
        match value {
            Json::Array(items) if items.is_empty() && of == Of::Text => Self::nil_list(Of::Any),
            Json::Array(items) if of == Of::Text && items.iter().all(Json::is_string) => {
                Self::texts(items.iter().filter_map(Json::as_str))
            }
            Json::Object(entries) => {
                let below = |key: &str| format!("{path}.{key}");
                let entries = entries.iter().map(|(key, value)| (key, Self::typed(value, &below(key), parameters)));
                Self::map_of(of, entries.map(|(key, value)| (key.as_str().into(), value)).collect())
            }
            other => Self::from_json(other),
        }
    }

    pub(super) fn is_nil(&self) -> bool {
        match self {
            Self::Absent | Self::Nil => true,
            Self::List(list) => list.is_nil,
            Self::Map(map) => map.is_nil,
            _ => false,
        }
    }

    /// Whether this is the zero value of its type, as `if` and sprig's `empty` define it.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Absent | Self::Nil => true,
            Self::Bool(found) => !found,
            Self::Int(found) | Self::Int64(found) => *found == 0,
            Self::Uint64(found) => *found == 0,
            Self::Uint8(found) => *found == 0,
            Self::Float(found) => *found == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.items().is_empty(),
            Self::Map(map) => map.entries().is_empty(),
            Self::Version(_) => false,
        }
    }

    /// `%T`.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Absent | Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Uint64(_) => "uint64",
            Self::Uint8(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Version(_) => "*semver.Version",
            Self::Map(map) if map.of == Of::Text => "map[string]string",
            Self::Map(_) => "map[string]interface {}",
            Self::List(list) => match list.of {
                Of::Any => "[]interface {}",
                Of::Text => "[]string",
                Of::Int => "[]int",
                Of::Lists => "[][]interface {}",
            },
        }
    }

    /// `reflect.Kind`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Absent | Self::Nil => "invalid",
            Self::Map(_) => "map",
            Self::List(_) => "slice",
            Self::Version(_) => "ptr",
            _ => self.type_name(),
        }
    }

    /// `reflect.DeepEqual`.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent | Self::Nil, Self::Absent | Self::Nil) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Int(one), Self::Int(two)) | (Self::Int64(one), Self::Int64(two)) => one == two,
            (Self::Uint64(one), Self::Uint64(two)) => one == two,
            (Self::Uint8(one), Self::Uint8(two)) => one == two,
            (Self::Float(one), Self::Float(two)) => one == two,
            (Self::Text(one), Self::Text(two)) => one == two,
            (Self::Version(one), Self::Version(two)) => one == two,
            (Self::List(one), Self::List(two)) => {
                let (one_items, two_items) = (one.items(), two.items());
                (one.of, one.is_nil, one_items.len()) == (two.of, two.is_nil, two_items.len())
                    && one_items.iter().zip(two_items.iter()).all(|(one, two)| one.equals(two))
            }
            (Self::Map(one), Self::Map(two)) => {
                let (one_entries, two_entries) = (one.entries(), two.entries());
                (one.of, one.is_nil, one_entries.len()) == (two.of, two.is_nil, two_entries.len())
                    && one_entries
                        .iter()
                        .zip(two_entries.iter())
                        .all(|(one, two)| one.0 == two.0 && one.1.equals(two.1))
            }
            _ => false,
        }
    }

    /// A copy that shares no maps and lists with the original.
    pub(super) fn deep_copy(&self) -> Self {
        match self {
            Self::List(list) if !list.is_nil => {
                Self::list_of(list.of, list.items().iter().map(Self::deep_copy).collect())
            }
            Self::Map(map) if !map.is_nil => Self::map_of(
                map.of,
                map.entries().iter().map(|(key, value)| (key.clone(), value.deep_copy())).collect(),
            ),
            // The library that copies values in Go does not copy the private fields of a version.
            Self::Version(_) => Self::Version(Rc::default()),
            _ => self.clone(),
        }
    }

    /// Subtracts the work of walking through the value, so that functions need not count it. What is shared counts as
    /// often as it is met: that is how often it is printed, copied and compared. Fails when the value is nested too
    /// deep, or contains itself.
    pub(super) fn measure(&self, work: &Work, depth: usize) -> Result<()> {
        if depth > DEPTH {
            return too_large("a value of a template is nested too deep");
        }
        work.spend(32)?;
        match self {
            Self::Text(text) => work.spend(text.len()),
            Self::Version(version) => work.spend(version.print().len()),
            Self::List(list) => list.items().iter().try_for_each(|item| item.measure(work, depth + 1)),
            Self::Map(map) => map.entries().iter().try_for_each(|(key, value)| {
                work.spend(key.len())?;
                value.measure(work, depth + 1)
            }),
            _ => Ok(()),
        }
    }
}
