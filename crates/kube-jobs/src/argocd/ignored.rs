//! The fields that Argo CD does not compare: what of them is in an object, and what a sync applies in their place.

use std::borrow::Cow;

use goyaml::Value;
use goyaml::{Step, value::Map};

use super::jq_path::{self, Expression};
use super::{Application, Fact, Glob, IGNORE_DIFFERENCES, Version};
use crate::kubernetes::{Object, compared, merge};

/// Fields of some objects that Argo CD does not compare (`ResourceIgnoreDifferences` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredDifferences {
    /// A glob for API groups.
    pub group: String,
    /// A glob for kinds.
    pub kind: String,
    /// The name of an object. Empty for all names.
    pub name: String,
    /// A namespace. Empty for all namespaces.
    pub namespace: String,
    /// The fields, as JSON pointers.
    pub pointers: Vec<String>,
    /// The fields, as paths in the language of jq.
    pub expressions: Vec<String>,
    /// The managers whose fields are not compared. What they own is not in Git.
    pub managers: Vec<String>,
    /// Whether it is a setting of Argo CD (`argocd-cm`), and not of the Application.
    pub is_of_argocd: bool,
    /// Whether it is unknown that this Argo CD has the setting.
    pub is_only_possible: bool,
}

/// The most fields that are looked at. More are taken to be unknown, because each takes time for each object.
const MAX_FIELDS: usize = 1000;

impl IgnoredDifferences {
    /// The fields that a `ResourceIgnoreDifferences` or an `OverrideIgnoreDiff` names, without the objects that it is about.
    pub fn fields_of(rule: &Value) -> Self {
        let [pointers, expressions, managers] =
            ["jsonPointers", "jqPathExpressions", "managedFieldsManagers"].map(|key| rule.texts_at(&[key]));
        Self { pointers, expressions, managers, ..Self::default() }
    }

    /// The fields that the annotation of an object names. None without such an annotation, or if Argo CD cannot read it
    /// (`ExtractIgnoreDifferencesFromAnnotations` in `util/argo/diff/ignore.go`, Argo CD 3.6).
    pub fn of_annotation(object: &Object) -> Option<Self> {
        let rule = Value::read(object.annotation(IGNORE_DIFFERENCES)?).ok()?;
        let pointers = rule.texts_at(&["jsonPointers"]);
        (pointers.len() == rule.items_at(&["jsonPointers"]).len() && !pointers.is_empty())
            .then(|| Self { pointers, ..Self::default() })
    }

    /// Whether it is about this object. `namespace` is that of objects that name none (`Normalize` in
    /// `util/argo/normalizers/diff_normalizer.go`).
    pub fn is_about(&self, object: &Object, namespace: Option<&str>) -> bool {
        Glob::new(&self.group).matches(object.group())
            && Glob::new(&self.kind).matches(object.kind())
            && (self.name.is_empty() || Some(self.name.as_str()) == object.name())
            && (self.namespace.is_empty() || Some(self.namespace.as_str()) == object.namespace().or(namespace))
    }
}

/// What Argo CD ignores in the objects of an Application.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ignoring<'a> {
    rules: &'a [IgnoredDifferences],
    namespace: Option<&'a str>,
    /// Whether a sync leaves what is ignored as it is (`RespectIgnoreDifferences=true`).
    pub is_respected: bool,
    /// Whether an object can say itself what is ignored in it (`Fact::IgnoreDifferences`).
    has_annotation: bool,
}

/// An object as Argo CD compares it with another version of it. `V` is its value, or a digest of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared<V = Value> {
    /// The value without what is ignored, and with what is the same for Kubernetes written in one way. If two values differ, Argo CD sees a change.
    pub value: V,
    /// Whether it has a field whose removal is a change, although the default brings the value back.
    pub has_strategy: bool,
    /// What of it is ignored.
    pub ignored: Ignored,
}

impl Compared {
    /// The object with a digest in place of its value.
    pub fn map<D>(self, digest: impl Fn(Value) -> D) -> Compared<D> {
        Compared { value: digest(self.value), has_strategy: self.has_strategy, ignored: self.ignored }
    }
}

impl<V: PartialEq> Compared<V> {
    /// Whether Argo CD sees a change when this object is live and the new one is in the source.
    pub fn is_changed_by(&self, new: &Self) -> bool {
        self.value != new.value || self.has_strategy && !new.has_strategy
    }
}

/// How much of an object Argo CD ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ignored {
    /// Nothing.
    Nothing,
    /// Some fields.
    Fields,
    /// It is unknown: fields that a manager owns, or an expression that is not read.
    Unknown,
}

impl<'a> Ignoring<'a> {
    /// What this version of Argo CD ignores in an Application.
    pub fn of(application: &'a Application, version: Version) -> Self {
        let sync = application.sync.as_deref();
        Self {
            rules: sync.map_or(&[], |sync| &sync.ignored),
            namespace: application.namespace.as_deref(),
            has_annotation: version.has(Fact::IgnoreDifferences),
            is_respected: sync.is_some_and(|sync| sync.has_option("RespectIgnoreDifferences=true")),
        }
    }

    /// An object as Argo CD compares it.
    pub fn compared(self, object: &Object) -> Compared {
        let reduced = Object::new(compared::reduced(object.value().clone()));
        let (value, ignored) = self.without_ignored_in(&reduced, object);
        let has_strategy = compared::has_strategy(&value);
        Compared { value: compared::completed(value.into_owned(), reduced.value()), has_strategy, ignored }
    }

    /// The value of an object without what is ignored, and how much that is.
    pub fn without_ignored(self, object: &Object) -> (Cow<'_, Value>, Ignored) {
        self.without_ignored_in(object, object)
    }

    /// [`Self::without_ignored`] for another form of the object `named`: its name and annotations decide which rules are about it.
    fn without_ignored_in<'o>(self, object: &'o Object, named: &Object) -> (Cow<'o, Value>, Ignored) {
        let mut left = MAX_FIELDS;
        let (mut value, mut ignored) = (Cow::Borrowed(object.value()), Ignored::Nothing);
        let own = IgnoredDifferences::of_annotation(named).filter(|_| self.has_annotation);
        let rules = self.rules.iter().filter(|rule| rule.is_about(named, self.namespace));
        for rule in rules.chain(&own) {
            let is_too_much = rule.pointers.len() + rule.expressions.len() > left;
            let is_known = rule.managers.is_empty() && !is_too_much && !rule.is_only_possible;
            ignored = ignored.max(if is_known { Ignored::Fields } else { Ignored::Unknown });
            if is_too_much || rule.is_only_possible {
                continue;
            }
            for pointer in &rule.pointers {
                if let Some(path) = place(pointer, &value) {
                    jq_path::delete(value.to_mut(), &path);
                }
            }
            for expression in &rule.expressions {
                match Expression::read(expression) {
                    Some(expression) => expression.delete(value.to_mut()),
                    None => ignored = Ignored::Unknown,
                }
            }
            left = left.saturating_sub(rule.pointers.len() + rule.expressions.len());
        }
        // Argo CD does not read an object without a kind.
        let value = if value.text_at(&["kind"]).is_none() { Cow::Borrowed(object.value()) } else { value };
        (value, ignored)
    }

    /// What a sync applies to a live object that is not a hook: what is ignored stays as it is if that is respected (`normalizeTargetResources` in
    /// `controller/sync.go`). None if it is the new object as it is.
    pub fn applied(self, new: &Object, live: &Object) -> Option<Value> {
        if !self.is_respected {
            return None;
        }
        let ((value, of_new), (of_live, _)) = (self.without_ignored(new), self.without_ignored_in(live, new));
        if of_new == Ignored::Nothing {
            return None;
        }
        let mut value = value.into_owned();
        put_back("", &of_live, live.value(), &mut value);
        Some(value)
    }
}

/// Writes into `target` what `whole` has and `part` lacks.
fn put_back(field: &str, part: &Value, whole: &Value, target: &mut Value) {
    match (part, whole) {
        _ if part == whole => {}
        (Value::Map(part), Value::Map(whole)) => {
            for (key, value) in whole.iter().filter(|(key, value)| part.get(*key) != Some(*value)) {
                let Value::Map(target) = &mut *target else { return };
                match part.get(key) {
                    Some(part) => {
                        let there = target.entry(key.clone()).or_insert_with(|| empty_like(value));
                        put_back(key, part, value, there);
                    }
                    None => {
                        target.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::List(part), Value::List(whole)) if merge::key_of(field).is_some() && part.len() == whole.len() => {
            let (Some(key), Value::List(target)) = (merge::key_of(field), target) else { return };
            for (part, whole) in part.iter().zip(&**whole).filter(|(part, whole)| part != whole) {
                let same = target.iter().position(|item| item.at(&[key]) == whole.at(&[key]));
                match same {
                    Some(same) => put_back("", part, whole, &mut target[same]),
                    // The patch creates an item, as Argo CD does.
                    None => {
                        let name = whole.at(&[key]).cloned().map(|name| (key, name));
                        let mut item = Value::Map(name.into_iter().collect::<Map>());
                        put_back("", part, whole, &mut item);
                        target.push(item);
                    }
                }
            }
        }
        _ => *target = whole.clone(),
    }
}

fn empty_like(value: &Value) -> Value {
    match value {
        Value::Map(_) => Value::Map(Map::default()),
        Value::List(_) => Value::List(Vec::new().into()),
        _ => Value::Null,
    }
}

/// The path of a JSON pointer in a value; none if nothing is there, or if it is the whole value.
fn place(pointer: &str, value: &Value) -> Option<Vec<Step>> {
    let mut there = value;
    let mut path = Vec::new();
    for step in pointer.strip_prefix('/')?.split('/').map(unescaped) {
        let step = match there {
            Value::Map(_) => Step::from(step.as_ref()),
            Value::List(items) => {
                // The library counts a negative index from the end (`SupportNegativeIndices` in `evanphx/json-patch`).
                let index: i64 = step.parse().ok()?;
                let length = i64::try_from(items.len()).ok()?;
                Step::Item(usize::try_from(if index < 0 { index.checked_add(length)? } else { index }).ok()?)
            }
            _ => return None,
        };
        there = there.child(&step)?;
        path.push(step);
    }
    Some(path)
}

/// A step of a JSON pointer without its escapes (RFC 6901).
pub fn unescaped(step: &str) -> Cow<'_, str> {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~").into() } else { step.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        Object::new(Value::read(text).unwrap())
    }

    fn rule(pointers: &[&str], expressions: &[&str]) -> IgnoredDifferences {
        let [pointers, expressions] =
            [pointers, expressions].map(|all| all.iter().map(|&one| one.to_owned()).collect());
        IgnoredDifferences {
            group: "*".to_owned(),
            kind: "*".to_owned(),
            pointers,
            expressions,
            ..IgnoredDifferences::default()
        }
    }

    #[test]
    fn a_pointer_is_removed_where_it_leads() {
        let one = object("{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}");
        for (pointer, wanted) in [
            ("/a/b~1c", "{kind: A, a: {d: [1, 2, 3], e: null}}"),
            ("/a/d/1", "{kind: A, a: {b/c: 1, d: [1, 3], e: null}}"),
            ("/a/d/-1", "{kind: A, a: {b/c: 1, d: [1, 2], e: null}}"),
            ("/a/e", "{kind: A, a: {b/c: 1, d: [1, 2, 3]}}"),
            ("/a/d/3", "{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}"),
            ("/a/d/x", "{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}"),
            ("/x/y", "{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}"),
            ("", "{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}"),
            ("/kind", "{kind: A, a: {b/c: 1, d: [1, 2, 3], e: null}}"),
        ] {
            let rules = [rule(&[pointer], &[])];
            let ignoring = Ignoring { rules: &rules, ..Ignoring::default() };
            assert_eq!(*ignoring.without_ignored(&one).0, Value::read(wanted).unwrap(), "{pointer}");
        }
    }

    #[test]
    fn what_is_not_known_ignores_nothing() {
        let one = object("{kind: A, a: 1}");
        let by_manager = IgnoredDifferences { managers: vec!["m".to_owned()], ..rule(&[], &[]) };
        let only_possible = IgnoredDifferences { is_only_possible: true, ..rule(&["/a"], &[]) };
        let too_many = rule(&["/a"; MAX_FIELDS + 1], &[]);
        for rules in [[rule(&[], &["keys"])], [by_manager], [only_possible], [too_many]] {
            let ignoring = Ignoring { rules: &rules, ..Ignoring::default() };
            assert_eq!(ignoring.without_ignored(&one), (Cow::Borrowed(one.value()), Ignored::Unknown), "{rules:?}");
        }
        let own = object(
            "{kind: A, metadata: {annotations: {argocd.argoproj.io/ignore-differences: 'jsonPointers: [/a]'}}, a: 1}",
        );
        for has_annotation in [true, false] {
            let (left, ignored) = Ignoring { has_annotation, ..Ignoring::default() }.without_ignored(&own);
            assert_eq!((left.at(&["a"]).is_none(), ignored == Ignored::Fields), (has_annotation, has_annotation));
        }
        let another = IgnoredDifferences { name: "x".to_owned(), ..rule(&["/a"], &[]) };
        let ignoring = Ignoring { rules: &[another], ..Ignoring::default() };
        assert_eq!(ignoring.without_ignored(&one).1, Ignored::Nothing);
    }

    #[test]
    fn what_is_ignored_stays_as_it_is() {
        let live = "{kind: Job, spec: {a: 1, containers: [{name: x, image: i:1, v: 1}, {name: gone, image: j:1}], l: [{i: 1}]}}";
        let new = "{kind: Job, spec: {b: 2, containers: [{name: y, image: k:2}, {name: x, image: i:2}], l: [{i: 2}, {i: 3}]}}";
        for (expression, wanted) in [
            (
                ".spec.a",
                "{kind: Job, spec: {a: 1, b: 2, containers: [{name: y, image: k:2}, {name: x, image: i:2}], l: [{i: 2}, {i: 3}]}}",
            ),
            (
                ".spec.b",
                "{kind: Job, spec: {containers: [{name: y, image: k:2}, {name: x, image: i:2}], l: [{i: 2}, {i: 3}]}}",
            ),
            (
                ".spec.containers[].image",
                "{kind: Job, spec: {b: 2, containers: [{name: y}, {name: x, image: i:1}, {name: gone, image: j:1}], l: [{i: 2}, {i: 3}]}}",
            ),
            (".spec", live),
            // A list that is not merged is taken as a whole.
            (
                ".spec.l[].i",
                "{kind: Job, spec: {b: 2, containers: [{name: y, image: k:2}, {name: x, image: i:2}], l: [{i: 1}]}}",
            ),
        ] {
            let rules = [rule(&[], &[expression])];
            let ignoring = Ignoring { rules: &rules, is_respected: true, ..Ignoring::default() };
            let applied = ignoring.applied(&object(new), &object(live)).unwrap();
            assert_eq!(applied, Value::read(wanted).unwrap(), "{expression}");
        }
    }
}
