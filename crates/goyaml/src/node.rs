//! A document and its nodes: how callers read a [`Tree`], always together with its text.
//!
//! Both types are small and `Copy`. Only [`Tree::read`] makes them, so a node is never paired with the wrong text.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ptr;

use text::Span;

use super::path::{Path, Step};
use super::resolve::{self, Scalar};
use super::tree::{Kind, NodeId, Record, Tree};
use super::{SyntaxError, parser};

/// The first document of a text, returned by [`Tree::read`].
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    tree: &'t Tree,
    text: &'t str,
}

/// A node of a [`Document`]. Nodes are ordered by their positions in the text.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    document: Document<'t>,
    id: NodeId,
}

impl Tree {
    /// Reads the first document of `text`. Fails if it is not valid or if its aliases expand to more than the tree allows. Replaces the tree's
    /// previous document and reuses its memory.
    pub fn read<'t>(&'t mut self, text: &'t str) -> Result<Document<'t>, SyntaxError> {
        self.fill(text)?;
        Ok(Document { tree: self, text })
    }
}

impl<'t> Document<'t> {
    /// The whole text that was read, including the separator before the document and everything after the document.
    pub fn text(self) -> &'t str {
        self.text
    }

    /// The outermost node. None if the text has no content.
    pub fn root(self) -> Option<Node<'t>> {
        self.nodes().next()
    }

    /// All nodes in the order of the text.
    pub fn nodes(self) -> impl Iterator<Item = Node<'t>> {
        self.tree.ids().map(move |id| self.node(id))
    }

    /// How many nodes the document has.
    pub fn size(self) -> usize {
        self.tree.len()
    }

    /// How much memory the document's aliases expand to, in bytes, approximately.
    pub fn expansion(self) -> u64 {
        self.tree.expansion()
    }

    /// Whether the document has an alias or a merge key, so that a value can be read at a place other than where it is written.
    pub fn has_references(self) -> bool {
        self.tree.has_references()
    }

    /// Whether the document has a merge key.
    pub(super) fn has_merges(self) -> bool {
        self.tree.has_merges()
    }

    pub(super) fn node(self, id: NodeId) -> Node<'t> {
        Node { document: self, id }
    }
}

impl<'t> Node<'t> {
    /// The document that the node is part of.
    pub fn document(self) -> Document<'t> {
        self.document
    }

    pub(super) fn id(self) -> NodeId {
        self.id
    }

    /// The number of nodes in this node, including itself.
    pub fn size(self) -> usize {
        let NodeId(id) = self.id;
        (self.record().after - id) as usize
    }

    fn record(self) -> &'t Record {
        self.document.tree.record(self.id)
    }

    /// Whether the node is a scalar, a list, a map or an alias, and how it is written.
    pub fn kind(self) -> Kind {
        self.record().kind
    }

    /// True for a scalar, but not for an alias to one.
    pub fn is_scalar(self) -> bool {
        matches!(self.kind(), Kind::Scalar(_))
    }

    /// True for a list.
    pub fn is_list(self) -> bool {
        matches!(self.kind(), Kind::Sequence(_))
    }

    /// True for a map.
    pub fn is_map(self) -> bool {
        matches!(self.kind(), Kind::Mapping(_))
    }

    /// The bytes of the node's content, without anchor and tag.
    pub fn span(self) -> Span {
        self.record().span()
    }

    /// True when an anchor or a tag precedes the content.
    pub fn has_properties(self) -> bool {
        self.record().has_properties()
    }

    /// True when the scalar's value is not a slice of the text, because it is folded, escaped or indented.
    pub(super) fn is_composed(self) -> bool {
        self.record().is_composed()
    }

    /// The tag of the scalar. None if it has none.
    pub fn tag(self) -> Option<&'t str> {
        self.document.tree.tag(self.id)
    }

    /// The node that an alias refers to. Any other node is its own target.
    pub fn target(self) -> Self {
        self.document.node(self.document.tree.target(self.id))
    }

    /// The characters of a scalar before they are given a type; for `!!binary`, the text that it stands for. Empty for collections and aliases.
    pub fn content(self) -> &'t str {
        self.document.tree.content(self.id, self.document.text)
    }

    /// The typed value of a scalar; null for collections and aliases. The error is a message without a place.
    pub fn resolve(self) -> Result<Scalar<'t>, String> {
        match self.kind() {
            Kind::Scalar(_) if self.record().is_decoded() => Ok(Scalar::Text(Cow::Borrowed(self.content()))),
            Kind::Scalar(style) => resolve::resolve(self.tag(), style, self.content()),
            _ => Ok(Scalar::Null),
        }
    }

    /// The characters of a scalar that is a text.
    pub fn as_text(self) -> Option<&'t str> {
        (self.is_scalar() && matches!(self.resolve(), Ok(Scalar::Text(_)))).then(|| self.content())
    }

    /// True for a scalar that is null.
    pub fn is_null(self) -> bool {
        self.is_scalar() && self.resolve() == Ok(Scalar::Null)
    }

    /// The items of a list, or the keys and values of a map in turn. Aliases are not followed.
    pub fn children(self) -> Children<'t> {
        let NodeId(id) = self.id;
        let end = if self.is_list() || self.is_map() { self.record().after } else { id };
        Children { document: self.document, next: id + 1, end }
    }

    /// The items of a list, without following aliases. Empty for other nodes.
    pub fn items(self) -> Children<'t> {
        if self.is_list() { self.children() } else { Children::none(self.document) }
    }

    /// The entries of a map, in the order of the text. Empty for other nodes.
    pub fn entries(self) -> Entries<'t> {
        Entries(if self.is_map() { self.children() } else { Children::none(self.document) })
    }

    /// True for the key `<<`, which merges another map into its own.
    pub fn is_merge(self) -> bool {
        self.kind() == Kind::Scalar(parser::Style::Plain) && self.content() == "<<" && self.tag().is_none()
            || self.tag() == Some("tag:yaml.org,2002:merge")
    }

    /// Whether the node is a key whose value is the text `name`.
    pub fn is_key(self, name: &str) -> bool {
        let key = self.target();
        key.is_scalar() && key.content() == name && matches!(key.resolve(), Ok(Scalar::Text(_)))
    }

    /// The value of `key` as Argo CD reads it: of equal keys the last one counts, and a merged map counts at the place of its `<<`. Follows aliases.
    pub fn get(self, key: &str) -> Option<Self> {
        self.get_within(key, parser::MAX_DEPTH)
    }

    fn get_within(self, key: &str, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let mut found = None;
        for (name, value) in self.target().entries() {
            if self.document.tree.has_merges() && name.is_merge() {
                let value = value.target();
                let merged = match value.kind() {
                    Kind::Sequence(_) => value.items().find_map(|one| one.get_within(key, depth)),
                    _ => value.get_within(key, depth),
                };
                found = merged.or(found);
            } else if name.is_key(key) {
                found = Some(value.target());
            }
        }
        found
    }

    /// The value at a path of keys, each found by [`Node::get`].
    pub fn at(self, keys: &[&str]) -> Option<Self> {
        keys.iter().try_fold(self.target(), |node, key| node.get(key))
    }

    /// The text at a path of keys. None if the value is not a text.
    pub fn text_at(self, keys: &[&str]) -> Option<&'t str> {
        self.at(keys).and_then(Self::as_text)
    }

    /// The value one step further, with aliases followed. None if there is no such key or item, or if the step does not fit the node.
    pub fn child(self, step: &Step) -> Option<Self> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Item(index) => self.items().nth(*index).map(Self::target),
        }
    }

    /// Follows a path as far as it exists. Returns the last node and the number of steps to it, which is the length of the path if all of it exists.
    pub fn follow(self, path: &Path) -> (Self, usize) {
        let mut node = self;
        for (depth, step) in path.steps().iter().enumerate() {
            let Some(next) = node.child(step) else { return (node, depth) };
            node = next;
        }
        (node, path.steps().len())
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node<'_> {}

impl PartialOrd for Node<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |node: &Self| (ptr::from_ref(node.document.tree), node.id);
        key(self).cmp(&key(other))
    }
}

/// The nodes directly inside another one.
#[derive(Clone, Debug)]
pub struct Children<'t> {
    document: Document<'t>,
    next: u32,
    end: u32,
}

impl<'t> Children<'t> {
    fn none(document: Document<'t>) -> Self {
        Self { document, next: 0, end: 0 }
    }
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        (self.next < self.end).then(|| {
            let child = self.document.node(NodeId(self.next));
            self.next = child.record().after;
            child
        })
    }
}

/// The entries of a map, as pairs of key and value.
#[derive(Clone, Debug)]
pub struct Entries<'t>(Children<'t>);

impl<'t> Iterator for Entries<'t> {
    type Item = (Node<'t>, Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

/// A document that owns its text and remembers some of its nodes, for callers that need them again later.
#[derive(Debug)]
pub struct KeptDocument {
    text: Box<str>,
    tree: Tree,
    nodes: Vec<NodeId>,
}

impl KeptDocument {
    /// Reads the first document of `text` and keeps the nodes that `select` returns.
    pub fn read(text: &str, select: impl for<'t> FnOnce(Document<'t>) -> Vec<Node<'t>>) -> Result<Self, SyntaxError> {
        let mut tree = Tree::default();
        let nodes = select(tree.read(text)?).into_iter().map(|node| node.id).collect();
        Ok(Self { text: text.into(), tree, nodes })
    }

    /// The nodes that were selected, in the order of the selection.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes.iter().map(|id| Document { tree: &self.tree, text: &self.text }.node(*id))
    }

    /// The node at `index` in the selection.
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        self.nodes.get(index).map(|id| Document { tree: &self.tree, text: &self.text }.node(*id))
    }

    /// How many nodes were selected.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when no node was selected.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path;

    fn with_root<T>(text: &str, then: impl FnOnce(Node<'_>) -> T) -> T {
        then(Tree::default().read(text).unwrap().root().unwrap())
    }

    #[test]
    fn nodes_know_their_bytes() {
        let text = "a: &x !!str 'b'\nc: {d: [1, 2]}\ne: |\n  f\n";
        with_root(text, |root| {
            let spans: Vec<&str> = root.document().nodes().map(|node| node.span().of(text)).collect();
            assert_eq!(spans[1..], ["a", "'b'", "c", "{d: [1, 2]}", "d", "[1, 2]", "1", "2", "e", "|\n  f\n"]);
            assert_eq!(root.text_at(&["a"]), Some("b"));
        });
    }

    #[test]
    fn of_equal_keys_the_last_counts_and_merged_maps_count_where_they_are() {
        let text = "base: &b {name: merged}\nm: {name: a, <<: *b}\nq: {<<: *b, name: b}\nr: {name: a, name: c}\n";
        with_root(text, |root| {
            let name = |key| root.text_at(&[key, "name"]);
            assert_eq!((name("m"), name("q"), name("r")), (Some("merged"), Some("b"), Some("c")));
        });
    }

    #[test]
    fn a_key_that_is_a_number_is_not_an_item() {
        let text = "map: {'0': {x: key}}\nlist: [{x: item}]\n";
        with_root(text, |root| {
            let at = |path: &Path| {
                let (node, depth) = root.follow(path);
                (node.span().of(text), depth)
            };
            assert_eq!(at(&path!["map", "0", "x"]), ("key", 3));
            assert_eq!(at(&path!["list", 0, "x"]), ("item", 3));
            assert_eq!(at(&path!["map", 0, "x"]), ("{'0': {x: key}}", 1));
            assert_eq!(at(&path!["list", "0", "x"]), ("[{x: item}]", 1));
        });
    }

    #[test]
    fn a_kept_document_has_its_nodes() {
        let kept = KeptDocument::read("items: [a, b]", |document| {
            document.root().unwrap().get("items").unwrap().items().collect()
        });
        let kept = kept.unwrap();
        assert_eq!(kept.nodes().map(Node::content).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(kept.node(1).and_then(Node::as_text), Some("b"));
        assert_eq!(kept.node(2), None);
    }
}
