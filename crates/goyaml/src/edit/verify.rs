//! Reads an edited document again and compares it with the requested changes.

use super::super::change::Changes;
use super::super::node::{Document, Node};
use super::super::tree::Tree;
use super::{items, reemit};

/// Whether `edited` has the meaning of `old` with the changes applied, and no other difference.
pub(super) fn holds(old: Document<'_>, edited: &str, changes: &(impl Changes + ?Sized)) -> bool {
    // Room for growth: most edits change values, or add an entry to each Job.
    let mut tree = Tree::of_an_edited_text(old.size() + old.size() / 16);
    let Ok(new) = tree.read(edited).and_then(Document::checked) else { return false };
    let (Some(old), Some(new)) = (old.root(), new.root()) else { return false };
    if !changes.of(None, old).is_empty() {
        return reemit::changed(old, None, changes).ok() == new.value().ok();
    }
    items_hold(old, new, changes) && around_items_holds(old, new)
}

/// Compares item by item, so that a long list needs only the memory of its largest item.
fn items_hold(old: Node<'_>, new: Node<'_>, changes: &(impl Changes + ?Sized)) -> bool {
    items(old).count() == items(new).count()
        && items(old).zip(items(new)).enumerate().all(|(index, (before, after))| {
            let wanted = reemit::changed(before, Some(index), changes).ok();
            wanted.is_some() && wanted == after.value().ok()
        })
}

/// Whether everything but the items is the same.
fn around_items_holds(old: Node<'_>, new: Node<'_>) -> bool {
    let around = old.is_map().then(|| old.map_without("items").ok()).flatten();
    around.is_some() && around == new.map_without("items").ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::change::{Change, Target};
    use super::super::super::value::Value;
    use super::super::{EditKind, rewrite};
    use super::*;
    use crate::path;

    #[test]
    fn an_edit_that_changes_more_than_was_asked_is_not_taken() {
        let text = "metadata: &m\n  name: a\nspec:\n  template:\n    metadata: *m\n";
        let mut tree = Tree::default();
        let changes = vec![Change::set(path!["metadata", "name"], Value::String("b".into()))];
        let (out, kind) = rewrite(tree.read(text).unwrap(), [Target { item: None, changes }].as_slice()).unwrap();
        assert_eq!(kind, EditKind::Reemitted);
        assert_eq!(out, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"template\":{\"metadata\":{\"name\":\"a\"}}}}\n");
    }

    #[test]
    fn items_are_compared_one_by_one() {
        let mut tree = Tree::default();
        let document = tree.read("items:\n- a: 1\n- a: 2\nkind: List\n").unwrap();
        let target = [Target { item: Some(1), changes: vec![Change::set(path!["a"], Value::Int(3))] }];
        assert!(holds(document, "items:\n- a: 1\n- a: 3\nkind: List\n", target.as_slice()));
        assert!(!holds(document, "items:\n- a: 0\n- a: 3\nkind: List\n", target.as_slice()));
        assert!(!holds(document, "items:\n- a: 1\n- a: 3\nkind: Lost\n", target.as_slice()));
    }
}
