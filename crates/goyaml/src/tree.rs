//! The memory of one document: an array of its nodes in text order, 20 bytes each.
//!
//! A document of 27 MB needs about its own size again: a scalar whose value is a slice of the text is not copied. The next document that is read into
//! the tree reuses the memory. Callers use [`super::Document`] and [`super::Node`], which also know the text.
//!
//! A tree refuses a document whose aliases expand to more than a limit, so no value takes much more memory than its text.

use std::collections::HashMap;

use text::Span;

use super::SyntaxError;
use super::expansion::{self, Scale};
use super::parser::{self, Event, Layout, Style, What};
use super::properties::after_properties;
use super::resolve;
use super::tags::Tags;

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(pub(super) u32);

/// The kind of a node, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar.
    Scalar(Style),
    /// An alias, `*anchor`.
    Alias,
    /// A list.
    Sequence(Layout),
    /// A map.
    Mapping(Layout),
}

/// Flag: the value of the scalar is a slice of the text.
const IN_TEXT: u8 = 1;
/// Flag: the node has an anchor.
const ANCHORED: u8 = 2;
/// Flag: the node has a tag.
const TAGGED: u8 = 4;
/// Flag: the value of the scalar is the text that its `!!binary` stands for.
const DECODED: u8 = 8;

/// The data of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) kind: Kind,
    flags: u8,
    /// The start of the content, without anchor and tag.
    start: u32,
    end: u32,
    /// The number of the first node after this one that is not inside it.
    pub(super) after: u32,
    /// For a scalar that is not a slice of the text: the index in `copies`. For an alias: the number of its target.
    extra: u32,
}

impl Record {
    /// The bytes of the content, without anchor and tag.
    pub(super) fn span(&self) -> Span {
        Span::new(self.start as usize, self.end.max(self.start) as usize)
    }

    /// True when an anchor or a tag precedes the content.
    pub(super) fn has_properties(&self) -> bool {
        self.flags & (ANCHORED | TAGGED) != 0
    }

    /// True for a `!!binary` scalar whose value is the text that it stands for.
    pub(super) fn is_decoded(&self) -> bool {
        self.flags & DECODED != 0
    }

    /// True for a scalar whose value is in `copies`.
    pub(super) fn is_composed(&self) -> bool {
        matches!(self.kind, Kind::Scalar(_)) && self.flags & IN_TEXT == 0
    }
}

/// How many unused node slots a tree keeps after a document.
const MOST_SPARE: usize = 1 << 14;

/// The maximum number of nodes of a document. The API server accepts objects of at most 3 MiB; a `List` can be split into several documents.
pub const MAX_NODES: usize = 500_000;

/// The nodes of one document at a time, in memory that is reused for the next.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Record>,
    copies: Vec<Box<str>>,
    tags: Tags,
    aliases: usize,
    merges: usize,
    /// How many bytes the aliases of the document expand to.
    expansion: u64,
    is_unlimited: bool,
}

/// The state while a document is read.
struct Reading {
    /// The lists and maps that have not ended, by number.
    open: Vec<u32>,
    anchors: HashMap<String, u32>,
    scale: Scale,
}

/// The maximum size of a document in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The help for a document that is too large.
const SPLIT: &str = "split the document: the items of a `List` can be documents of their own";

impl Tree {
    /// A tree for an edited text, which may exceed the limits that apply to its original. Reserves memory for `nodes` nodes.
    pub(super) fn of_an_edited_text(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), is_unlimited: true, ..Self::default() }
    }

    /// How much memory the aliases of the document expand to, in bytes, approximately.
    pub(super) fn expansion(&self) -> u64 {
        self.expansion
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Fills the tree with the first document of `text`. Drops the previous document and reuses its memory.
    pub(super) fn fill(&mut self, text: &str) -> Result<(), SyntaxError> {
        self.clear();
        if text.len() > MAX_BYTES && !self.is_unlimited {
            return Err(SyntaxError::new(0, "the document is larger than 16 MiB").with_help(SPLIT).of_a_limit());
        }
        let mut reading = Reading { open: Vec::new(), anchors: HashMap::new(), scale: Scale::default() };
        parser::parse(text, |event| self.take(text, event, &mut reading))?;
        if self.nodes.capacity() - self.nodes.len() > MOST_SPARE {
            self.shrink();
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.copies.clear();
        self.tags.clear();
        (self.aliases, self.merges, self.expansion) = (0, 0, 0);
    }

    /// Frees the memory that the document does not need.
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.copies.shrink_to_fit();
    }

    fn take(&mut self, text: &str, event: Event, reading: &mut Reading) -> Result<(), SyntaxError> {
        let Reading { open, anchors, scale } = reading;
        let id = self.nodes.len() as u32;
        let is_node = !matches!(event.what, What::SequenceEnd | What::MappingEnd);
        if is_node && self.nodes.len() >= MAX_NODES && !self.is_unlimited {
            let message = "the document has more than 500,000 keys and values";
            return Err(SyntaxError::new(event.start, message).with_help(SPLIT).of_a_limit());
        }
        match event.what {
            What::SequenceEnd | What::MappingEnd => {
                if let Some(opened) = open.pop() {
                    scale.end(opened);
                    let node = &mut self.nodes[opened as usize];
                    node.after = id;
                    node.end = event.end as u32;
                }
                return Ok(());
            }
            What::Alias { anchor } => {
                let Some(target) = anchors.get(&anchor) else {
                    // The message must not name the anchor: a password can begin with `*`. The place says which one it is.
                    return Err(SyntaxError::new(event.start, "an alias to an anchor that does not exist"));
                };
                self.aliases += 1;
                self.expansion = self.expansion.saturating_add(scale.alias(*target));
                if self.expansion > expansion::MAX && !self.is_unlimited {
                    return Err(expansion::too_much(event.start));
                }
                self.push(Kind::Alias, 0, event.start, event.end, *target);
            }
            What::Scalar { anchor, tag, value, style } => {
                scale.scalar(anchor.is_some().then_some(id), value.len());
                self.scalar(text, (event.start, event.end), (anchor.is_some(), tag), value, style);
                anchor.map(|anchor| anchors.insert(anchor, id));
            }
            What::SequenceStart { anchor, tagged, layout } => {
                scale.start(anchor.is_some().then_some(id));
                let flags = properties(anchor.is_some(), tagged);
                let start = if layout == Layout::Flow { event.end - 1 } else { event.start };
                self.push(Kind::Sequence(layout), flags, start, event.end, 0);
                open.push(id);
                anchor.map(|anchor| anchors.insert(anchor, id));
            }
            What::MappingStart { anchor, tagged, layout } => {
                scale.start(anchor.is_some().then_some(id));
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
        let id = self.nodes.len() as u32;
        let mut flags = properties(anchored, tag.is_some());
        let start = if flags == 0 { start } else { after_properties(text, start, end) };
        let inside = match style {
            Style::Plain => text.get(start..end),
            Style::SingleQuoted | Style::DoubleQuoted => text.get(start + 1..end - 1),
            Style::Block => None,
        };
        if style == Style::Plain && value == "<<" || tag.as_deref() == Some("tag:yaml.org,2002:merge") {
            self.merges += 1;
        }
        // Base64 that cannot be decoded stays as it is, and `resolve` refuses it.
        let decoded =
            tag.as_deref().filter(|tag| resolve::is_binary(tag)).and_then(|_| resolve::decode_base64(&value).ok());
        let mut extra = 0;
        if let Some(decoded) = decoded {
            flags |= DECODED;
            extra = self.copies.len() as u32;
            self.copies.push(decoded.into_boxed_str());
        } else if inside == Some(value.as_str()) {
            flags |= IN_TEXT;
        } else {
            extra = self.copies.len() as u32;
            self.copies.push(value.into_boxed_str());
        }
        if let Some(tag) = tag {
            self.tags.push(id, &tag);
        }
        self.push(Kind::Scalar(style), flags, start, end, extra);
    }

    fn push(&mut self, kind: Kind, flags: u8, start: usize, end: usize, extra: u32) {
        let after = self.nodes.len() as u32 + 1;
        if self.nodes.len() == self.nodes.capacity() {
            // Grow by a quarter: a `Vec` would double its capacity.
            self.nodes.reserve_exact((self.nodes.len() / 4).max(1 << 10));
        }
        self.nodes.push(Record { kind, flags, start: start as u32, end: end as u32, after, extra });
    }

    /// The data of a node.
    pub(super) fn record(&self, id: NodeId) -> &Record {
        &self.nodes[id.0 as usize]
    }

    /// All nodes in the order of the text.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Whether the document has an alias or a merge key.
    pub(super) fn has_references(&self) -> bool {
        self.aliases > 0 || self.merges > 0
    }

    /// Whether the document has a merge key.
    pub(super) fn has_merges(&self) -> bool {
        self.merges > 0
    }

    /// The tag of the scalar. None if it has none.
    pub(super) fn tag(&self, id: NodeId) -> Option<&str> {
        if self.record(id).flags & TAGGED == 0 { None } else { self.tags.get(id.0) }
    }

    /// The node that an alias refers to. Any other node is its own target.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        let record = self.record(id);
        if record.kind == Kind::Alias { NodeId(record.extra) } else { id }
    }

    /// The characters of a scalar, from the text or from its copy. For `!!binary` the text that it stands for. Empty for collections and aliases.
    pub(super) fn content<'t>(&'t self, id: NodeId, text: &'t str) -> &'t str {
        let record = self.record(id);
        match record.kind {
            Kind::Scalar(_) if record.flags & IN_TEXT == 0 => &self.copies[record.extra as usize],
            Kind::Scalar(Style::Plain) => &text[record.start as usize..record.end as usize],
            Kind::Scalar(_) => &text[record.start as usize + 1..record.end as usize - 1],
            _ => "",
        }
    }
}

fn properties(anchored: bool, tagged: bool) -> u8 {
    (if anchored { ANCHORED } else { 0 }) | (if tagged { TAGGED } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_text_may_have_more_nodes_than_a_document() {
        let text = format!("[{}]", "1,".repeat(MAX_NODES));
        assert!(Tree::default().fill(&text).is_err());
        assert!(Tree::of_an_edited_text(0).fill(&text).is_ok());
    }

    #[test]
    fn every_node_is_inside_the_text() {
        for text in ["?", "? ", "a: b\n?", "- ?", "?\n", "a:", "\u{feff}?"] {
            let mut tree = Tree::default();
            let Ok(document) = tree.read(text) else { panic!("{text:?} cannot be read") };
            for node in document.nodes() {
                let span = node.span();
                assert!(span.start <= span.end && span.end <= text.len(), "{text:?}: {span:?}");
            }
        }
    }

    #[test]
    fn a_node_needs_20_bytes() {
        assert_eq!(size_of::<Record>(), 20);
    }

    #[test]
    fn a_document_with_aliases_or_merge_keys_is_known_by_them() {
        for (text, references, merges) in [
            ("a: &a {x: '<<', y: !!str <<-, z: <}", false, false),
            ("a: \"<<\"", false, false),
            ("a: &a b\nc: *a", true, false),
            ("<<: {a: b}", true, true),
            ("!!merge x: {a: b}", true, true),
        ] {
            let mut tree = Tree::default();
            tree.fill(text).unwrap();
            assert_eq!((tree.has_references(), tree.has_merges()), (references, merges), "{text}");
        }
    }

    #[test]
    fn only_a_value_that_is_not_in_the_text_is_copied() {
        for (text, copies) in [
            ("[a, 'b', \"c\", '', \"\", !!str d, &x 'e']", 0),
            ("['a''b', \"\\n\", \"a\n b\"]", 3),
            ("- |\n  a\n- >-\n  b\n- a\n  b\n", 3),
        ] {
            let mut tree = Tree::default();
            tree.fill(text).unwrap();
            assert_eq!(tree.copies.len(), copies, "{text}");
        }
    }
}
