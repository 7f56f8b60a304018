//! Objects in a document, without looking at what is in them.

use crate::yaml::tree::{Kind, NodeId, Tree};

/// The objects of a document as Argo CD counts them: the document, or each item of a top-level `items` that is a list, one level
/// deep (`IsList` and `EachListItem` in `k8s.io/apimachinery`; any kind of object can be such a list).
pub fn objects(tree: &Tree, text: &str) -> Vec<(Option<usize>, NodeId)> {
    let Some(root) = tree.root() else { return Vec::new() };
    match tree.get(root, "items", text) {
        Some(items) if matches!(tree.kind(items), Kind::Sequence(_)) => {
            tree.children(items).enumerate().map(|(index, item)| (Some(index), tree.target(item))).collect()
        }
        _ => vec![(None, root)],
    }
}

/// True for an object of the API group `batch`, in any version, and the kind `Job`.
pub fn is_job(tree: &Tree, object: NodeId, text: &str) -> bool {
    tree.text_at(object, &["kind"], text) == Some("Job")
        && tree.text_at(object, &["apiVersion"], text).is_some_and(|version| group(version) == Some("batch"))
}

/// The API group of an `apiVersion` (`ParseGroupVersion`): nothing before a slash is the core group, two slashes are none.
pub(super) fn group(api_version: &str) -> Option<&str> {
    match api_version.split_once('/') {
        None => Some(""),
        Some((_, rest)) if rest.contains('/') => None,
        Some((group, _)) => Some(group),
    }
}
