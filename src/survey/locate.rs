//! The bytes of a value in its manifest, found by reading its document once more: places are wanted for a few findings only.

use std::sync::{Mutex, PoisonError};

use super::{Address, Survey};
use crate::kubernetes::object;
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

/// The document that was read last. A list of thousands of Jobs is asked about each of them, one after the other.
#[derive(Debug, Default)]
pub(super) struct LastRead(Mutex<Option<Document>>);

/// A document that was read once more.
#[derive(Debug)]
struct Document {
    manifest: usize,
    piece: Span,
    tree: Tree,
    /// The objects in it, as [`Address::item`] counts them.
    objects: Vec<NodeId>,
}

impl Document {
    fn read(manifest: usize, piece: Span, text: &str) -> Option<Self> {
        let tree = Tree::parse(text).ok()?;
        let objects = object::objects(&tree, text).into_iter().map(|(_, node)| node).collect();
        Some(Self { manifest, piece, tree, objects })
    }
}

impl Survey<'_> {
    /// Does something with a piece of a manifest and its text; nothing when it cannot be read.
    fn in_document<T>(&self, manifest: usize, piece: Span, what: impl FnOnce(&Document, &str) -> T) -> Option<T> {
        let text = piece.of(&self.manifests[manifest].text);
        // Whoever panicked has left a document behind that is as good as any.
        let mut last = self.last_read.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| (last.manifest, last.piece) != (manifest, piece)) {
            *last = Document::read(manifest, piece, text);
        }
        last.as_ref().map(|document| what(document, text))
    }

    /// Finds the value at `path`, keys and decimal indices of lists, or what is nearest to it on the way. A value that has no
    /// bytes of its own is found where its anchor stands.
    pub fn locate(&self, address: Address, path: &[String]) -> Located {
        let start = address.piece.start;
        let found = self.in_document(address.manifest, address.piece, |document, text| {
            let mut node = *document.objects.get(address.item.unwrap_or(0))?;
            let mut depth = 0;
            for step in path {
                let Some(next) = child(&document.tree, node, step, text) else { break };
                node = next;
                depth += 1;
            }
            let span = document.tree.span(node);
            Some(Located { span: Span::new(start + span.start, start + span.end), depth })
        });
        found.flatten().unwrap_or(Located { span: Span::new(start, start), depth: 0 })
    }

    /// The index of the object in which a byte of a manifest stands.
    pub fn object_at(&self, manifest: usize, offset: usize) -> Option<usize> {
        let is_before = |address: Address| (address.manifest, address.piece.end) <= (manifest, offset);
        let first = self.objects.partition_point(|object| object.address.is_some_and(is_before));
        let address = self.objects.get(first)?.address?;
        if address.manifest != manifest || offset < address.piece.start || address.item.is_none() {
            return (address.manifest == manifest && address.piece.start <= offset).then_some(first);
        }
        let inside = |span: Span| (span.start..span.end).contains(&(offset - address.piece.start));
        let item = self.in_document(manifest, address.piece, |document, _| {
            document.objects.iter().position(|node| inside(document.tree.span(*node)))
        });
        let address = Some(Address { item: Some(item??), ..address });
        let found =
            self.objects[first..].partition_point(|object| object.address.is_some() && object.address < address);
        self.objects.get(first + found).filter(|object| object.address == address).map(|_| first + found)
    }
}

fn child(tree: &Tree, node: NodeId, step: &str, text: &str) -> Option<NodeId> {
    match tree.kind(node) {
        Kind::Sequence(_) => tree.children(node).nth(step.parse().ok()?).map(|item| tree.target(item)),
        _ => tree.get(node, step, text),
    }
}
