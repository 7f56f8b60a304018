//! The bytes of a value in its manifest, found by reading its document once more: places are wanted for a few findings only.

use super::Address;
use crate::kubernetes::object;
use crate::manifest::Manifest;
use crate::text::Span;
use crate::yaml::Tree;
use crate::yaml::tree::{Kind, NodeId};

/// What was found for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The bytes of the manifest.
    pub span: Span,
    /// So many steps of the path lead there; fewer than all when the rest is not written.
    pub depth: usize,
}

/// Finds the value at `path`, keys and decimal indices of lists, or what is nearest to it on the way. A value that has no
/// bytes of its own is found where its anchor stands.
pub fn locate(manifest: &Manifest, address: Address, path: &[String]) -> Located {
    let text = address.piece.of(&manifest.text);
    let start = address.piece.start;
    let nothing = Located { span: Span::new(start, start), depth: 0 };
    let Ok(tree) = Tree::parse(text) else { return nothing };
    let objects = object::objects(&tree, text);
    let Some((_, mut node)) = objects.into_iter().find(|(item, _)| *item == address.item) else { return nothing };
    let mut depth = 0;
    for step in path {
        let Some(next) = child(&tree, node, step, text) else { break };
        node = next;
        depth += 1;
    }
    let span = tree.span(node);
    Located { span: Span::new(start + span.start, start + span.end), depth }
}

fn child(tree: &Tree, node: NodeId, step: &str, text: &str) -> Option<NodeId> {
    match tree.kind(node) {
        Kind::Sequence(_) => tree.children(node).nth(step.parse().ok()?).map(|item| tree.target(item)),
        _ => tree.get(node, step, text),
    }
}
