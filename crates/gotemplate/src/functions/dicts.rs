//! Sprig's functions for maps (`dict.go`). In Go the order of `keys` and `values` is random; here they are sorted.

use std::rc::Rc;

use super::{Call, Function, function};
use crate::error::{DEPTH, Result, failed, too_large};
use crate::format::print;
use crate::value::{Entries, Map, Of, Value};

pub(super) const TABLE: &[Function] = &[
    function("dict", "a*", dict),
    function("dig", "A*", dig),
    function("get", "Ms", |call| Ok(call.map(0)?.get(call.text(1)).unwrap_or_else(|| Value::text("")))),
    function("hasKey", "Ms", |call| Ok(Value::Bool(call.map(0)?.get(call.text(1)).is_some()))),
    function("keys", "m*", |call| {
        let mut keys = Vec::new();
        for at in 0..call.arguments.len() {
            keys.extend(call.map(at)?.entries().keys().cloned());
        }
        Ok(Value::texts(keys))
    }),
    function("merge", "mm*", |call| merge(call, false)),
    function("mergeOverwrite", "mm*", |call| merge(call, true)),
    function("mustMerge", "mm*", |call| merge(call, false)),
    function("mustMergeOverwrite", "mm*", |call| merge(call, true)),
    function("omit", "ms*", |call| select(call, false)),
    function("pick", "ms*", |call| select(call, true)),
    function("pluck", "sM*", |call| {
        let mut found = Vec::new();
        for at in 1..call.arguments.len() {
            found.extend(call.map(at)?.get(call.text(0)));
        }
        Ok(Value::list(found))
    }),
    function("set", "MsA", |call| {
        writable(call.map(0)?)?.insert(call.text(1), call.any(2).clone());
        Ok(call.any(0).clone())
    }),
    function("unset", "Ms", |call| {
        call.map(0)?.remove(call.text(1));
        Ok(call.any(0).clone())
    }),
    function("values", "m", |call| Ok(Value::list(call.map(0)?.entries().values().cloned().collect()))),
];

fn writable(map: &Rc<Map>) -> Result<&Rc<Map>> {
    if map.is_nil { failed("assignment to entry in nil map") } else { Ok(map) }
}

fn dict(call: &Call<'_>) -> Result<Value> {
    let mut entries = Entries::new();
    for pair in call.arguments.chunks(2) {
        entries.insert(print(&pair[0]).into(), pair.get(1).cloned().unwrap_or_else(|| Value::text("")));
    }
    Ok(Value::map(entries))
}

fn select(call: &Call<'_>, keeps: bool) -> Result<Value> {
    let is_named = |key: &str| call.rest(1).iter().any(|name| matches!(name, Value::Text(name) if **name == *key));
    call.compare(call.rest(1), call.map(0)?.entries().len())?;
    let chosen = |(key, _): &(&Rc<str>, &Value)| is_named(key) == keeps;
    Ok(Value::map(
        call.map(0)?.entries().iter().filter(chosen).map(|(key, value)| (key.clone(), value.clone())).collect(),
    ))
}

fn dig(call: &Call<'_>) -> Result<Value> {
    let [keys @ .., fallback, dict] = call.arguments else { return failed("dig needs at least three arguments") };
    if keys.is_empty() {
        return failed("dig needs at least three arguments");
    }
    if keys.iter().any(|key| !matches!(key, Value::Text(_))) {
        return failed("interface conversion");
    }
    let mut found = dict.clone();
    for key in keys {
        let (Value::Map(map), Value::Text(key)) = (&found, key) else { return failed("interface conversion") };
        if found.type_name() != "map[string]interface {}" {
            return failed("interface conversion");
        }
        let Some(step) = map.get(key) else { return Ok(fallback.clone()) };
        found = step;
    }
    Ok(found)
}

fn merge(call: &Call<'_>, overwrites: bool) -> Result<Value> {
    let mut into = call.map(0)?.clone();
    for at in 1..call.arguments.len() {
        let from = call.map(at)?;
        if into.is_nil && !from.is_nil {
            let Value::Map(new) = Value::map(Entries::new()) else { continue };
            into = new;
        }
        merge_maps(call, [&into, from], overwrites, 0)?;
    }
    Ok(Value::Map(into))
}

/// `mergo.Merge` and `MergeWithOverwrite` for maps.
fn merge_maps(call: &Call<'_>, [into, from]: [&Rc<Map>; 2], overwrites: bool, depth: usize) -> Result<()> {
    if Rc::ptr_eq(into, from) {
        return Ok(());
    }
    // Maps that share maps can grow, and come to contain themselves, while they are merged.
    if depth > DEPTH {
        return too_large("maps that are merged are nested too deep");
    }
    call.work.text(from.entries().len() + 1, 64)?;
    let entries = from.entries().clone();
    for (key, new) in entries {
        let old = into.get(&key);
        match (&old, &new) {
            (_, Value::Nil) => {
                if overwrites {
                    into.insert(&key, Value::Nil);
                }
                continue;
            }
            (Some(Value::Map(one)), Value::Map(two)) if !one.is_nil => {
                if one.of == Of::Text && two.of != Of::Text {
                    return failed("maps of different types");
                }
                merge_maps(call, [one, two], overwrites, depth + 1)?;
                if !one.entries().is_empty() {
                    continue;
                }
            }
            _ => {}
        }
        if overwrites || old.as_ref().is_none_or(Value::is_empty) {
            into.insert(&key, new);
        }
    }
    Ok(())
}
