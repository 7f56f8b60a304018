//! Edits of maps in block style.

use text::{Edits, Span};

use super::super::json;
use super::super::node::Node;
use super::super::parser::{Layout, Style};
use super::super::tree::Kind;
use super::entry::{Entry, NewValue, flow_map, is_name};
use super::map_changes::{Fill, MapChanges, Original, Pair};
use super::scalar::{self, Context};
use super::{lines, list};

/// Plans the changes of the block map `map`. None if they cannot be made in place.
pub(super) fn plan(original: Original<'_>, map: Node<'_>, changes: &MapChanges<'_>, edits: &mut Edits) -> Option<()> {
    let entries: Vec<Pair<'_>> = map.entries().collect();
    list::replace_all(original, Layout::Block, &changes.replaces, edits)?;
    for rename in &changes.renames {
        let name = match rename.key.kind() {
            Kind::Scalar(Style::Plain) => scalar::key(&rename.to, Context::Block),
            Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted) => json::quote(&rename.to),
            _ => return None,
        };
        edits.add(rename.key.span(), name).ok()?;
        list::replace(original, Layout::Block, rename.old, &rename.value, edits)?;
    }
    for (list, items) in &changes.drops {
        list::drop_items(original, *list, items, edits)?;
    }
    let step = step(original, map, changes.key)?;
    for filled in &changes.fills {
        fill(original, filled, step, edits)?;
    }
    let removed = |key: &Node<'_>| changes.removes.contains(key);
    let kept: Vec<Pair<'_>> = entries.iter().copied().filter(|(key, _)| !removed(key)).collect();
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
    for run in list::runs(&entries, removed) {
        remove(original, &entries, run, edits)?;
    }
    Some(())
}

/// The indentation of nested maps, in columns.
fn step(original: Original<'_>, map: Node<'_>, key: Option<Node<'_>>) -> Option<usize> {
    let text = original.text;
    let (first, _) = map.entries().next()?;
    let own = lines::indentation(text, first.span().start)?;
    let outer = key.and_then(|key| lines::indentation(text, key.span().start)).unwrap_or(own);
    Some(if own > outer { own - outer } else { 2 })
}

/// Inserts new entries: after the name if its value ends on its own line, else after the last entry whose value does, else before the first.
fn insert(original: Original<'_>, kept: &[Pair<'_>], new: &[Entry], step: usize, edits: &mut Edits) -> Option<()> {
    let Original { text, eol } = original;
    let ends_its_line = |(_, value): &&Pair<'_>| {
        let span = value.span();
        let simple = !matches!(
            value.kind(),
            Kind::Scalar(Style::Block) | Kind::Mapping(Layout::Block) | Kind::Sequence(Layout::Block)
        );
        simple && !span.of(text).contains(['\n', '\r']) && lines::rest_is_blank(text, span.end)
    };
    let after = kept
        .iter()
        .filter(|entry| is_name(entry))
        .find(ends_its_line)
        .or_else(|| kept.iter().rev().find(ends_its_line));
    let Some((key, value)) = after else { return insert_before(original, kept.first()?.0, new, step, edits) };
    let indent = lines::indentation(text, key.span().start)?;
    let at = lines::line_end(text, value.span().end);
    let mut added = String::new();
    for line in block_lines(new, step) {
        added += &format!("{eol}{:indent$}{line}", "");
    }
    edits.add(Span::new(at, at), added).ok()
}

fn insert_before(original: Original<'_>, key: Node<'_>, new: &[Entry], step: usize, edits: &mut Edits) -> Option<()> {
    let at = key.span().start;
    let indent = lines::indentation(original.text, at)?;
    let mut added = String::new();
    for line in block_lines(new, step) {
        added += &format!("{line}{}{:indent$}", original.eol, "");
    }
    edits.add(Span::new(at, at), added).ok()
}

/// Inserts new entries on lines before `key`, whose own entry is removed.
fn instead_of(original: Original<'_>, key: Node<'_>, new: &[Entry], step: usize, edits: &mut Edits) -> Option<()> {
    let Original { text, eol } = original;
    let start = key.span().start;
    let at = lines::line_start(text, start);
    let indent = &text[at..start];
    if !indent.bytes().all(|byte| byte == b' ') {
        return None;
    }
    let added: String = block_lines(new, step).iter().map(|line| format!("{indent}{line}{eol}")).collect();
    edits.add(Span::new(at, at), added).ok()
}

/// Gives a null entry a map: on new lines below `key:`, or in place of the `~` of `key: ~`.
fn fill(original: Original<'_>, filled: &Fill<'_>, step: usize, edits: &mut Edits) -> Option<()> {
    let Original { text, eol } = original;
    let Fill { key, null, entries } = filled;
    let span = null.span();
    if span.start < span.end {
        return edits.add(span, flow_map(entries)).ok();
    }
    let indent = lines::indentation(text, key.span().start)? + step;
    let colon = after_colon(original, *key)?;
    if null.has_properties() || !lines::rest_is_blank(text, colon.end) {
        return None;
    }
    let at = lines::line_end(text, colon.end);
    let mut added = String::new();
    for line in block_lines(entries, step) {
        added += &format!("{eol}{:indent$}{line}", "");
    }
    edits.add(Span::new(at, at), added).ok()
}

/// The entries as lines, without the indentation of the map that they go into.
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

/// The empty span right after the colon of a key.
fn after_colon(original: Original<'_>, key: Node<'_>) -> Option<Span> {
    let text = original.text;
    let end = key.span().end;
    let blanks = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    let at = end + blanks;
    text[at..].starts_with(':').then(|| Span::new(at + 1, at + 1))
}

/// Removes a run of entries, in whole lines. If a dash precedes the first key, removes only up to the next key.
fn remove(
    original: Original<'_>,
    entries: &[Pair<'_>],
    (first, last): (usize, usize),
    edits: &mut Edits,
) -> Option<()> {
    let text = original.text;
    let start = entries[first].0.span().start;
    let line = lines::line_start(text, start);
    if !text[line..start].trim_start_matches('\u{feff}').bytes().all(|byte| byte == b' ') {
        let next = entries.get(last + 1)?.0.span().start;
        return edits.add(Span::new(start, next), "").ok();
    }
    for (key, value) in &entries[first..=last] {
        let start = lines::line_start(text, key.span().start);
        let end = content_end(*value);
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

/// Where the last scalar or bracket of a node ends. A block collection ends where its last child ends.
pub fn content_end(node: Node<'_>) -> usize {
    match node.kind() {
        Kind::Mapping(Layout::Block) | Kind::Sequence(Layout::Block) => {
            node.children().last().map_or(node.span().start, content_end)
        }
        _ => node.span().end,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::change::{Change, Target};
    use super::super::super::tree::Tree;
    use super::super::super::value::Value;
    use super::super::{EditKind, rewrite};
    use crate::path;

    #[test]
    fn blanks_before_a_colon_stay_where_a_map_is_filled_or_emptied() {
        let mut tree = Tree::default();
        let mut rewritten = |text: &str, change: Change| {
            let targets = [Target { item: None, changes: vec![change] }];
            rewrite(tree.read(text).unwrap(), targets.as_slice()).unwrap()
        };
        let set = Change::set(path!["a", "b"], Value::String("c".into()));
        assert_eq!(rewritten("a \t:\nd: e\n", set), ("a \t:\n  b: c\nd: e\n".to_owned(), EditKind::InPlace));
        let remove = Change::remove(path!["a", "b"]);
        assert_eq!(rewritten("a  :\n  b: c\nd: e\n", remove), ("a  : {}\nd: e\n".to_owned(), EditKind::InPlace));
        // A reader that takes U+0085 for a line break ends the comment there.
        let (_, kind) = rewritten("a: # c\u{85}\nd: e\n", Change::set(path!["a", "b"], Value::Int(1)));
        assert_eq!(kind, EditKind::Reemitted);
    }
}
