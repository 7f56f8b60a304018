//! Sprig's functions for lists (`list.go`), and functions that split and join texts.

use super::{Call, Function, function};
use crate::error::{Result, failed, unknown};
use crate::format::print;
use crate::functions::numbers::to_int;
use crate::value::{Entries, Of, Value};

pub(super) const TABLE: &[Function] = &[
    function("append", "aa", push),
    function("chunk", "ia", chunk),
    function("compact", "a", compact),
    function("concat", "a*", concat),
    function("first", "a", |call| Ok(items(call, 0)?.first().cloned().unwrap_or(Value::Nil))),
    function("has", "aa", has),
    function("initial", "a", |call| part(call, |items| items.split_last().map(|(_, rest)| rest))),
    function("join", "sa", join),
    function("last", "a", |call| Ok(items(call, 0)?.last().cloned().unwrap_or(Value::Nil))),
    function("list", "a*", |call| Ok(Value::list(call.arguments.to_vec()))),
    function("mustAppend", "aa", push),
    function("mustChunk", "ia", chunk),
    function("mustCompact", "a", compact),
    function("mustFirst", "a", |call| Ok(items(call, 0)?.first().cloned().unwrap_or(Value::Nil))),
    function("mustHas", "aa", has),
    function("mustInitial", "a", |call| part(call, |items| items.split_last().map(|(_, rest)| rest))),
    function("mustLast", "a", |call| Ok(items(call, 0)?.last().cloned().unwrap_or(Value::Nil))),
    function("mustPrepend", "aa", prepend),
    function("mustPush", "aa", push),
    function("mustRest", "a", |call| part(call, |items| items.split_first().map(|(_, rest)| rest))),
    function("mustReverse", "a", reverse),
    function("mustSlice", "aa*", slice),
    function("mustUniq", "a", uniq),
    function("mustWithout", "aa*", without),
    function("prepend", "aa", prepend),
    function("push", "aa", push),
    function("rest", "a", |call| part(call, |items| items.split_first().map(|(_, rest)| rest))),
    function("reverse", "a", reverse),
    function("slice", "aa*", slice),
    function("sortAlpha", "a", sort),
    function("split", "ss", |call| numbered(call, split(call.text(1), call.text(0), -1))),
    function("splitList", "ss", |call| Ok(Value::texts(split(call.text(1), call.text(0), -1)))),
    function("splitn", "sis", |call| numbered(call, split(call.text(2), call.text(0), call.int(1)))),
    function("toStrings", "a", |call| Ok(texts(call.any(0)))),
    function("tuple", "a*", |call| Ok(Value::list(call.arguments.to_vec()))),
    function("uniq", "a", uniq),
    function("without", "aa*", without),
];

fn items(call: &Call<'_>, at: usize) -> Result<Vec<Value>> {
    match call.any(at) {
        Value::List(list) => Ok(list.items().clone()),
        other => failed(format!("Cannot {} on type {}", call.name, other.kind())),
    }
}

fn push(call: &Call<'_>) -> Result<Value> {
    let mut items = items(call, 0)?;
    items.push(call.any(1).clone());
    Ok(Value::list(items))
}

fn prepend(call: &Call<'_>) -> Result<Value> {
    let mut items = items(call, 0)?;
    items.insert(0, call.any(1).clone());
    Ok(Value::list(items))
}

fn chunk(call: &Call<'_>) -> Result<Value> {
    let items = items(call, 1)?;
    match usize::try_from(call.int(0)) {
        Ok(size) if size > 0 => {
            Ok(Value::list_of(Of::Lists, items.chunks(size).map(|part| Value::list(part.to_vec())).collect()))
        }
        _ => unknown("nothing"),
    }
}

fn compact(call: &Call<'_>) -> Result<Value> {
    Ok(Value::list(items(call, 0)?.into_iter().filter(|item| !item.is_empty()).collect()))
}

fn uniq(call: &Call<'_>) -> Result<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items(call, 0)? {
        call.compare(std::slice::from_ref(&item), kept.len())?;
        if !kept.iter().any(|other| other.equals(&item)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn without(call: &Call<'_>) -> Result<Value> {
    let mut items = items(call, 0)?;
    call.compare(call.rest(1), items.len())?;
    items.retain(|item| !call.rest(1).iter().any(|other| other.equals(item)));
    Ok(Value::list(items))
}

fn concat(call: &Call<'_>) -> Result<Value> {
    let mut all = Vec::new();
    for at in 0..call.arguments.len() {
        all.extend(items(call, at)?);
    }
    Ok(if all.is_empty() { Value::nil_list(Of::Any) } else { Value::list(all) })
}

fn has(call: &Call<'_>) -> Result<Value> {
    if matches!(call.any(1), Value::Nil) {
        return Ok(Value::Bool(false));
    }
    Ok(Value::Bool(items(call, 1)?.iter().any(|item| item.equals(call.any(0)))))
}

fn part(call: &Call<'_>, of: fn(&[Value]) -> Option<&[Value]>) -> Result<Value> {
    Ok(of(&items(call, 0)?).map_or_else(|| Value::nil_list(Of::Any), |part| Value::list(part.to_vec())))
}

fn reverse(call: &Call<'_>) -> Result<Value> {
    let mut items = items(call, 0)?;
    items.reverse();
    Ok(Value::list(items))
}

/// `slice`. Go can read past the end of a list, into its unused capacity. What is there is unknown here.
fn slice(call: &Call<'_>) -> Result<Value> {
    let items = items(call, 0)?;
    let (start, end) =
        (to_int(call.any(1)), if call.arguments.len() > 2 { to_int(call.any(2)) } else { items.len() as i64 });
    if items.is_empty() {
        return Ok(Value::Nil);
    }
    let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
        return failed("slice index out of bounds");
    };
    let of = if let Value::List(list) = call.any(0) { list.of } else { Of::Any };
    match items.get(start..end) {
        Some(part) => Ok(Value::list_of(of, part.to_vec())),
        None if start > end => failed("slice index out of bounds"),
        None => unknown("more than a list has"),
    }
}

/// `strslice`: the items of a list as texts, without nils; any other value as the only text of a list.
fn texts(value: &Value) -> Value {
    match value {
        Value::List(list) if list.of == Of::Text => value.clone(),
        Value::List(list) => Value::texts(list.items().iter().filter(|item| !matches!(item, Value::Nil)).map(print)),
        Value::Nil => Value::texts(Vec::<String>::new()),
        other => Value::texts([print(other)]),
    }
}

fn sort(call: &Call<'_>) -> Result<Value> {
    let value = texts(call.any(0));
    if let Value::List(list) = &value {
        let mut items = list.items().clone();
        items.sort_by_cached_key(print);
        // Go sorts a list of texts in place, so others see the change.
        list.replace(items);
    }
    Ok(value)
}

fn join(call: &Call<'_>) -> Result<Value> {
    let Value::List(list) = texts(call.any(1)) else { return Ok(Value::text("")) };
    call.work.text(list.items().len(), call.text(0).len())?;
    Ok(Value::text(list.items().iter().map(print).collect::<Vec<_>>().join(call.text(0))))
}

/// `strings.SplitN`.
pub(super) fn split<'t>(text: &'t str, separator: &str, count: i64) -> Vec<&'t str> {
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    if most == 0 {
        return Vec::new();
    }
    if !separator.is_empty() {
        return text.splitn(most, separator).collect();
    }
    let mut ends: Vec<_> = text.char_indices().map(|(at, _)| at).skip(1).take(most - 1).collect();
    if text.is_empty() {
        return Vec::new();
    }
    ends.push(text.len());
    let mut start = 0;
    ends.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
}

fn numbered(call: &Call<'_>, parts: Vec<&str>) -> Result<Value> {
    call.work.text(parts.len(), 32)?;
    let entries: Entries =
        parts.into_iter().enumerate().map(|(at, part)| (format!("_{at}").into(), Value::text(part))).collect();
    Ok(Value::map_of(Of::Text, entries))
}
