//! The edits of one map.

use super::super::node::Node;
use super::super::value::Value;
use super::entry::Entry;

/// The document that is being edited.
#[derive(Clone, Copy)]
pub(super) struct Original<'t> {
    pub(super) text: &'t str,
    /// The line break of the document.
    pub(super) eol: &'static str,
}

/// The key and the value of an entry. For an item of a list both are the item.
pub(super) type Pair<'t> = (Node<'t>, Node<'t>);

/// All edits of one map, or of the items of one list.
#[derive(Default)]
pub(super) struct MapChanges<'t> {
    /// The key whose value is this map. None for the map of the document.
    pub(super) key: Option<Node<'t>>,
    pub(super) inserts: Vec<Entry>,
    pub(super) removes: Vec<Node<'t>>,
    /// Lists in this map, each with the items to remove. Each list keeps at least one item.
    pub(super) drops: Vec<(Node<'t>, Vec<Node<'t>>)>,
    pub(super) replaces: Vec<(Node<'t>, Value)>,
    pub(super) renames: Vec<Rename<'t>>,
    pub(super) fills: Vec<Fill<'t>>,
}

/// A key that is renamed, with its new value.
pub(super) struct Rename<'t> {
    pub(super) key: Node<'t>,
    pub(super) old: Node<'t>,
    pub(super) to: String,
    pub(super) value: Value,
}

/// A key whose null value becomes a map.
pub(super) struct Fill<'t> {
    pub(super) key: Node<'t>,
    pub(super) null: Node<'t>,
    pub(super) entries: Vec<Entry>,
}
