//! Edits of a map that is laid out by indentation.

use super::super::parser::{Layout, Style};
use super::super::tree::{Kind, NodeId, Tree};
use super::super::value::Value;
use super::scalar::{self, Context};
use super::{Entry, MapChanges, NewValue, Original, lines};
use crate::text::{Edits, Span};

/// Plans the changes of the block map `map`; None when they cannot be done in place.
pub(super) fn plan(original: &Original<'_>, map: NodeId, changes: &MapChanges, edits: &mut Edits) -> Option<()> {
    let Original { tree, .. } = *original;
    let entries: Vec<(NodeId, NodeId)> = tree.entries(map).collect();
    replace_all(original, &changes.replaces, edits)?;
    for (key, old, to, value) in &changes.renames {
        let style = style_of(tree, *key)?;
        let name = if style == Style::Plain { scalar::key(to, Context::Block) } else { super::json::quote(to) };
        edits.add(tree.span(*key), name).ok()?;
        replace(original, *old, value, edits)?;
    }
    for (list, items) in &changes.drops {
        drop_items(original, *list, items, edits)?;
    }
    let step = step(original, map, changes.key)?;
    for (key, null, inside) in &changes.fills {
        fill(original, (*key, *null), inside, step, edits)?;
    }
    let removed = |key: &NodeId| changes.removes.contains(key);
    let kept: Vec<(NodeId, NodeId)> = entries.iter().copied().filter(|(key, _)| !removed(key)).collect();
    if kept.is_empty() && !changes.inserts.is_empty() {
        let (first_key, _) = entries.first()?;
        instead_of(original, *first_key, &changes.inserts, step, edits)?;
    } else if !changes.inserts.is_empty() {
        insert(original, &kept, &changes.inserts, step, edits)?;
    }
    let leaves_empty = kept.is_empty() && changes.inserts.is_empty();
    if leaves_empty {
        edits.add(after_colon(original, changes.key?)?, " {}").ok()?;
    }
    for run in runs(&entries, removed) {
        remove(original, &entries, run, edits)?;
    }
    Some(())
}

/// Puts scalars in the place of others.
pub(super) fn replace_all(original: &Original<'_>, replaces: &[(NodeId, Value)], edits: &mut Edits) -> Option<()> {
    replaces.iter().try_for_each(|(old, value)| replace(original, *old, value, edits))
}

fn replace(original: &Original<'_>, old: NodeId, value: &Value, edits: &mut Edits) -> Option<()> {
    let Original { tree, text, .. } = *original;
    let style = style_of(tree, old)?;
    let span = tree.span(old);
    let space = if span.start == span.end && text[..span.start].ends_with(':') { " " } else { "" };
    edits.add(span, format!("{space}{}", scalar::write(value, Context::Block, style))).ok()
}

fn style_of(tree: &Tree, node: NodeId) -> Option<Style> {
    match tree.kind(node) {
        Kind::Scalar(Style::Block) => None,
        Kind::Scalar(style) => Some(style),
        _ => None,
    }
}

/// So many more columns have the keys of a map inside this one.
fn step(original: &Original<'_>, map: NodeId, key: Option<NodeId>) -> Option<usize> {
    let Original { tree, text, .. } = *original;
    let (first, _) = tree.entries(map).next()?;
    let own = lines::indentation(text, tree.span(first).start)?;
    let outer = key.and_then(|key| lines::indentation(text, tree.span(key).start)).unwrap_or(own);
    Some(if own > outer { own - outer } else { 2 })
}

/// Puts new entries after the last one that ends on its own line, the name before others; else before the first.
fn insert(
    original: &Original<'_>,
    kept: &[(NodeId, NodeId)],
    new: &[Entry],
    step: usize,
    edits: &mut Edits,
) -> Option<()> {
    let Original { tree, text, eol } = *original;
    let ends_its_line = |(_, value): &&(NodeId, NodeId)| {
        let span = tree.span(*value);
        let simple = !matches!(
            tree.kind(*value),
            Kind::Scalar(Style::Block) | Kind::Mapping(Layout::Block) | Kind::Sequence(Layout::Block)
        );
        simple && !span.of(text).contains(['\n', '\r']) && lines::rest_is_blank(text, span.end)
    };
    let after = kept
        .iter()
        .filter(|entry| super::is_name(original, entry))
        .find(ends_its_line)
        .or_else(|| kept.iter().rev().find(ends_its_line));
    let Some((key, value)) = after else { return insert_before(original, kept.first()?.0, new, step, edits) };
    let indent = lines::indentation(text, tree.span(*key).start)?;
    let at = lines::line_end(text, tree.span(*value).end);
    let mut added = String::new();
    for line in block_lines(new, step) {
        added += &format!("{eol}{:indent$}{line}", "");
    }
    edits.add(Span::new(at, at), added).ok()
}

fn insert_before(original: &Original<'_>, key: NodeId, new: &[Entry], step: usize, edits: &mut Edits) -> Option<()> {
    let Original { tree, text, eol } = *original;
    let at = tree.span(key).start;
    let indent = lines::indentation(text, at)?;
    let mut added = String::new();
    for line in block_lines(new, step) {
        added += &format!("{line}{eol}{:indent$}", "");
    }
    edits.add(Span::new(at, at), added).ok()
}

/// Puts new entries on lines before that of an entry which goes itself.
fn instead_of(original: &Original<'_>, key: NodeId, new: &[Entry], step: usize, edits: &mut Edits) -> Option<()> {
    let Original { tree, text, eol } = *original;
    let start = tree.span(key).start;
    let at = lines::line_start(text, start);
    let indent = &text[at..start];
    if !indent.bytes().all(|byte| byte == b' ') {
        return None;
    }
    let added: String = block_lines(new, step).iter().map(|line| format!("{indent}{line}{eol}")).collect();
    edits.add(Span::new(at, at), added).ok()
}

/// Takes items away from a list.
pub(super) fn drop_items(original: &Original<'_>, list: NodeId, items: &[NodeId], edits: &mut Edits) -> Option<()> {
    let Original { tree, text, .. } = *original;
    if tree.kind(list) == Kind::Sequence(Layout::Flow) {
        let all: Vec<(NodeId, NodeId)> = tree.children(list).map(|item| (item, item)).collect();
        let mut runs = runs(&all, |item| items.contains(item)).into_iter();
        return runs.try_for_each(|run| super::flow::remove(original, &all, run, edits));
    }
    for item in items {
        let span = tree.span(*item);
        let start = lines::line_start(text, span.start);
        if text[start..span.start].trim() != "-" || !lines::rest_is_blank(text, span.end) {
            return None;
        }
        edits.add(Span::new(start, lines::after_line(text, span.end)), "").ok()?;
    }
    Some(())
}

/// `key:` without a value becomes a map below it; `key: ~` one on the line.
fn fill(
    original: &Original<'_>,
    (key, null): (NodeId, NodeId),
    inside: &[Entry],
    step: usize,
    edits: &mut Edits,
) -> Option<()> {
    let Original { tree, text, eol } = *original;
    let span = tree.span(null);
    if span.start < span.end {
        return edits.add(span, super::flow::map(inside)).ok();
    }
    let indent = lines::indentation(text, tree.span(key).start)? + step;
    let colon = after_colon(original, key)?;
    if tree.has_properties(null) || !lines::rest_is_blank(text, colon.end) {
        return None;
    }
    let at = lines::line_end(text, colon.end);
    let mut added = String::new();
    for line in block_lines(inside, step) {
        added += &format!("{eol}{:indent$}{line}", "");
    }
    edits.add(Span::new(at, at), added).ok()
}

/// Entries as lines, without the indentation of the map they go into.
fn block_lines(entries: &[Entry], step: usize) -> Vec<String> {
    let mut out = Vec::new();
    for entry in entries {
        let key = scalar::key(&entry.key, Context::Block);
        match &entry.value {
            NewValue::One(value) => out.push(format!("{key}: {}", scalar::write(value, Context::Block, Style::Plain))),
            NewValue::Map(inside) => {
                out.push(format!("{key}:"));
                out.extend(block_lines(inside, step).into_iter().map(|line| format!("{:step$}{line}", "")));
            }
        }
    }
    out
}

/// The empty place right behind the colon of a key.
fn after_colon(original: &Original<'_>, key: NodeId) -> Option<Span> {
    let Original { tree, text, .. } = *original;
    let end = tree.span(key).end;
    let blanks = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    let at = end + blanks;
    text[at..].starts_with(':').then(|| Span::new(at + 1, at + 1))
}

/// Ranges of neighbouring entries that go.
pub(super) fn runs(entries: &[(NodeId, NodeId)], removed: impl Fn(&NodeId) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, (key, _)) in entries.iter().enumerate() {
        match runs.last_mut() {
            _ if !removed(key) => {}
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    runs
}

/// Takes whole lines away; behind a dash, all up to the next key.
fn remove(
    original: &Original<'_>,
    entries: &[(NodeId, NodeId)],
    (first, last): (usize, usize),
    edits: &mut Edits,
) -> Option<()> {
    let Original { tree, text, .. } = *original;
    let start = tree.span(entries[first].0).start;
    let line = lines::line_start(text, start);
    if !text[line..start].trim_start_matches('\u{feff}').bytes().all(|byte| byte == b' ') {
        let next = tree.span(entries.get(last + 1)?.0).start;
        return edits.add(Span::new(start, next), "").ok();
    }
    for (key, value) in &entries[first..=last] {
        let start = lines::line_start(text, tree.span(*key).start);
        let end = content_end(tree, *value);
        let end = if end > start && lines::line_start(text, end) == end {
            end
        } else if lines::rest_is_blank(text, end) {
            lines::after_line(text, end)
        } else {
            return None;
        };
        edits.add(Span::new(start, end), "").ok()?;
    }
    Some(())
}

/// Where the last scalar or bracket of a node ends; the end of a block collection is that of its last child.
fn content_end(tree: &Tree, node: NodeId) -> usize {
    match tree.kind(node) {
        Kind::Mapping(Layout::Block) | Kind::Sequence(Layout::Block) => {
            tree.children(node).last().map_or(tree.span(node).start, |child| content_end(tree, child))
        }
        _ => tree.span(node).end,
    }
}
