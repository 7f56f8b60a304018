//! Edits of a map in brackets; JSON is one.

use super::super::json;
use super::super::parser::Style;
use super::super::tree::{Kind, NodeId, Tree};
use super::super::value::Value;
use super::scalar::{self, Context};
use super::{Entry, MapChanges, NewValue, Original, block, lines};
use crate::text::{Edits, Span};

/// Plans the changes of the flow map `map`; None when they cannot be done in place.
pub(super) fn plan(original: &Original<'_>, map: NodeId, changes: &MapChanges, edits: &mut Edits) -> Option<()> {
    let Original { tree, .. } = *original;
    let entries: Vec<(NodeId, NodeId)> = tree.entries(map).collect();
    replace_all(original, &changes.replaces, edits)?;
    for (key, old, to, value) in &changes.renames {
        let Kind::Scalar(style) = tree.kind(*key) else { return None };
        let name = if style == Style::Plain { to.clone() } else { json::quote(to) };
        edits.add(tree.span(*key), name).ok()?;
        replace(original, *old, value, edits)?;
    }
    for (_, null, inside) in &changes.fills {
        edits.add(filled(tree, *null)?, self::map(inside)).ok()?;
    }
    for (list, items) in &changes.drops {
        block::drop_items(original, *list, items, edits)?;
    }
    let removed = |key: &NodeId| changes.removes.contains(key);
    for run in block::runs(&entries, removed) {
        remove(original, &entries, run, edits)?;
    }
    if !changes.inserts.is_empty() {
        insert(original, map, &entries, changes, edits)?;
    }
    Some(())
}

/// A null that is written out; nothing can be put in the place of one that is not.
fn filled(tree: &Tree, null: NodeId) -> Option<Span> {
    let span = tree.span(null);
    (span.start < span.end).then_some(span)
}

/// Puts scalars in the place of others.
pub(super) fn replace_all(original: &Original<'_>, replaces: &[(NodeId, Value)], edits: &mut Edits) -> Option<()> {
    replaces.iter().try_for_each(|(old, value)| replace(original, *old, value, edits))
}

fn replace(original: &Original<'_>, old: NodeId, value: &Value, edits: &mut Edits) -> Option<()> {
    let Original { tree, text, .. } = *original;
    let Kind::Scalar(style) = tree.kind(old) else { return None };
    let span = tree.span(old);
    let space = if span.start == span.end && text[..span.start].ends_with(':') { " " } else { "" };
    edits.add(span, format!("{space}{}", scalar::write(value, Context::Flow, style))).ok()
}

/// New entries go behind the name, or the last one that stays, on lines of their own when that one has its own.
fn insert(
    original: &Original<'_>,
    map: NodeId,
    entries: &[(NodeId, NodeId)],
    changes: &MapChanges,
    edits: &mut Edits,
) -> Option<()> {
    let Original { tree, text, eol } = *original;
    let mut kept = entries.iter().filter(|(key, _)| !changes.removes.contains(key));
    let name = kept.clone().find(|entry| super::is_name(original, entry));
    let Some((key, value)) = name.or(kept.next_back()) else {
        let at = tree.span(map).start + 1;
        return edits.add(Span::new(at, at), self::entries(&changes.inserts, ", ")).ok();
    };
    let comma = match lines::own_indent(text, tree.span(*key).start) {
        Some(indent) => format!(",{eol}{indent}"),
        None => ", ".to_owned(),
    };
    let at = tree.span(*value).end;
    edits.add(Span::new(at, at), format!("{comma}{}", self::entries(&changes.inserts, &comma))).ok()
}

/// Takes a run of entries away, with one of the commas around it.
pub(super) fn remove(
    original: &Original<'_>,
    entries: &[(NodeId, NodeId)],
    (first, last): (usize, usize),
    edits: &mut Edits,
) -> Option<()> {
    let Original { tree, text, .. } = *original;
    let start = tree.span(entries[first].0).start;
    let end = tree.span(entries[last].1).end;
    let span = match (entries.get(last + 1), first.checked_sub(1)) {
        (Some((next, _)), _) => Span::new(start, tree.span(*next).start),
        (None, Some(previous)) => Span::new(tree.span(entries[previous].1).end, end),
        (None, None) => all_inside(text, start, end),
    };
    edits.add(span, "").ok()
}

/// What stands between the brackets, when nothing but blanks and a last comma is around the entries that go.
fn all_inside(text: &str, start: usize, end: usize) -> Span {
    let after = text[end..].trim_start();
    let after = after.strip_prefix(',').unwrap_or(after).trim_start();
    let inner_start = text[..start].trim_end().len();
    let closes = after.starts_with(['}', ']']) && text[..inner_start].ends_with(['{', '[']);
    if closes { Span::new(inner_start, text.len() - after.len()) } else { Span::new(start, end) }
}

/// Entries as a flow map.
pub(super) fn map(entries: &[Entry]) -> String {
    format!("{{{}}}", self::entries(entries, ", "))
}

fn entries(entries: &[Entry], separator: &str) -> String {
    let texts: Vec<String> = entries
        .iter()
        .map(|entry| {
            let value = match &entry.value {
                NewValue::One(value) => json::print(value, json::Form::Stream),
                NewValue::Map(inside) => map(inside),
            };
            format!("{}: {value}", scalar::key(&entry.key, Context::Flow))
        })
        .collect();
    texts.join(separator)
}
