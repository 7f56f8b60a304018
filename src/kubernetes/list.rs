//! The objects of a document: the document itself, or the items of a list.

use crate::yaml::{Document, Node};

/// The objects of a document as Argo CD counts them: the document itself with None, or each item of a top-level list `items` with its index. Any kind
/// of object can be such a list; lists inside lists are not opened (`IsList` and `EachListItem` in `k8s.io/apimachinery`). Aliases are followed.
pub fn objects(document: Document<'_>) -> Vec<(Option<usize>, Node<'_>)> {
    let Some(root) = document.root() else { return Vec::new() };
    match root.get("items").filter(|items| items.is_list()) {
        Some(items) => items.items().enumerate().map(|(index, item)| (Some(index), item.target())).collect(),
        None => vec![(None, root)],
    }
}
