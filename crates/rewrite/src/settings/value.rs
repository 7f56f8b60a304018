//! Values of parameters: raw as in a layer, parsed, and as text for display.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::{fmt, mem, ptr};

use goyaml::Value as Yaml;
use kube_jobs::argocd::{HookDeletePolicy, Phase};

use super::Provenance;
use super::words::{Switch, Word};

/// A parsed value and its provenance.
#[derive(Clone, Debug)]
pub struct Setting<T: ?Sized> {
    /// Where the value comes from.
    pub by: Provenance,
    /// The value.
    pub value: T,
}

/// A setting of any type, for code that only compares and displays values.
pub type AnySetting = Setting<dyn SettingValue>;

/// The value of one parameter, shared by all Jobs for which it is the same; `None` when nobody sets it.
pub type Slot<T> = Option<Arc<Setting<T>>>;

/// The value; `None` when no layer sets it.
pub(super) fn value<T>(slot: &Slot<T>) -> Option<&T> {
    slot.as_ref().map(|setting| &setting.value)
}

/// The text; `None` when no layer sets it, or when it is empty.
pub(super) fn text(slot: &Slot<String>) -> Option<String> {
    value(slot).filter(|text| !text.is_empty()).cloned()
}

/// Settings are equal when value and provenance are.
impl<T: SettingValue + ?Sized> PartialEq for Setting<T> {
    fn eq(&self, other: &Self) -> bool {
        // Compare the address first: most Jobs share their settings, and a `baseline` can be long.
        ptr::addr_eq(self, other) || (self.by == other.by && self.value.display() == other.value.display())
    }
}

impl<T: SettingValue + ?Sized> Eq for Setting<T> {}

/// The parsed value of a parameter.
pub trait SettingValue: fmt::Debug + Send + Sync + 'static {
    /// The value as users write it. Two different values of a parameter have different texts.
    fn display(&self) -> DisplayValue<'_>;

    /// The setting of a field, when this value is a block that has it.
    fn field(&self, _name: &str) -> Option<&AnySetting> {
        None
    }

    /// Records that `by` sets this value. Only blocks store it, for each field.
    #[must_use]
    fn set_by(self, _by: &Provenance) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Merges the values of two layers. The upper one wins; blocks are merged field by field.
    fn over(upper: Slot<Self>, lower: &Slot<Self>) -> Slot<Self>
    where
        Self: Sized,
    {
        upper.or_else(|| lower.clone())
    }

    /// The value with its provenance mapped by `by`. Of a block only these fields are kept, or all fields if
    /// `_fields` is empty.
    fn only(slot: &Slot<Self>, _fields: &BTreeSet<&'static str>, by: &dyn Fn(&Provenance) -> Provenance) -> Slot<Self>
    where
        Self: Sized + Clone,
    {
        slot.as_ref().map(|setting| Arc::new(Setting { by: by(&setting.by), value: setting.value.clone() }))
    }

    /// Replaces the value by the locked one; of a block only these fields. Returns the replaced values, with the
    /// names of the fields.
    fn lock(
        slot: &mut Slot<Self>,
        _fields: &BTreeSet<&'static str>,
        locked: &Slot<Self>,
    ) -> Vec<(Option<&'static str>, Arc<AnySetting>)>
    where
        Self: Sized,
    {
        let old = mem::replace(slot, locked.clone());
        old.into_iter().map(|old| (None, old as Arc<AnySetting>)).collect()
    }
}

/// Names of fields of a block. An empty set means all fields.
pub(super) type Fields = BTreeSet<&'static str>;

impl SettingValue for i64 {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text(self.to_string().into())
    }
}

impl SettingValue for String {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text(self.into())
    }
}

impl<T: Word> SettingValue for T {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text(self.word().into())
    }
}

impl SettingValue for Vec<Phase> {
    fn display(&self) -> DisplayValue<'_> {
        comma_list(self)
    }
}

impl SettingValue for Vec<HookDeletePolicy> {
    fn display(&self) -> DisplayValue<'_> {
        comma_list(self)
    }
}

fn comma_list<T: Word>(items: &[T]) -> DisplayValue<'static> {
    let words: Vec<&str> = items.iter().map(|item| item.word()).collect();
    DisplayValue::Text(words.join(",").into())
}

/// A list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items {
    /// The items in the order in which they were written.
    pub written: Vec<String>,
    /// The same items, for fast lookup.
    pub set: Arc<BTreeSet<String>>,
}

impl From<Vec<String>> for Items {
    fn from(written: Vec<String>) -> Self {
        let set = Arc::new(written.iter().cloned().collect());
        Self { written, set }
    }
}

impl SettingValue for Items {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::List(self.written.as_slice().into())
    }
}

/// A map with texts as values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMap(pub BTreeMap<String, String>);

impl SettingValue for TextMap {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Map(Cow::Borrowed(&self.0))
    }
}

/// The content hashes of Jobs that have run already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The hash of the Job that has the annotation.
    OfThisJob(String),
    /// Hashes of Jobs by their names.
    ByName(Hashes),
}

/// Content hashes by `namespace/name`, or by `name` where the namespace is unknown.
pub type Hashes = BTreeMap<String, String>;

impl SettingValue for Baseline {
    fn display(&self) -> DisplayValue<'_> {
        match self {
            Self::OfThisJob(hash) => DisplayValue::Text(hash.into()),
            Self::ByName(hashes) => DisplayValue::Map(Cow::Borrowed(hashes)),
        }
    }
}

/// A value as it is announced to Argo CD and shown to users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayValue<'v> {
    /// One text.
    Text(Cow<'v, str>),
    /// A list.
    List(Cow<'v, [String]>),
    /// A map.
    Map(Cow<'v, BTreeMap<String, String>>),
}

impl<'v> DisplayValue<'v> {
    /// At most `most` characters of the value on one line, with `…` for the rest. Looks only at these characters.
    pub fn brief(self, most: usize) -> Brief<'v> {
        Brief { value: self, most }
    }

    /// True for an empty value, which Argo CD's UI sends for a parameter that nobody set.
    pub(super) fn says_nothing(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty() || text == "false",
            Self::List(items) => items.is_empty(),
            Self::Map(map) => map.is_empty(),
        }
    }
}

/// The whole value on one line.
impl fmt::Display for DisplayValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().brief(usize::MAX).fmt(f)
    }
}

/// Shows a value on one line, and cuts it when it is too long.
#[derive(Clone, Debug)]
pub struct Brief<'v> {
    value: DisplayValue<'v>,
    most: usize,
}

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most;
        let text: Cow<'_, str> = match &self.value {
            DisplayValue::Text(text) => Cow::Borrowed(text),
            DisplayValue::List(items) => joined(items.iter().map(Cow::from), ",", most).into(),
            DisplayValue::Map(map) => {
                joined(map.iter().map(|(key, value)| format!("{key}: {value}").into()), ", ", most).into()
            }
        };
        match text.char_indices().nth(most) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}

/// Joins the parts with `between`, and stops when the text certainly has more than `most` characters.
fn joined<'p>(parts: impl Iterator<Item = Cow<'p, str>>, between: &str, most: usize) -> String {
    let mut text = String::new();
    for (index, part) in parts.enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        text.push_str(&part);
        // A character has at most four bytes, so this many bytes are more than `most` characters.
        if text.len() / 4 > most {
            break;
        }
    }
    text
}

/// The value in a layer, before it is parsed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawValue {
    /// A text from a layer that has only texts, so it can stand for a value of any type.
    Bare(String),
    /// A string from a layer that has other types, too.
    String(String),
    /// A whole number.
    Number(i64),
    /// A boolean.
    Bool(Switch),
    /// A list of strings.
    List(Vec<String>),
    /// A map of strings.
    Map(BTreeMap<String, String>),
    /// Any YAML value, as Argo CD reads it.
    Yaml(Yaml),
    /// A value of a type that no parameter accepts, named in words.
    Other(&'static str),
}

impl RawValue {
    /// The type in words, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Bare(_) | Self::String(_) => "a string",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Yaml(value) => value.kind(),
            Self::Other(kind) => kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_equal_when_value_and_origin_are() {
        let set = |by: &str, value: i64| Setting { by: Provenance::CommandLine(by.to_owned()), value };
        assert_eq!(set("a", 1), set("a", 1));
        assert_ne!(set("a", 1), set("b", 1));
        assert_ne!(set("a", 1), set("a", 2));
        let one = set("a", 1);
        assert_eq!(one, one.clone());
    }

    #[test]
    fn a_list_is_joined_until_there_is_more_than_can_be_shown() {
        let all = |parts: &[&'static str], most| joined(parts.iter().map(|part| (*part).into()), ", ", most);
        assert_eq!(all(&[], 10), "");
        assert_eq!(all(&["a", "b", "c"], 10), "a, b, c");
        let ended = joined((0..1000).map(|_| "é".into()), ", ", 20);
        assert!(ended.chars().count() > 20 && ended.len() < 100, "{ended}");
    }
}
