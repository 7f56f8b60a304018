//! Objects in a document, without looking at what is in them.

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

/// True for an object of the API group `batch`, in any version, and the kind `Job`.
pub fn is_job(object: Node<'_>) -> bool {
    object.text_at(&["kind"]) == Some("Job")
        && object.text_at(&["apiVersion"]).is_some_and(|version| group(version) == Some("batch"))
}

/// The API group of an `apiVersion` (`ParseGroupVersion`): nothing before a slash is the core group, two slashes are none.
pub(super) fn group(api_version: &str) -> Option<&str> {
    match api_version.split_once('/') {
        None => Some(""),
        Some((_, rest)) if rest.contains('/') => None,
        Some((group, _)) => Some(group),
    }
}
