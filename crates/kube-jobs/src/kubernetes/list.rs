//! The objects of a document: the document itself, or the items of a list.

use goyaml::split::split;
use goyaml::{Document, Node, Tree};

/// The objects of a document as Argo CD counts them: the document itself with None, or each item of a top-level list `items` with its index. Any kind
/// of object can be such a list; lists inside lists are not opened (`IsList` and `EachListItem` in `k8s.io/apimachinery`). Aliases are followed.
pub fn objects(document: Document<'_>) -> Vec<(Option<usize>, Node<'_>)> {
    let Some(root) = document.root() else { return Vec::new() };
    match root.get("items").filter(|items| items.is_list()) {
        Some(items) => items.items().enumerate().map(|(index, item)| (Some(index), item.target())).collect(),
        None => vec![(None, root)],
    }
}

/// Calls `each` with every object of a text. Passes over what is not YAML, such as templates, and documents in which
/// `may_be_in` finds nothing.
pub fn each_object(text: &str, may_be_in: fn(&str) -> bool, mut each: impl FnMut(Node<'_>)) {
    let mut tree = Tree::default();
    let pieces = split(text);
    for piece in (0..pieces.len()).map(|index| pieces.span(index).of(text)).filter(|piece| may_be_in(piece)) {
        let Ok(document) = tree.read(piece) else { continue };
        objects(document).into_iter().for_each(|(_, node)| each(node));
    }
}
