//! The first document of a text as a tree of nodes, each with the bytes it stands for.
//!
//! Nodes lie in one array in the order of the text, 20 bytes each, so that a 27 MB document costs about its own size again; a
//! scalar that stands in the text as it is has no copy. [`Tree::clear`] keeps the memory for the next document.

use std::collections::HashMap;

use super::SyntaxError;
use super::parser::{self, Event, Layout, Style, What};
use super::resolve::{self, Scalar};
use crate::text::Span;

/// A node of one [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar.
    Scalar(Style),
    /// `*anchor`.
    Alias,
    /// A list.
    Sequence(Layout),
    /// A map.
    Mapping(Layout),
}

/// The bytes of the node are its value.
const IN_TEXT: u8 = 1;
/// The node carries an anchor.
const ANCHORED: u8 = 2;
/// The node carries a tag.
const TAGGED: u8 = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    flags: u8,
    /// The content, without anchor and tag.
    start: u32,
    end: u32,
    /// The first node that is not inside this one.
    after: u32,
    /// Scalars with a copy: the index in `copies`. Aliases: the node they stand for.
    extra: u32,
}

/// The document; without a root when the text has no content.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    copies: Vec<Box<str>>,
    tags: HashMap<NodeId, Box<str>>,
    aliases: usize,
    merges: usize,
}

impl Tree {
    /// Reads the first document of `text`.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut tree = Self::default();
        tree.read(text)?;
        Ok(tree)
    }

    /// Reads the first document of `text` into this tree, in place of what it held.
    pub fn read(&mut self, text: &str) -> Result<(), SyntaxError> {
        self.clear();
        let mut open = Vec::new();
        let mut anchors = HashMap::new();
        parser::parse(text, |event| self.take(text, event, &mut open, &mut anchors))
    }

    /// Forgets the document and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.copies.clear();
        self.tags.clear();
        self.aliases = 0;
        self.merges = 0;
    }

    /// Gives back the memory that the document does not need.
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.copies.shrink_to_fit();
    }

    fn take(
        &mut self,
        text: &str,
        event: Event,
        open: &mut Vec<u32>,
        anchors: &mut HashMap<String, u32>,
    ) -> Result<(), SyntaxError> {
        let id = self.nodes.len() as u32;
        match event.what {
            What::SequenceEnd | What::MappingEnd => {
                if let Some(opened) = open.pop() {
                    let node = &mut self.nodes[opened as usize];
                    node.after = id;
                    node.end = event.end as u32;
                }
                return Ok(());
            }
            What::Alias { anchor } => {
                let Some(target) = anchors.get(&anchor) else {
                    // Not which one: a password can begin with `*`, and the place says it.
                    return Err(SyntaxError::new(event.start, "an alias to an unknown anchor"));
                };
                self.aliases += 1;
                self.push(Kind::Alias, 0, event.start, event.end, *target);
            }
            What::Scalar { anchor, tag, value, style } => {
                self.scalar(text, (event.start, event.end), (anchor.is_some(), tag), value, style);
                anchor.map(|anchor| anchors.insert(anchor, id));
            }
            What::SequenceStart { anchor, tagged, layout } => {
                let flags = properties(anchor.is_some(), tagged);
                let start = if layout == Layout::Flow { event.end - 1 } else { event.start };
                self.push(Kind::Sequence(layout), flags, start, event.end, 0);
                open.push(id);
                anchor.map(|anchor| anchors.insert(anchor, id));
            }
            What::MappingStart { anchor, tagged, layout } => {
                let flags = properties(anchor.is_some(), tagged);
                let start = if layout == Layout::Flow && event.end > event.start { event.end - 1 } else { event.start };
                self.push(Kind::Mapping(layout), flags, start, event.end, 0);
                open.push(id);
                anchor.map(|anchor| anchors.insert(anchor, id));
            }
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        (start, end): (usize, usize),
        (anchored, tag): (bool, Option<String>),
        value: String,
        style: Style,
    ) {
        let id = NodeId(self.nodes.len() as u32);
        let mut flags = properties(anchored, tag.is_some());
        let start = if flags == 0 { start } else { after_properties(text, start, end) };
        let inside = match style {
            Style::Plain => text.get(start..end),
            Style::SingleQuoted | Style::DoubleQuoted if end - start >= 2 => text.get(start + 1..end - 1),
            _ => None,
        };
        if style == Style::Plain && value == "<<" || tag.as_deref() == Some("tag:yaml.org,2002:merge") {
            self.merges += 1;
        }
        let mut extra = 0;
        if inside == Some(value.as_str()) {
            flags |= IN_TEXT;
        } else {
            extra = self.copies.len() as u32;
            self.copies.push(value.into_boxed_str());
        }
        if let Some(tag) = tag {
            self.tags.insert(id, tag.into_boxed_str());
        }
        self.push(Kind::Scalar(style), flags, start, end, extra);
    }

    fn push(&mut self, kind: Kind, flags: u8, start: usize, end: usize, extra: u32) {
        let after = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, flags, start: start as u32, end: end as u32, after, extra });
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The document's node, when it has content.
    pub fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    /// All nodes in the order of the text.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// True when a value can stand somewhere else than where it is read: with aliases and merge keys.
    pub fn has_references(&self) -> bool {
        self.aliases > 0 || self.merges > 0
    }

    /// What the node is.
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The bytes of the node's content, without anchor and tag.
    pub fn span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        Span::new(node.start as usize, node.end.max(node.start) as usize)
    }

    /// True when an anchor or a tag stands before the content.
    pub fn has_properties(&self, id: NodeId) -> bool {
        self.node(id).flags & (ANCHORED | TAGGED) != 0
    }

    /// True when the scalar's value had to be put together: it is folded, escaped or indented.
    pub fn is_composed(&self, id: NodeId) -> bool {
        matches!(self.kind(id), Kind::Scalar(_)) && self.node(id).flags & IN_TEXT == 0
    }

    /// The scalar's tag.
    pub fn tag(&self, id: NodeId) -> Option<&str> {
        if self.node(id).flags & TAGGED == 0 { None } else { self.tags.get(&id).map(AsRef::as_ref) }
    }

    /// The node an alias stands for; any other node stands for itself.
    pub fn target(&self, id: NodeId) -> NodeId {
        match self.kind(id) {
            Kind::Alias => NodeId(self.node(id).extra),
            _ => id,
        }
    }

    /// The scalar's characters before any meaning; empty for collections.
    pub fn content<'t>(&'t self, id: NodeId, text: &'t str) -> &'t str {
        let node = self.node(id);
        match node.kind {
            Kind::Scalar(_) if node.flags & IN_TEXT == 0 => &self.copies[node.extra as usize],
            Kind::Scalar(Style::Plain) => &text[node.start as usize..node.end as usize],
            Kind::Scalar(_) => &text[node.start as usize + 1..node.end as usize - 1],
            _ => "",
        }
    }

    /// The scalar's meaning; the error is a message without a place. Not for collections and aliases.
    pub fn resolve<'t>(&'t self, id: NodeId, text: &'t str) -> Result<Scalar<'t>, String> {
        match self.kind(id) {
            Kind::Scalar(style) => resolve::resolve(self.tag(id), style, self.content(id, text)),
            _ => Ok(Scalar::Null),
        }
    }

    /// The items of a list; keys and values in turn of a map.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = match self.kind(id) {
            Kind::Sequence(_) | Kind::Mapping(_) => self.node(id).after,
            _ => id.0,
        };
        let mut next = id.0 + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = NodeId(next);
                next = self.node(child).after;
                child
            })
        })
    }

    /// The entries of a map as written, in order.
    pub fn entries(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let mut children = self.children(id);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// True for the key `<<` that merges another map in.
    pub fn is_merge(&self, key: NodeId, text: &str) -> bool {
        self.kind(key) == Kind::Scalar(Style::Plain) && self.content(key, text) == "<<" && self.tag(key).is_none()
            || self.tag(key) == Some("tag:yaml.org,2002:merge")
    }

    /// The value of `key` as Argo CD reads it: the last one wins, merged maps count where they stand. Follows aliases.
    pub fn get(&self, map: NodeId, key: &str, text: &str) -> Option<NodeId> {
        self.get_within(map, key, text, parser::MAX_DEPTH)
    }

    fn get_within(&self, map: NodeId, key: &str, text: &str, depth: usize) -> Option<NodeId> {
        let map = self.target(map);
        let depth = depth.checked_sub(1)?;
        let mut found = None;
        for (name, value) in self.entries(map).filter(|_| matches!(self.kind(map), Kind::Mapping(_))) {
            if self.merges > 0 && self.is_merge(name, text) {
                let value = self.target(value);
                let merged = match self.kind(value) {
                    Kind::Sequence(_) => self.children(value).find_map(|one| self.get_within(one, key, text, depth)),
                    _ => self.get_within(value, key, text, depth),
                };
                found = merged.or(found);
            } else if self.is_key(name, key, text) {
                found = Some(self.target(value));
            }
        }
        found
    }

    /// True when `name` means the text `key`.
    pub fn is_key(&self, name: NodeId, key: &str, text: &str) -> bool {
        let name = self.target(name);
        matches!(self.kind(name), Kind::Scalar(_))
            && self.content(name, text) == key
            && matches!(self.resolve(name, text), Ok(Scalar::Text(_)))
    }

    /// The value at a path of keys, as [`Tree::get`] finds each.
    pub fn find(&self, from: NodeId, path: &[&str], text: &str) -> Option<NodeId> {
        path.iter().try_fold(self.target(from), |node, key| self.get(node, key, text))
    }

    /// The text at a path of keys, when it is one.
    pub fn text_at<'t>(&'t self, from: NodeId, path: &[&str], text: &'t str) -> Option<&'t str> {
        let found = self.find(from, path, text)?;
        matches!(self.resolve(found, text), Ok(Scalar::Text(_))).then(|| self.content(found, text))
    }
}

fn properties(anchored: bool, tagged: bool) -> u8 {
    (if anchored { ANCHORED } else { 0 }) | (if tagged { TAGGED } else { 0 })
}

/// Where the content begins of a scalar whose anchor or tag begins at `start`.
fn after_properties(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let rest = &text[at..end];
        let skipped = match rest.as_bytes()[0] {
            b'&' | b'!' => rest.find(|found: char| found.is_whitespace()).unwrap_or(rest.len()),
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            _ => rest.len() - rest.trim_start().len(),
        };
        if skipped == 0 {
            break;
        }
        at += skipped;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_bytes() {
        let text = "a: &x !!str 'b'\nc: {d: [1, 2]}\ne: |\n  f\n";
        let tree = Tree::parse(text).unwrap();
        let spans: Vec<&str> = tree.ids().map(|id| tree.span(id).of(text)).collect();
        assert_eq!(spans[1..], ["a", "'b'", "c", "{d: [1, 2]}", "d", "[1, 2]", "1", "2", "e", "|\n  f\n"]);
        assert_eq!(tree.text_at(NodeId(0), &["a"], text), Some("b"));
    }

    #[test]
    fn the_last_key_wins_and_merged_maps_count_where_they_stand() {
        let text = "base: &b {name: merged}\nm: {name: a, <<: *b}\nq: {<<: *b, name: b}\nr: {name: a, name: c}\n";
        let tree = Tree::parse(text).unwrap();
        let name = |key| tree.text_at(NodeId(0), &[key, "name"], text);
        assert_eq!((name("m"), name("q"), name("r")), (Some("merged"), Some("b"), Some("c")));
    }
}
