//! Paths in jq, for `jqPathExpressions`: keys, items, all items, and `select` by a comparison with a value.
//!
//! Argo CD runs `del(…)` of each expression with gojq (`util/argo/normalizers/diff_normalizer.go`). What is not such a path is not read:
//! the language can compute anything, and needs any amount of time.

use goyaml::{Path, Step, Value};

/// The paths of an expression, which commas separate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression(Vec<Vec<Stage>>);

#[derive(Clone, Debug, PartialEq)]
enum Stage {
    /// `.a`, `["a"]`
    Key(String),
    /// `[0]`
    Item(i64),
    /// `[]`
    Each,
    /// `?`, after the stage that may fail.
    Optional,
    /// `select(…)`: each pair must be equal, or must not be.
    Select(Vec<Condition>),
}

/// `.name == "a"`
#[derive(Clone, Debug, PartialEq)]
struct Condition {
    path: Vec<Stage>,
    is_equal: bool,
    value: Value,
}

/// jq fails at the object, so that nothing is deleted.
struct Failed;

impl Expression {
    /// Reads an expression. None if it is not such a path.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut all = Vec::new();
        loop {
            all.push(stages(&mut rest)?);
            match (taken(&mut rest, ","), rest.is_empty()) {
                (true, _) => {}
                (false, true) => return Some(Self(all)),
                (false, false) => return None,
            }
        }
    }

    /// Deletes what the paths lead to. Deletes nothing if jq would fail.
    pub(super) fn delete(&self, value: &mut Value) {
        let mut paths = Vec::new();
        for stages in &self.0 {
            match ends(value, stages) {
                Ok(ends) => paths.extend(ends.into_iter().map(|(path, _)| path)),
                Err(Failed) => return,
            }
        }
        // Backwards, so that the places of the others stay.
        paths.sort();
        paths.iter().rev().for_each(|path| delete(value, path.steps()));
    }
}

/// Deletes the value at a path, if there is one.
pub(super) fn delete(value: &mut Value, path: &[Step]) {
    match (value, path) {
        (Value::Map(map), [Step::Key(key)]) => {
            map.remove(key);
        }
        (Value::List(items), [Step::Item(index)]) if *index < items.len() => {
            items.remove(*index);
        }
        (Value::Map(map), [Step::Key(key), rest @ ..]) => {
            map.get_mut(key).into_iter().for_each(|next| delete(next, rest));
        }
        (Value::List(items), [Step::Item(index), rest @ ..]) => {
            items.get_mut(*index).into_iter().for_each(|next| delete(next, rest));
        }
        _ => {}
    }
}

/// What the stages lead to: a path, and the value there. The value is None for null.
fn ends<'v>(value: &'v Value, stages: &[Stage]) -> Result<Vec<(Path, Option<&'v Value>)>, Failed> {
    let mut found = vec![(Path::default(), some(Some(value)))];
    for (index, stage) in stages.iter().enumerate() {
        let is_optional = stages.get(index + 1) == Some(&Stage::Optional);
        let mut next = Vec::new();
        for (path, value) in found {
            match step(&path, value, stage) {
                Ok(more) => next.extend(more),
                Err(Failed) if is_optional => {}
                Err(Failed) => return Err(Failed),
            }
        }
        found = next;
    }
    Ok(found)
}

fn some(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| **value != Value::Null)
}

fn step<'v>(path: &Path, value: Option<&'v Value>, stage: &Stage) -> Result<Vec<(Path, Option<&'v Value>)>, Failed> {
    Ok(match (stage, value) {
        (Stage::Optional, _) => vec![(path.clone(), value)],
        (Stage::Select(conditions), _) => {
            let mut holds = true;
            for condition in conditions {
                let ends = ends(value.unwrap_or(&Value::Null), &condition.path)?;
                // Several values would select the object several times, or for one of them.
                let [(_, found)] = ends.as_slice() else { return Err(Failed) };
                holds &= (found.unwrap_or(&Value::Null) == &condition.value) == condition.is_equal;
            }
            if holds { vec![(path.clone(), value)] } else { Vec::new() }
        }
        (Stage::Key(key), None) => vec![(path.with(key), None)],
        (Stage::Key(key), Some(Value::Map(map))) => vec![(path.with(key), some(map.get(key.as_str())))],
        // Without the list, the item does not exist whatever its index is.
        (Stage::Item(_), None) => Vec::new(),
        (Stage::Item(index), Some(Value::List(items))) => {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let index = if *index < 0 { index.saturating_add(length) } else { *index };
            let index = usize::try_from(index).ok().filter(|index| *index < items.len());
            index.map(|index| (path.with(index), some(items.get(index)))).into_iter().collect()
        }
        (Stage::Each, Some(Value::List(items))) => {
            items.iter().enumerate().map(|(index, item)| (path.with(index), some(Some(item)))).collect()
        }
        (Stage::Each, Some(Value::Map(map))) => {
            map.iter().map(|(key, item)| (path.with(key), some(Some(item)))).collect()
        }
        _ => return Err(Failed),
    })
}

/// Takes a word off the front, with the space around it.
fn taken(rest: &mut &str, word: &str) -> bool {
    let text = rest.trim_start();
    let Some(after) = text.strip_prefix(word) else { return false };
    *rest = after.trim_start();
    true
}

/// `.spec.containers[] | select(.name == "a") | .image`
fn stages(rest: &mut &str) -> Option<Vec<Stage>> {
    let mut all = Vec::new();
    loop {
        if taken(rest, "select") {
            all.push(select(rest)?);
        } else {
            all.extend(path(rest)?);
        }
        if !taken(rest, "|") {
            return Some(all);
        }
    }
}

fn select(rest: &mut &str) -> Option<Stage> {
    if !taken(rest, "(") {
        return None;
    }
    let mut conditions = Vec::new();
    loop {
        let path = path(rest)?;
        let is_equal = taken(rest, "==");
        if !is_equal && !taken(rest, "!=") {
            return None;
        }
        conditions.push(Condition { path, is_equal, value: literal(rest)? });
        if !taken(rest, "and") {
            return taken(rest, ")").then_some(Stage::Select(conditions));
        }
    }
}

/// `.spec.containers[0]["a b"]?`
fn path(rest: &mut &str) -> Option<Vec<Stage>> {
    let mut all = Vec::new();
    *rest = rest.trim_start();
    let mut is_first = true;
    loop {
        let text = *rest;
        if let Some(after) = text.strip_prefix('.') {
            *rest = after;
            match name(rest) {
                Some(name) => all.push(Stage::Key(name)),
                None if after.starts_with('"') => all.push(Stage::Key(quoted(rest)?)),
                None if after.starts_with('[') => all.push(bracket(rest)?),
                // The object itself.
                None if is_first && !after.starts_with('.') => {}
                None => return None,
            }
        } else if text.starts_with('[') && !is_first {
            all.push(bracket(rest)?);
        } else if text.starts_with('?') && !all.is_empty() {
            *rest = &text[1..];
            all.push(Stage::Optional);
        } else {
            *rest = text.trim_start();
            return (!is_first).then_some(all);
        }
        is_first = false;
    }
}

fn name(rest: &mut &str) -> Option<String> {
    let is_name = |found: char| found.is_ascii_alphanumeric() || found == '_';
    let end = rest.find(|found| !is_name(found)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    *rest = after;
    Some(name.to_owned())
}

/// `"a"`. With a `\` it may be computed.
fn quoted(rest: &mut &str) -> Option<String> {
    let (text, after) = rest.strip_prefix('"')?.split_once('"')?;
    if text.contains('\\') {
        return None;
    }
    *rest = after;
    Some(text.to_owned())
}

/// `[]`, `[0]`, `["a"]`
fn bracket(rest: &mut &str) -> Option<Stage> {
    *rest = rest.strip_prefix('[')?.trim_start();
    let stage = if rest.starts_with('"') {
        Stage::Key(quoted(rest)?)
    } else if rest.starts_with(']') {
        Stage::Each
    } else {
        Stage::Item(number(rest)?)
    };
    *rest = rest.trim_start().strip_prefix(']')?;
    Some(stage)
}

fn number(rest: &mut &str) -> Option<i64> {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let length = digits.find(|found: char| !found.is_ascii_digit()).unwrap_or(digits.len());
    let (number, after) = rest.split_at(rest.len() - digits.len() + length);
    // A fraction.
    if after.starts_with(['.', 'e', 'E']) {
        return None;
    }
    *rest = after;
    number.parse().ok()
}

fn literal(rest: &mut &str) -> Option<Value> {
    if rest.starts_with('"') {
        return Some(Value::String(quoted(rest)?.into()));
    }
    let words = [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
    let word = words.into_iter().find(|(word, _)| taken(rest, word)).map(|(_, value)| value);
    word.or_else(|| number(rest).map(Value::Int))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a value; the whole value if the expression is not read.
    fn left(expression: &str, value: &str) -> Value {
        let mut value = Value::read(value).unwrap();
        Expression::read(expression).unwrap().delete(&mut value);
        value
    }

    #[test]
    fn paths_are_deleted_as_jq_does() {
        let pod = "{a: {l: [{id: one, v: 1}, {id: two, v: 2}], m: {'p/q': 1}}, s: t}";
        for (expression, wanted) in [
            (".a.l[].v", "{a: {l: [{id: one}, {id: two}], m: {'p/q': 1}}, s: t}"),
            (".a.l[]?.v?", "{a: {l: [{id: one}, {id: two}], m: {'p/q': 1}}, s: t}"),
            (".a.l[] | select(.id == \"two\") | .v", "{a: {l: [{id: one, v: 1}, {id: two}], m: {'p/q': 1}}, s: t}"),
            (".a.l[] | select(.id != \"two\")", "{a: {l: [{id: two, v: 2}], m: {'p/q': 1}}, s: t}"),
            (".a.l[] | select(.v == 2 and .id == \"two\")", "{a: {l: [{id: one, v: 1}], m: {'p/q': 1}}, s: t}"),
            (".a.l[]", "{a: {l: [], m: {'p/q': 1}}, s: t}"),
            (".a.m[\"p/q\"]", "{a: {l: [{id: one, v: 1}, {id: two, v: 2}], m: {}}, s: t}"),
            (".a.m.\"p/q\", .s", "{a: {l: [{id: one, v: 1}, {id: two, v: 2}], m: {}}}"),
            (".a.l[-1], .a.l[0]", "{a: {l: [], m: {'p/q': 1}}, s: t}"),
            (".a[]", "{a: {}, s: t}"),
            (".[\"a\"] | .l", "{a: {m: {'p/q': 1}}, s: t}"),
            // What is not there is nothing to delete.
            (".b.c[3].d", pod),
            (".a.l[5]", pod),
            // jq fails, and nothing is deleted.
            (".s.x, .a", pod),
            (".b[], .a", pod),
            (".a.l[].v[]", pod),
            (".b[]?, .s", "{a: {l: [{id: one, v: 1}, {id: two, v: 2}], m: {'p/q': 1}}}"),
        ] {
            assert_eq!(left(expression, pod), Value::read(wanted).unwrap(), "{expression}");
        }
    }

    #[test]
    fn what_is_computed_is_not_read() {
        for expression in [
            "",
            "a",
            "..",
            ".a..b",
            ".a.",
            ".a[1:2]",
            ".a // .b",
            ".a | keys",
            ".a | first",
            "..|.x?",
            ".a[.b]",
            ".\"\\(1)\"",
            ".a[] | select(.n | test(\"x\"))",
            ".a[] | select(.n)",
            "(.a)",
            ".a # x",
            "def f: f; f",
            ".a,",
            ".a .b",
            ".a[1.5]",
            "| .a",
        ] {
            assert_eq!(Expression::read(expression), None, "{expression}");
        }
    }
}
