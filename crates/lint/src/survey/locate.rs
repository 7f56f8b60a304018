//! Locates a value in its manifest. Parses the document again, because only a few findings need a place.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use goyaml::{KeptDocument, NodeIndex, Path, Step};
use kube_jobs::kubernetes::list;
use system::threads::MAX_THREADS;
use text::Span;

use super::{Address, Survey};

/// The place of a path in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The bytes of the value in the manifest.
    pub span: Span,
    /// How many steps of the path lead to the value. Fewer than all steps if the rest of the path does not exist.
    pub depth: usize,
}

/// The documents that were parsed last, the most recent first. Consecutive calls concern the same document, which can be a list of thousands of Jobs.
/// There is one document for each thread, because threads work on different documents.
#[derive(Debug, Default)]
pub(super) struct LastRead(Mutex<VecDeque<Arc<LastDocument>>>);

/// A document that is parsed again at the first location in it.
#[derive(Debug)]
struct LastDocument {
    manifest: usize,
    piece: Span,
    /// The document with its objects, indexed as [`Address::item`] counts them. None if it cannot be read.
    document: OnceLock<Option<KeptDocument>>,
    /// Finds nodes quickly, because many paths may be followed in one document.
    index: Mutex<NodeIndex>,
}

impl LastRead {
    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The document of a piece. A new document replaces the least recently used one.
    fn get(&self, manifest: usize, piece: Span) -> Arc<LastDocument> {
        // A poisoned lock is harmless: no code that holds it can panic halfway.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.iter().position(|one| (one.manifest, one.piece) == (manifest, piece));
        let document = known.and_then(|index| last.remove(index)).unwrap_or_else(|| {
            last.truncate(MAX_THREADS - 1);
            Arc::new(LastDocument { manifest, piece, document: OnceLock::new(), index: Mutex::default() })
        });
        last.push_front(Arc::clone(&document));
        document
    }
}

/// The index of the object that contains the byte `offset`.
fn object_with(document: &KeptDocument, offset: usize) -> Option<usize> {
    if document.node(0)?.document().has_references() {
        // With aliases, objects need not be in the order of the text, so no binary search.
        return document.nodes().position(|object| (object.span().start..object.span().end).contains(&offset));
    }
    let ends_before = |index: usize| document.node(index).is_some_and(|node| node.span().end <= offset);
    let (mut first, mut end) = (0, document.len());
    while first < end {
        let middle = first + (end - first) / 2;
        (first, end) = if ends_before(middle) { (middle + 1, end) } else { (first, middle) };
    }
    document.node(first).filter(|node| node.span().start <= offset).map(|_| first)
}

impl Survey<'_> {
    /// Calls `what` with the document of a piece. None if it cannot be read.
    fn in_document<T>(
        &self,
        manifest: usize,
        piece: Span,
        what: impl FnOnce(&KeptDocument, &mut NodeIndex) -> T,
    ) -> Option<T> {
        let last = self.last_read.get(manifest, piece);
        let read = || {
            let text = piece.of(&self.manifests[manifest].text);
            KeptDocument::read(text, |document| list::objects(document).into_iter().map(|(_, node)| node).collect())
                .ok()
        };
        let document = last.document.get_or_init(read).as_ref()?;
        // A poisoned lock is harmless: the index only has complete entries.
        Some(what(document, &mut last.index.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Finds the value at `path`, or its nearest parent that exists. A value that is an alias is found at its anchor.
    pub fn locate(&self, address: Address, path: &Path) -> Located {
        let start = address.piece.start;
        let found = self.in_document(address.manifest, address.piece, |document, index| {
            let (node, depth) = index.follow(document.node(address.item.unwrap_or(0))?, path);
            let span = node.span();
            Some(Located { span: Span::new(start + span.start, start + span.end), depth })
        });
        found.flatten().unwrap_or(Located { span: Span::new(start, start), depth: 0 })
    }

    /// Finds the key at the end of `path`. None if the map that the rest of the path leads to does not contain it.
    pub fn locate_key(&self, address: Address, path: &Path) -> Option<Span> {
        let (Step::Key(last), parents) = path.steps().split_last()? else { return None };
        let parents: Path = parents.iter().cloned().collect();
        let start = address.piece.start;
        let found = self.in_document(address.manifest, address.piece, |document, index| {
            let (map, depth) = index.follow(document.node(address.item.unwrap_or(0))?, &parents);
            let is_map = depth == parents.steps().len();
            let span = index.key(map.target(), last).filter(|_| is_map)?.span();
            Some(Span::new(start + span.start, start + span.end))
        });
        found.flatten()
    }

    /// The index of the object that contains the byte `offset` of a manifest. None if the byte is outside all objects.
    pub fn object_at(&self, manifest: usize, offset: usize) -> Option<usize> {
        let is_before = |address: Address| (address.manifest, address.piece.end) <= (manifest, offset);
        let first = self.objects.partition_point(|object| object.address.is_some_and(is_before));
        let address = self.objects.get(first)?.address?;
        if address.manifest != manifest || offset < address.piece.start || address.item.is_none() {
            return (address.manifest == manifest && address.piece.start <= offset).then_some(first);
        }
        let offset = offset - address.piece.start;
        let item = self.in_document(manifest, address.piece, |document, _| object_with(document, offset));
        let address = Some(Address { item: Some(item??), ..address });
        let found =
            self.objects[first..].partition_point(|object| object.address.is_some() && object.address < address);
        self.objects.get(first + found).filter(|object| object.address == address).map(|_| first + found)
    }
}
