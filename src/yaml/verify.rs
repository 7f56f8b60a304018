//! Reads an edited document again and compares it with what was asked for.

use super::check;
use super::edit::Target;
use super::tree::{Kind, NodeId, Tree};
use super::value::{self, Value};

/// True when `edited` means what `text` means with the changes of `targets` done, and nothing else.
pub(super) fn holds(tree: &Tree, text: &str, edited: &str, targets: &[Target]) -> bool {
    let Ok(new) = Tree::parse(edited) else { return false };
    if check::check(&new, edited).is_err() {
        return false;
    }
    let (Some(old_root), Some(new_root)) = (tree.root(), new.root()) else { return false };
    let old = Side { tree, text };
    let new = Side { tree: &new, text: edited };
    if let [target] = targets
        && target.item.is_none()
    {
        return old.changed(old_root, target) == new.value(new_root);
    }
    items_hold(&old, &new, targets) && around_items(&old, old_root) == around_items(&new, new_root)
}

struct Side<'t> {
    tree: &'t Tree,
    text: &'t str,
}

impl Side<'_> {
    fn value(&self, node: NodeId) -> Option<Value> {
        value::value(self.tree, node, self.text).ok()
    }

    fn changed(&self, node: NodeId, target: &Target) -> Option<Value> {
        let mut value = self.value(node)?;
        target.changes.iter().for_each(|change| change.apply(&mut value));
        Some(value)
    }

    fn items(&self) -> Vec<NodeId> {
        let list = self.tree.root().and_then(|root| self.tree.get(root, "items", self.text));
        list.map(|list| self.tree.children(list).collect()).unwrap_or_default()
    }
}

/// Compares item by item, so that a long list needs the memory of its largest item only.
fn items_hold(old: &Side<'_>, new: &Side<'_>, targets: &[Target]) -> bool {
    let (before, after) = (old.items(), new.items());
    let mut targets = targets.iter().peekable();
    before.len() == after.len()
        && before.iter().zip(&after).enumerate().all(|(index, (before, after))| {
            let wanted = match targets.next_if(|target| target.item == Some(index)) {
                Some(target) => old.changed(*before, target),
                None => old.value(*before),
            };
            wanted.is_some() && wanted == new.value(*after)
        })
        && targets.next().is_none()
}

/// All of a list of objects but its items.
fn around_items(side: &Side<'_>, root: NodeId) -> Option<Vec<(Option<Value>, Option<Value>)>> {
    if side.tree.has_references() {
        let Some(Value::Map(mut map)) = side.value(root) else { return None };
        map.remove("items");
        return Some(vec![(Some(Value::Map(map)), None)]);
    }
    let Kind::Mapping(_) = side.tree.kind(root) else { return None };
    let others = side.tree.entries(root).filter(|(key, _)| !side.tree.is_key(*key, "items", side.text));
    Some(others.map(|(key, value)| (side.value(key), side.value(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::change::Change;
    use super::super::edit::{How, rewrite};
    use super::*;

    #[test]
    fn an_edit_that_changes_more_than_was_asked_is_not_taken() {
        let text = "metadata: &m\n  name: a\nspec:\n  template:\n    metadata: *m\n";
        let tree = Tree::parse(text).unwrap();
        let changes = vec![Change::set(&["metadata", "name"], Value::String("b".to_owned()))];
        let (out, how) = rewrite(&tree, text, &[Target { item: None, changes }]).unwrap();
        assert_eq!(how, How::Reemitted);
        assert_eq!(out, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"template\":{\"metadata\":{\"name\":\"a\"}}}}\n");
    }

    #[test]
    fn items_are_compared_one_by_one() {
        let text = "items:\n- a: 1\n- a: 2\nkind: List\n";
        let tree = Tree::parse(text).unwrap();
        let target = Target { item: Some(1), changes: vec![Change::set(&["a"], Value::Int(3))] };
        assert!(holds(&tree, text, "items:\n- a: 1\n- a: 3\nkind: List\n", std::slice::from_ref(&target)));
        assert!(!holds(&tree, text, "items:\n- a: 0\n- a: 3\nkind: List\n", std::slice::from_ref(&target)));
        assert!(!holds(&tree, text, "items:\n- a: 1\n- a: 3\nkind: Lost\n", &[target]));
    }
}
