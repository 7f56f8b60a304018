//! Locates a value in its manifest. Parses the document again, because only a few findings need a
//! place.

use std::sync::{Mutex, PoisonError};

use super::{Address, Survey};
use crate::kubernetes::list;
use crate::text::Span;
use crate::yaml::{KeptDocument, Path};

/// The location of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The bytes of the manifest.
    pub span: Span,
    /// The number of steps of the path that lead there; fewer than all when the rest is not written.
    pub depth: usize,
}

/// The document that was parsed last: for a list of thousands of Jobs, consecutive calls are about
/// the same document.
#[derive(Debug, Default)]
pub(super) struct LastRead(Mutex<Option<LastDocument>>);

/// A document that was parsed again.
#[derive(Debug)]
struct LastDocument {
    manifest: usize,
    piece: Span,
    /// With the objects in it, as [`Address::item`] counts them.
    document: KeptDocument,
}

impl LastDocument {
    fn read(manifest: usize, piece: Span, text: &str) -> Option<Self> {
        let document =
            KeptDocument::read(text, |document| list::objects(document).into_iter().map(|(_, node)| node).collect());
        Some(Self { manifest, piece, document: document.ok()? })
    }
}

impl Survey<'_> {
    /// Does something with a piece of a manifest. None when it cannot be read.
    fn in_document<T>(&self, manifest: usize, piece: Span, what: impl FnOnce(&KeptDocument) -> T) -> Option<T> {
        let text = piece.of(&self.manifests[manifest].text);
        // Poisoning is harmless: the kept document is always complete.
        let mut last = self.last_read.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| (last.manifest, last.piece) != (manifest, piece)) {
            *last = LastDocument::read(manifest, piece, text);
        }
        last.as_ref().map(|last| what(&last.document))
    }

    /// Finds the value at `path`, or what is nearest to it on the way. A value that has no bytes of its own is found where its
    /// anchor is.
    pub fn locate(&self, address: Address, path: &Path) -> Located {
        let start = address.piece.start;
        let found = self.in_document(address.manifest, address.piece, |document| {
            let (node, depth) = document.node(address.item.unwrap_or(0))?.follow(path);
            let span = node.span();
            Some(Located { span: Span::new(start + span.start, start + span.end), depth })
        });
        found.flatten().unwrap_or(Located { span: Span::new(start, start), depth: 0 })
    }

    /// The index of the object that contains a byte of a manifest.
    pub fn object_at(&self, manifest: usize, offset: usize) -> Option<usize> {
        let is_before = |address: Address| (address.manifest, address.piece.end) <= (manifest, offset);
        let first = self.objects.partition_point(|object| object.address.is_some_and(is_before));
        let address = self.objects.get(first)?.address?;
        if address.manifest != manifest || offset < address.piece.start || address.item.is_none() {
            return (address.manifest == manifest && address.piece.start <= offset).then_some(first);
        }
        let inside = |span: Span| (span.start..span.end).contains(&(offset - address.piece.start));
        let item = self
            .in_document(manifest, address.piece, |document| document.nodes().position(|object| inside(object.span())));
        let address = Some(Address { item: Some(item??), ..address });
        let found =
            self.objects[first..].partition_point(|object| object.address.is_some() && object.address < address);
        self.objects.get(first + found).filter(|object| object.address == address).map(|_| first + found)
    }
}
