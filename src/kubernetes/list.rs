//! The objects of a document: the document itself, or the items of the list that it is.

use crate::yaml::{Document, Node};

/// The objects of a document as Argo CD counts them, each with its index in the list that the document is: the document itself, or
/// each item of a top-level `items` that is a list, one level deep (`IsList` and `EachListItem` in `k8s.io/apimachinery`; any kind of
/// object can be such a list). Aliases are followed.
pub fn objects(document: Document<'_>) -> Vec<(Option<usize>, Node<'_>)> {
    let Some(root) = document.root() else { return Vec::new() };
    match root.get("items").filter(|items| items.is_list()) {
        Some(items) => items.items().enumerate().map(|(index, item)| (Some(index), item.target())).collect(),
        None => vec![(None, root)],
    }
}
