//! Edits that block and flow style share: replaced scalars, removed runs of entries, removed items of lists.

use text::{Edits, Span};

use super::super::node::Node;
use super::super::parser::{Layout, Style};
use super::super::tree::Kind;
use super::super::value::Value;
use super::lines;
use super::map_changes::{Original, Pair};
use super::scalar::{self, Context};

/// Replaces scalars. None if one of them cannot be replaced in place.
pub(super) fn replace_all(
    original: Original<'_>,
    layout: Layout,
    replaces: &[(Node<'_>, Value)],
    edits: &mut Edits,
) -> Option<()> {
    replaces.iter().try_for_each(|(old, value)| replace(original, layout, *old, value, edits))
}

/// Replaces the scalar `old` with `value`, in the same style if that style can hold the value.
pub(super) fn replace(
    original: Original<'_>,
    layout: Layout,
    old: Node<'_>,
    value: &Value,
    edits: &mut Edits,
) -> Option<()> {
    let (context, style) = match (layout, old.kind()) {
        (Layout::Block, Kind::Scalar(Style::Block)) => return None,
        (Layout::Block, Kind::Scalar(style)) => (Context::Block, style),
        (Layout::Flow, Kind::Scalar(style)) => (Context::Flow, style),
        _ => return None,
    };
    let span = old.span();
    let space = if span.start == span.end && original.text[..span.start].ends_with(':') { " " } else { "" };
    edits.add(span, format!("{space}{}", scalar::write(value, context, style))).ok()
}

/// The runs of neighbouring entries that are removed, each as the indices of its first and last entry.
pub(super) fn runs<'t>(entries: &[Pair<'t>], removed: impl Fn(&Node<'t>) -> bool) -> Vec<(usize, usize)> {
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

/// Removes items from a list that keeps at least one item.
pub(super) fn drop_items(original: Original<'_>, list: Node<'_>, items: &[Node<'_>], edits: &mut Edits) -> Option<()> {
    let text = original.text;
    if list.kind() == Kind::Sequence(Layout::Flow) {
        let all: Vec<Pair<'_>> = list.children().map(|item| (item, item)).collect();
        let mut runs = runs(&all, |item| items.contains(item)).into_iter();
        return runs.try_for_each(|run| remove_from_flow(original, &all, run, edits));
    }
    for item in items {
        let span = item.span();
        let start = lines::line_start(text, span.start);
        if text[start..span.start].trim() != "-" || !lines::rest_is_blank(text, span.end) {
            return None;
        }
        edits.add(Span::new(start, lines::after_line(text, span.end)), "").ok()?;
    }
    Some(())
}

/// Removes a run of entries from a flow map or list, with one of the commas around it.
pub(super) fn remove_from_flow(
    original: Original<'_>,
    entries: &[Pair<'_>],
    (first, last): (usize, usize),
    edits: &mut Edits,
) -> Option<()> {
    let start = entries[first].0.span().start;
    let end = entries[last].1.span().end;
    let span = match (entries.get(last + 1), first.checked_sub(1)) {
        (Some((next, _)), _) => Span::new(start, next.span().start),
        (None, Some(previous)) => Span::new(entries[previous].1.span().end, end),
        (None, None) => all_inside(original.text, start, end),
    };
    edits.add(span, "").ok()
}

/// The span between the brackets, if only blanks and a last comma surround the removed entries. Otherwise `start..end`.
fn all_inside(text: &str, start: usize, end: usize) -> Span {
    let after = text[end..].trim_start();
    let after = after.strip_prefix(',').unwrap_or(after).trim_start();
    let inner_start = text[..start].trim_end().len();
    let closes = after.starts_with(['}', ']']) && text[..inner_start].ends_with(['{', '[']);
    if closes { Span::new(inner_start, text.len() - after.len()) } else { Span::new(start, end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_beside_the_only_entry_stays() {
        let left = |text: &str| {
            let start = text.find("a: b").unwrap();
            let gone = all_inside(text, start, start + 4);
            [&text[..gone.start], &text[gone.end..]].concat()
        };
        assert_eq!(left("{ a: b, }"), "{}");
        assert_eq!(left("{ # why\n  a: b\n}"), "{ # why\n  \n}");
        assert_eq!(left("{\n  a: b # why\n}"), "{\n   # why\n}");
    }
}
