//! The objects of a document: the document itself, or the items of a list.

use goyaml::documents::{self, Form};
use goyaml::{Document, Node};

/// The objects of a document as Argo CD counts them: the document itself with None, or each item of a top-level list `items` with its index. Any kind
/// of object can be such a list; lists inside lists are not opened (`IsList` and `EachListItem` in `k8s.io/apimachinery`). Aliases are followed.
pub fn objects(document: Document<'_>) -> Vec<(Option<usize>, Node<'_>)> {
    let Some(root) = document.root() else { return Vec::new() };
    match root.get("items").filter(|items| items.is_list()) {
        Some(items) => items.items().enumerate().map(|(index, item)| (Some(index), item.target())).collect(),
        None => vec![(None, root)],
    }
}

/// Calls `each` with every object of a text. Skips what is not YAML, such as templates, and documents for which
/// `may_be_in` is false.
pub fn each_object(text: &str, may_be_in: fn(&str) -> bool, mut each: impl FnMut(Node<'_>)) {
    documents::each(text, Form::Stream, may_be_in, |_, read| {
        if let Ok(document) = read {
            objects(document).into_iter().for_each(|(_, node)| each(node));
        }
    });
}
