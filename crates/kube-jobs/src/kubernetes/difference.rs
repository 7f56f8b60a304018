//! One difference between two versions of a value, and its text in a sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use goyaml::json::{self, Form};
use goyaml::{Path, Step, Value};
use text::plural;

/// The maximum number of characters that are shown of a value.
const MAX_SHOWN: usize = 60;
/// The maximum number of characters that are shown of an image.
const MAX_IMAGE: usize = 120;
/// The number of digits that are shown of a digest.
const DIGITS: usize = 12;
/// The maximum number of similar items that are named. Of more items only the number is shown.
const MAX_NAMED: usize = 3;
/// The number of equal characters that are shown before the first difference of two long texts.
const CONTEXT: usize = 10;

/// One difference between an old and a new value. Without `old` the value is added, without `new` it is removed. If both are lists, they contain the
/// names of items that are in both versions, but in another order.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path of the value, with indices of the new list. A removed item has its index in the old list.
    pub path: Path,
    /// The named list items on the path, such as containers: the index of the step in the path, and the `name` of the item.
    pub items: Vec<(usize, String)>,
    /// The old value. None if the value is added.
    pub old: Option<Value>,
    /// The new value. None if the value is removed.
    pub new: Option<Value>,
}

/// The lists whose items people know by name: the key of the list, and the noun for one item.
const NAMED: [(&str, &str); 5] = [
    ("containers", "container"),
    ("env", "variable"),
    ("initContainers", "init container"),
    ("ports", "port"),
    ("volumes", "volume"),
];

/// Displays as `image of container `migrate`: `shop:1` → `shop:2``. Shortens long values, except in the alternate form (`{:#}`).
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Alike(vec![self]).fmt(f)
    }
}

/// Differences that are equal except for the names of the items on their paths, such as containers.
#[derive(Clone, Debug)]
pub struct Alike<'d>(Vec<&'d Difference>);

/// Displays as `image of 9 containers: `shop:1` → `shop:2``. A single difference displays as itself.
impl fmt::Display for Alike<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.first() else { return Ok(()) };
        let Subject { text, is_item, is_one } = subject(&self.0);
        let is = if is_one { "is" } else { "are" };
        let most = if f.alternate() { usize::MAX } else { MAX_SHOWN };
        match (&first.old, &first.new) {
            (None, Some(_)) if is_item => write!(f, "{text} {is} added"),
            (Some(_), None) if is_item => write!(f, "{text} {is} removed"),
            (Some(Value::List(old)), Some(Value::List(new))) => {
                write!(f, "order of {text}: `{}` → `{}`", names(old, most), names(new, most))
            }
            (Some(old), Some(new)) if !f.alternate() && first.is_image() => {
                let [old, new] = images(&self::text(old), &self::text(new)).map(|image| cut(&image, 0, MAX_IMAGE));
                write!(f, "{text}: `{old}` → `{new}`")
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

impl<'d> Alike<'d> {
    /// Groups the differences that are equal except for these names, in the order of the first difference of each group.
    pub fn of(all: impl IntoIterator<Item = &'d Difference>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for difference in all {
            let index = *known.entry(difference.without_names()).or_insert(found.len());
            match found.get_mut(index) {
                Some(alike) => alike.0.push(difference),
                None => found.push(Self(vec![difference])),
            }
        }
        found
    }

    /// That the field changes, such as `variable `A` of container `migrate` changes`, or that whole items of a list are added or removed.
    pub fn in_short(&self) -> String {
        let Subject { text, is_item, is_one } = subject(&self.0);
        let is = if is_one { "is" } else { "are" };
        match self.first() {
            Some(Difference { old: None, .. }) if is_item => format!("{text} {is} added"),
            Some(Difference { new: None, .. }) if is_item => format!("{text} {is} removed"),
            _ if is_one || text.starts_with('`') => format!("{text} changes"),
            _ => format!("{text} change"),
        }
    }

    /// The first difference of the group.
    pub fn first(&self) -> Option<&'d Difference> {
        self.0.first().copied()
    }
}

/// The subject of the sentence about a group of differences.
struct Subject {
    text: String,
    /// Whether the differences are about whole items of a list, which have names.
    is_item: bool,
    /// Whether the subject is singular.
    is_one: bool,
}

/// An item on the path of a difference that people know by name: `container `migrate``.
struct Called<'d> {
    /// The index of the item's step in the path.
    step: usize,
    noun: &'static str,
    name: &'d str,
}

impl Difference {
    /// Whether both are equal except for the names of items on their paths, such as containers.
    pub fn is_like(&self, other: &Self) -> bool {
        self == other || self.without_names() == other.without_names()
    }

    /// The old and the new image, if it is about the image of a container, also of an init container.
    pub fn image(&self) -> Option<(&str, &str)> {
        let both = (self.old.as_ref()?.as_text()?, self.new.as_ref()?.as_text()?);
        Some(both).filter(|_| self.is_image())
    }

    /// Whether it is in an init container.
    pub fn is_of_init_container(&self) -> bool {
        self.path.steps().contains(&Step::Key("initContainers".into()))
    }

    /// Whether it is about the image of a container.
    fn is_image(&self) -> bool {
        self.path.steps().last() == Some(&Step::Key("image".into()))
    }

    /// The items on the path that people know by name, from the outermost to the innermost.
    fn called<'d>(&'d self) -> Vec<Called<'d>> {
        let steps = self.path.steps();
        let called = |(step, name): &'d (usize, String)| {
            let Some(Step::Key(list)) = steps.get(step.checked_sub(1)?) else { return None };
            let (_, noun) = NAMED.into_iter().find(|(key, _)| key == list)?;
            Some(Called { step: *step, noun, name })
        };
        self.items.iter().filter_map(called).collect()
    }

    /// A text that is equal for differences of one group: the path without the names on it, and the values unless the difference is about
    /// a whole item.
    fn without_names(&self) -> String {
        let called = self.called();
        let is_index = |at: &usize| called.iter().any(|one| one.step == *at);
        let is_item = called.last().is_some_and(|last| last.step + 1 == self.path.steps().len());
        let way: Path = self
            .path
            .steps()
            .iter()
            .enumerate()
            .filter(|(at, _)| !is_index(at))
            .map(|(_, step)| step.clone())
            .collect();
        let told = |value: &Option<Value>| match value {
            Some(value) if !is_item => text(value),
            value => value.is_some().to_string(),
        };
        // Init containers and containers belong to one group.
        let way = way.to_string().replace("initContainers", "containers");
        format!("{way}\n{}\n{}", told(&self.old), told(&self.new))
    }
}

/// The field in words: `image of container `migrate``. If no item on the path has a name that people know, the path. `alike` is one group, so all
/// differences have the same field.
fn subject(alike: &[&Difference]) -> Subject {
    let called: Vec<Vec<Called<'_>>> = alike.iter().map(|one| one.called()).collect();
    let Some((first, last)) = alike.first().zip(called.first().and_then(|of_first| of_first.last())) else {
        let path = alike.first().map(|one| one.path.to_string()).unwrap_or_default();
        return Subject { text: format!("`{path}`"), is_item: false, is_one: true };
    };
    let rest: Path = first.path.steps()[last.step + 1..].iter().cloned().collect();
    let level = |level: usize| -> BTreeSet<(&str, &str)> {
        called.iter().filter_map(|one| one.get(level)).map(|one| (one.noun, one.name)).collect()
    };
    let owners: Vec<BTreeSet<(&str, &str)>> = (0..called[0].len()).rev().map(level).collect();
    let is_one = owners.first().is_none_or(|items| items.len() == 1);
    let owners = owners.iter().map(all_called).collect::<Vec<_>>().join(" of ");
    // If `value` gives way to `valueFrom` or the other way round, the field is named.
    let is_variable = last.noun == "variable" && first.old.is_some() && first.new.is_some();
    let (text, is_item) = match rest.steps() {
        [] => (owners, true),
        [Step::Key(key)] if key == "image" => (format!("image of {owners}"), false),
        [Step::Key(key)] if key == "value" && is_variable => (owners, false),
        _ => (format!("`{rest}` of {owners}"), false),
    };
    Subject { text, is_item, is_one }
}

/// The items in words: `container `migrate``, `containers `a` and `b``, `9 containers and 2 init containers`
fn all_called(items: &BTreeSet<(&str, &str)>) -> String {
    let mut by_noun: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    items.iter().for_each(|(noun, name)| by_noun.entry(noun).or_default().push(format!("`{name}`")));
    let are_few = items.len() <= MAX_NAMED;
    let told = by_noun.iter().map(|(noun, names)| match names.as_slice() {
        [one] if are_few => format!("{noun} {one}"),
        [others @ .., last] if are_few => format!("{noun}s {} and {last}", others.join(", ")),
        names => plural(names.len(), noun),
    });
    told.collect::<Vec<_>>().join(" and ")
}

/// A value on one line. A text is not quoted, unless it is empty (quoted as JSON) or has control characters (escaped as in Rust).
fn text(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().any(char::is_control) => format!("\"{}\"", text.escape_debug()),
        Value::String(text) if !text.is_empty() => text.to_string(),
        _ => json::print(value, Form::Stream),
    }
}

/// Two images, with the first digits of their digests. If they are long and of one name, the second is only a tag: `…:v2`.
fn images(old: &str, new: &str) -> [String; 2] {
    let short = |image: &str| match image.split_once("@sha256:") {
        Some((name, digest)) if digest.len() > DIGITS => {
            format!("{name}@sha256:{}…", digest.chars().take(DIGITS).collect::<String>())
        }
        _ => image.to_owned(),
    };
    let [one, other] = [short(old), short(new)];
    let [one, other] = if one == other { [old.to_owned(), new.to_owned()] } else { [one, other] };
    let name = |image: &str| {
        let last = image.rfind('/').map_or(0, |at| at + 1);
        image[last..].find([':', '@']).map_or(image.len(), |at| last + at)
    };
    let (end, is_long) = (name(&one), one.len().max(other.len()) > MAX_SHOWN);
    let is_one_name = one[..end] == other[..name(&other)] && end < other.len();
    let other = if is_long && is_one_name { format!("…{}", &other[end..]) } else { other };
    [one, other]
}

fn names(items: &[Value], most: usize) -> String {
    cut(&items.iter().map(text).collect::<Vec<_>>().join(", "), 0, most)
}

/// How many equal characters at the start of two texts are not shown. 0 if both texts are short enough to be shown in full.
fn alike(one: &str, other: &str) -> usize {
    if one.chars().count().max(other.chars().count()) <= MAX_SHOWN {
        return 0;
    }
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    if same < MAX_SHOWN / 2 { 0 } else { same - CONTEXT }
}

/// At most `most` characters of a text, without the first `skipped` characters.
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
    use crate::kubernetes::{Job, differences};

    fn told(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (Job::read(old).unwrap(), Job::read(new).unwrap());
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
    fn the_names_of_images_are_whole_and_are_not_said_twice_if_they_are_long() {
        let told = |old: &str, new: &str| told(&format!("{{image: '{old}'}}"), &format!("{{image: '{new}'}}")).concat();
        let (long, digest) = (format!("registry.example:5000/{}/shop", "x".repeat(40)), "0123456789abcdef".repeat(4));
        assert_eq!(told("shop:1", "shop:2"), "`image`: `shop:1` → `shop:2`");
        assert_eq!(told(&format!("{long}:1"), &format!("{long}:2")), format!("`image`: `{long}:1` → `…:2`"));
        assert_eq!(told(&long, &format!("{long}:2")), format!("`image`: `{long}` → `…:2`"));
        assert_eq!(told(&format!("{long}:2"), &long), format!("`image`: `{long}:2` → `{long}`"));
        assert_eq!(
            told(&format!("{long}:1"), &format!("{long}-two:1")),
            format!("`image`: `{long}:1` → `{long}-two:1`")
        );
        assert_eq!(
            told("shop:1", &format!("shop:2@sha256:{digest}")),
            "`image`: `shop:1` → `shop:2@sha256:0123456789ab…`"
        );
        let other = digest.replace('f', "e");
        assert_eq!(
            told(&format!("shop@sha256:{digest}"), &format!("shop@sha256:{other}")),
            format!("`image`: `shop@sha256:{digest}` → `…@sha256:{other}`")
        );
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
