//! Values of parameters: raw as a layer has them, parsed, and for display.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem;
use std::ptr;
use std::sync::Arc;

use super::Provenance;
use super::words::{Switch, Word};
use crate::argocd::{HookDeletePolicy, Phase};
use crate::yaml::Value as Yaml;

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub struct Setting<T: ?Sized> {
    /// Where the value comes from.
    pub by: Provenance,
    /// The value.
    pub value: T,
}

/// A setting of any parameter, for code that compares and displays values and need not know their types.
pub type AnySetting = Setting<dyn SettingValue>;

/// The value of one parameter, shared by all Jobs that have it; `None` when nobody set it.
pub type Slot<T> = Option<Arc<Setting<T>>>;

/// The value, if a layer sets it.
pub(super) fn value<T>(slot: &Slot<T>) -> Option<&T> {
    slot.as_ref().map(|setting| &setting.value)
}

/// The text, if a layer sets it and it is not empty.
pub(super) fn text(slot: &Slot<String>) -> Option<String> {
    value(slot).filter(|text| !text.is_empty()).cloned()
}

/// Compares two settings of one parameter.
impl<T: SettingValue + ?Sized> PartialEq for Setting<T> {
    fn eq(&self, other: &Self) -> bool {
        // Most Jobs share their settings, and a `baseline` can be long.
        ptr::addr_eq(self, other) || (self.by == other.by && self.value.display() == other.value.display())
    }
}

impl<T: SettingValue + ?Sized> Eq for Setting<T> {}

/// The parsed value of a parameter.
pub trait SettingValue: fmt::Debug + Send + Sync + 'static {
    /// The value as users write it. Different values of one parameter are displayed differently.
    fn display(&self) -> DisplayValue<'_>;

    /// The setting of a field of this value, if it is a block.
    fn field(&self, _name: &str) -> Option<&AnySetting> {
        None
    }

    /// The value that is set by `by`: the fields of a block know it.
    #[must_use]
    fn set_by(self, _by: &Provenance) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// The value of two layers; those of a block are merged.
    fn over(upper: Slot<Self>, lower: &Slot<Self>) -> Slot<Self>
    where
        Self: Sized,
    {
        upper.or_else(|| lower.clone())
    }

    /// The value if it is a lower layer's that is asked for, of a block only these fields, or all if none is named; `by` maps where it comes
    /// from.
    fn only(slot: &Slot<Self>, _fields: &BTreeSet<&'static str>, by: &dyn Fn(&Provenance) -> Provenance) -> Slot<Self>
    where
        Self: Sized + Clone,
    {
        slot.as_ref().map(|setting| Arc::new(Setting { by: by(&setting.by), value: setting.value.clone() }))
    }

    /// Replaces the value, of a block only these fields, by the locked one. Returns what is replaced, with the names of fields.
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

/// The names of fields of a block; all of them if there is none.
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
    /// As they were written.
    pub written: Vec<String>,
    /// The same, to look one up.
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

/// A map of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMap(pub BTreeMap<String, String>);

impl SettingValue for TextMap {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Map(Cow::Borrowed(&self.0))
    }
}

/// Content hashes of Jobs that have run already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The hash of the Job on which it is set.
    OfThisJob(String),
    /// Hashes by `namespace/name` or `name`.
    ByName(BTreeMap<String, String>),
}

impl SettingValue for Baseline {
    fn display(&self) -> DisplayValue<'_> {
        match self {
            Self::OfThisJob(hash) => DisplayValue::Text(hash.into()),
            Self::ByName(hashes) => DisplayValue::Map(Cow::Borrowed(hashes)),
        }
    }
}

/// A value as it is announced to Argo CD and shown to people.
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
    /// On one line, for people: at most `most` characters, and `…` in place of the rest. Takes time for those characters only.
    pub fn brief(self, most: usize) -> Brief<'v> {
        Brief { value: self, most }
    }

    /// True for a value that Argo CD's UI sends for a parameter that nobody has set.
    pub(super) fn says_nothing(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty() || text == "false",
            Self::List(items) => items.is_empty(),
            Self::Map(map) => map.is_empty(),
        }
    }
}

/// For people: lists and maps on one line.
impl fmt::Display for DisplayValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().brief(usize::MAX).fmt(f)
    }
}

/// Shows a value, cut when it is long.
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

/// Joins the parts with `between`, and stops once there are certainly more than `most` characters.
fn joined<'p>(parts: impl Iterator<Item = Cow<'p, str>>, between: &str, most: usize) -> String {
    let mut text = String::new();
    for (index, part) in parts.enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        text.push_str(&part);
        // A character has at most four bytes.
        if text.len() / 4 > most {
            break;
        }
    }
    text
}

/// A value as a layer has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawValue {
    /// A text from a layer that has only texts: it can mean a value of any type.
    Bare(String),
    /// A string from a layer that has other types too.
    String(String),
    /// A whole number.
    Number(i64),
    /// A boolean.
    Bool(Switch),
    /// A list of strings.
    List(Vec<String>),
    /// A map of strings.
    Map(BTreeMap<String, String>),
    /// Any YAML, as Argo CD reads it.
    Yaml(Yaml),
    /// A type that no parameter takes, in words.
    Other(&'static str),
}

impl RawValue {
    /// Its type in words, for a message.
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
