//! One difference between two versions of a value, and how it reads in a sentence.

use std::fmt;

use crate::yaml::json::{self, Form};
use crate::yaml::{Path, Step, Value};

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
    /// The names of the list items on the way, such as containers: the index of the item's step in the path, and its `name`.
    pub items: Vec<(usize, String)>,
    /// What was there.
    pub old: Option<Value>,
    /// What is there now.
    pub new: Option<Value>,
}

/// The lists whose items people call by name: the key, and what one item is called.
const NAMED: [(&str, &str); 5] = [
    ("containers", "container"),
    ("env", "variable"),
    ("initContainers", "init container"),
    ("ports", "port"),
    ("volumes", "volume"),
];

/// `image of container `migrate`: `shop:1` → `shop:2``. Long values are cut, but not in the alternate form (`{:#}`).
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { text, is_item } = self.subject();
        let most = if f.alternate() { usize::MAX } else { MAX_SHOWN };
        match (&self.old, &self.new) {
            (None, Some(_)) if is_item => write!(f, "{text} is added"),
            (Some(_), None) if is_item => write!(f, "{text} is removed"),
            (Some(Value::List(old)), Some(Value::List(new))) => {
                write!(f, "order of {text}: `{}` → `{}`", names(old, most), names(new, most))
            }
            (Some(old), Some(new)) => {
                let (old, new) = (self::text(old), self::text(new));
                let skipped = if f.alternate() { 0 } else { alike(&old, &new) };
                write!(f, "{text}: `{}` → `{}`", cut(&old, skipped, most), cut(&new, skipped, most))
            }
            (None, Some(new)) => write!(f, "{text} is added: `{}`", cut(&self::text(new), 0, most)),
            (Some(old), None) => write!(f, "{text} is removed (it was `{}`)", cut(&self::text(old), 0, most)),
            (None, None) => write!(f, "{text} is unchanged"),
        }
    }
}

/// What a difference is about.
struct Subject {
    text: String,
    /// Whether it is a whole item of a list, which has a name.
    is_item: bool,
}

impl Difference {
    /// The difference without the name of the container when it is an image, so that it reads the same for all containers:
    /// `image: `shop:1` → `shop:2``
    pub fn in_general(&self) -> String {
        let text = self.to_string();
        let general = text.strip_prefix("image of ").and_then(|rest| rest.split_once("`: ")).map(|(_, values)| values);
        general.map_or(text.clone(), |values| format!("image: {values}"))
    }

    /// The field in words, and whether it is a whole item of a list: `variable `A` of container `migrate``.
    pub fn about(&self) -> (String, bool) {
        let Subject { text, is_item } = self.subject();
        (text, is_item && (self.old.is_none() || self.new.is_none()))
    }

    /// The field in words: `image of container `migrate``; a path where no item on the way has a name that people use.
    fn subject(&self) -> Subject {
        let steps = self.path.steps();
        let called = |(step, name): &(usize, String)| {
            let Some(Step::Key(list)) = steps.get(step.checked_sub(1)?) else { return None };
            let (_, noun) = NAMED.into_iter().find(|(key, _)| key == list)?;
            Some((*step, format!("{noun} `{name}`")))
        };
        let called: Vec<(usize, String)> = self.items.iter().filter_map(called).collect();
        let Some((last, _)) = called.last() else {
            return Subject { text: format!("`{}`", self.path), is_item: false };
        };
        let rest: Path = steps[last + 1..].iter().cloned().collect();
        let owners: Vec<&str> = called.iter().rev().map(|(_, name)| name.as_str()).collect();
        let owners = owners.join(" of ");
        // `value` beside a `valueFrom` that comes or goes is said as it is.
        let is_variable = owners.starts_with("variable") && self.old.is_some() && self.new.is_some();
        match rest.steps() {
            [] => Subject { text: owners, is_item: true },
            [Step::Key(key)] if key == "image" => Subject { text: format!("image of {owners}"), is_item: false },
            [Step::Key(key)] if key == "value" && is_variable => Subject { text: owners, is_item: false },
            _ => Subject { text: format!("`{rest}` of {owners}"), is_item: false },
        }
    }
}

/// A value on one line; texts as they are when they have no control characters, otherwise as Rust and YAML quote them.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().any(char::is_control) => format!("\"{}\"", text.escape_debug()),
        Value::String(text) if !text.is_empty() => text.to_string(),
        _ => json::print(value, Form::Stream),
    }
}

fn names(items: &[Value], most: usize) -> String {
    cut(&items.iter().map(text).collect::<Vec<_>>().join(", "), 0, most)
}

/// How many characters at the start need not be shown, because they are the same in texts too long to be shown whole.
fn alike(one: &str, other: &str) -> usize {
    if one.chars().count().max(other.chars().count()) <= MAX_SHOWN {
        return 0;
    }
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    if same < MAX_SHOWN / 2 { 0 } else { same - CONTEXT }
}

/// At most `most` characters of a text after those that are skipped.
fn cut(text: &str, skipped: usize, most: usize) -> String {
    let mut shown: String = text.chars().skip(skipped).take(most).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    if text.chars().count() > most.saturating_add(skipped) {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::kubernetes::differences;
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
                "`a.b`: `1` → `true`",
                "`a.c[1]`: `u` → `z`",
                "`a.c[2]` is added: `w`",
                "`a[\"e.x/y\"]` is added: `\"\"`",
                "`a.gone` is removed (it was `{\"x\":1}`)",
            ]
        );
    }

    #[test]
    fn items_with_names_are_compared_by_name() {
        assert_eq!(
            told("{c: [{name: a, x: 1}, {name: b}]}", "{c: [{name: m}, {name: a, x: 2}, {name: b}]}"),
            ["`c[0]` is added: `{\"name\":\"m\"}`", "`c[1].x`: `1` → `2`"]
        );
        assert_eq!(
            told("{c: [{name: a}, {name: b}, {name: g}]}", "{c: [{name: b}, {name: a, x: 1}]}"),
            [
                "`c[2]` is removed (it was `{\"name\":\"g\"}`)",
                "`c[1].x` is added: `1`",
                "order of `c`: `a, b` → `b, a`"
            ]
        );
        assert_eq!(told("{c: [{name: a}, {name: a}]}", "{c: [{name: b}, {name: a}]}"), ["`c[0].name`: `a` → `b`"]);
    }

    #[test]
    fn long_values_are_shown_around_their_first_difference() {
        let long = "x".repeat(100);
        let expected = format!("`a`: `…{0}1{1}…` → `…{0}2`", "x".repeat(10), "y".repeat(49));
        assert_eq!(told(&format!("{{a: {long}1{}}}", "y".repeat(80)), &format!("{{a: {long}2}}")), [expected]);
        assert_eq!(told("{a: 1}", &format!("{{a: {long}}}")), [format!("`a`: `1` → `{}…`", "x".repeat(60))]);
        assert_eq!(told("{a: \"x\\ny\"}", "{}"), ["`a` is removed (it was `\"x\\ny\"`)"]);
    }

    #[test]
    fn containers_and_their_variables_are_called_by_name() {
        let job = |containers: &str| format!("{{spec: {{containers: [{containers}]}}}}");
        let old =
            job("{name: a, image: one, command: [u], env: [{name: E, value: u}, {name: F, value: u}]}, {name: b}");
        let new = job(
            "{name: a, image: two, command: [v], env: [{name: E, value: v}, {name: F, valueFrom: {fieldRef: u}}]}, {name: c}",
        );
        assert_eq!(
            told(&old, &new),
            [
                "container `b` is removed",
                "`command[0]` of container `a`: `u` → `v`",
                "variable `E` of container `a`: `u` → `v`",
                "`value` of variable `F` of container `a` is removed (it was `u`)",
                "`valueFrom` of variable `F` of container `a` is added: `{\"fieldRef\":\"u\"}`",
                "image of container `a`: `one` → `two`",
                "container `c` is added",
            ]
        );
    }
}
