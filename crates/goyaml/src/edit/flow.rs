//! Edits of maps in flow style, such as JSON.

use text::{Edits, Span};

use super::super::json;
use super::super::node::Node;
use super::super::parser::{Layout, Style};
use super::super::tree::Kind;
use super::entry::{flow_entries, flow_map, is_name};
use super::map_changes::{MapChanges, Original, Pair};
use super::{lines, list};

/// Plans the changes of the flow map `map`. None if they cannot be made in place.
pub(super) fn plan(original: Original<'_>, map: Node<'_>, changes: &MapChanges<'_>, edits: &mut Edits) -> Option<()> {
    let entries: Vec<Pair<'_>> = map.entries().collect();
    list::replace_all(original, Layout::Flow, &changes.replaces, edits)?;
    for rename in &changes.renames {
        let Kind::Scalar(style) = rename.key.kind() else { return None };
        let name = if style == Style::Plain { rename.to.clone() } else { json::quote(&rename.to) };
        edits.add(rename.key.span(), name).ok()?;
        list::replace(original, Layout::Flow, rename.old, &rename.value, edits)?;
    }
    for fill in &changes.fills {
        edits.add(written(fill.null)?, flow_map(&fill.entries)).ok()?;
    }
    for (list, items) in &changes.drops {
        list::drop_items(original, *list, items, edits)?;
    }
    for run in list::runs(&entries, |key| changes.removes.contains(key)) {
        list::remove_from_flow(original, &entries, run, edits)?;
    }
    if !changes.inserts.is_empty() {
        insert(original, map, &entries, changes, edits)?;
    }
    Some(())
}

/// The bytes of a null. None if the null is written as nothing, so that there is nothing to replace.
fn written(null: Node<'_>) -> Option<Span> {
    let span = null.span();
    (span.start < span.end).then_some(span)
}

/// Inserts new entries after the name, or else after the last entry that stays. They get lines of their own if that entry has one.
fn insert(
    original: Original<'_>,
    map: Node<'_>,
    entries: &[Pair<'_>],
    changes: &MapChanges<'_>,
    edits: &mut Edits,
) -> Option<()> {
    let Original { text, eol } = original;
    let mut kept = entries.iter().filter(|(key, _)| !changes.removes.contains(key));
    let name = kept.clone().find(|entry| is_name(entry));
    let Some((key, value)) = name.or(kept.next_back()) else {
        let at = map.span().start + 1;
        return edits.add(Span::new(at, at), flow_entries(&changes.inserts, ", ")).ok();
    };
    let comma = match lines::own_indent(text, key.span().start) {
        Some(indent) => format!(",{eol}{indent}"),
        None => ", ".to_owned(),
    };
    let at = value.span().end;
    edits.add(Span::new(at, at), format!("{comma}{}", flow_entries(&changes.inserts, &comma))).ok()
}
