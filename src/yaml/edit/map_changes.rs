//! What the edits of one map are made of.

use super::super::node::Node;
use super::super::value::Value;
use super::entry::Entry;

/// The document that is being edited.
#[derive(Clone, Copy)]
pub(super) struct Original<'t> {
    pub(super) text: &'t str,
    /// Its line break.
    pub(super) eol: &'static str,
}

/// The key and the value of an entry; an item of a list is both.
pub(super) type Pair<'t> = (Node<'t>, Node<'t>);

/// All that happens to one map, or to the items of one list.
#[derive(Default)]
pub(super) struct MapChanges<'t> {
    /// The key whose value the map is, when it has one.
    pub(super) key: Option<Node<'t>>,
    pub(super) inserts: Vec<Entry>,
    pub(super) removes: Vec<Node<'t>>,
    /// Items of lists in this map that go; some item stays.
    pub(super) drops: Vec<(Node<'t>, Vec<Node<'t>>)>,
    pub(super) replaces: Vec<(Node<'t>, Value)>,
    pub(super) renames: Vec<Rename<'t>>,
    pub(super) fills: Vec<Fill<'t>>,
}

/// A key that gets another name, and its value another value.
pub(super) struct Rename<'t> {
    pub(super) key: Node<'t>,
    pub(super) old: Node<'t>,
    pub(super) to: String,
    pub(super) value: Value,
}

/// A key whose null becomes a map.
pub(super) struct Fill<'t> {
    pub(super) key: Node<'t>,
    pub(super) null: Node<'t>,
    pub(super) entries: Vec<Entry>,
}
