//! Measures how many bytes the aliases of a document expand to, while the document is read and without expanding them.
//!
//! ```yaml
//! a: &a text      # not counted
//! b: [*a, *a]     # counted twice
//! ```
//!
//! go-yaml limits the number of nodes that come from aliases, but not their bytes (`allowedAliasRatio` in `decode.go`): two thousand aliases to one
//! text of 100 KB are only 4,000 nodes, but 200 MB.

use super::SyntaxError;

/// How many bytes of memory the aliases of one document may expand to. `check --base` needs up to nine times this, which must fit into 64 MiB.
pub const MAX: u64 = 6 << 20;

/// The memory of one node in bytes, without its text and children.
const NODE: u64 = 64;

/// The error for the alias at the byte `offset`, which exceeds the limit.
pub(super) fn too_much(offset: usize) -> SyntaxError {
    let message = format!("with this alias, aliases expand to more than {} MiB", MAX >> 20);
    SyntaxError::new(offset, message).with_help("write the value itself in place of the alias").of_a_limit()
}

/// Adds up the sizes of the nodes in document order, with aliases expanded. Compact, because a document can have half a million anchors.
#[derive(Default)]
pub(super) struct Scale {
    /// The bytes of all nodes so far.
    all: u64,
    /// The lists and maps with an anchor that have not ended: the node's number, and the bytes of all nodes before it.
    open: Vec<(u32, u64)>,
    /// The nodes with an anchor, sorted by number, with their size in bytes: 0 until the node has ended, and at most `u32::MAX`, which is
    /// above every limit.
    anchored: Vec<(u32, u32)>,
}

impl Scale {
    /// Adds a scalar with `length` bytes of text. `anchored` is its number if it has an anchor; numbers only grow.
    pub(super) fn scalar(&mut self, anchored: Option<u32>, length: usize) {
        let size = NODE + length as u64;
        self.all = self.all.saturating_add(size);
        self.anchored.extend(anchored.map(|id| (id, capped(size))));
    }

    /// Begins a list or a map. `anchored` is its number if it has an anchor.
    pub(super) fn start(&mut self, anchored: Option<u32>) {
        self.open.extend(anchored.map(|id| (id, self.all)));
        self.anchored.extend(anchored.map(|id| (id, 0)));
        self.all = self.all.saturating_add(NODE);
    }

    /// Ends the list or map with the number `id`.
    pub(super) fn end(&mut self, id: u32) {
        let Some((_, before)) = self.open.pop_if(|(last, _)| *last == id) else { return };
        let size = capped(self.all - before);
        if let Ok(at) = self.find(id) {
            self.anchored[at].1 = size;
        }
    }

    /// Adds an alias and returns the size of its target in bytes. The size is 0 for an alias inside its own target, which the decoder refuses.
    pub(super) fn alias(&mut self, target: u32) -> u64 {
        // The target is always known; if it were not, the alias would exceed every limit.
        let size = self.find(target).map_or(u64::MAX, |at| self.anchored[at].1.into());
        self.all = self.all.saturating_add(size);
        size
    }

    fn find(&self, id: u32) -> Result<usize, usize> {
        self.anchored.binary_search_by_key(&id, |(id, _)| *id)
    }
}

fn capped(bytes: u64) -> u32 {
    bytes.try_into().unwrap_or(u32::MAX)
}

/// Whether too many of the decoded nodes come from aliases (`allowedAliasRatio` in `decode.go`).
pub(super) fn is_bomb(through_alias: usize, decoded: usize) -> bool {
    const LOW: usize = 400_000;
    const HIGH: usize = 4_000_000;
    let allowed = match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        count => 0.99 - 0.89 * ((count - LOW) as f64 / (HIGH - LOW) as f64),
    };
    through_alias > 100 && decoded > 1000 && through_alias as f64 / decoded as f64 > allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Tree};

    /// How many bytes the aliases of a text expand to, or the offset of the alias that exceeds the limit.
    fn of(text: &str) -> Result<u64, usize> {
        Tree::default().read(text).map(Document::expansion).map_err(|error| error.offset)
    }

    #[test]
    fn the_more_nodes_the_fewer_of_them_may_come_from_aliases() {
        for (through_alias, decoded, expected) in [
            (1000, 1000, false),
            (1001, 1001, true),
            (100, 1001, false),
            (9900, 10_000, false),
            (9901, 10_000, true),
            (396_000, 400_000, false),
            (396_001, 400_000, true),
            // Halfway between the limits, 54.5 % are allowed.
            (1_198_000, 2_200_000, false),
            (1_200_000, 2_200_000, true),
            (400_000, 4_000_000, false),
            (400_001, 4_000_000, true),
            (500_001, 5_000_000, true),
        ] {
            assert_eq!(is_bomb(through_alias, decoded), expected, "{through_alias} of {decoded}");
        }
    }

    #[test]
    fn each_alias_counts_what_it_stands_for() {
        let one = |text| of(text).unwrap();
        assert_eq!(one("a: [b, c]\n"), 0);
        assert_eq!(one("a: &a 12345\nb: *a\n"), NODE + 5);
        assert_eq!(one("a: &a {k: v}\nb: *a\nc: {<<: *a}\n"), 2 * (NODE + 2 * (NODE + 1)));
        let inner = NODE + 1;
        let outer = NODE + 2 * inner;
        assert_eq!(one("a: &a x\nb: &b [*a, *a]\nc: *b\n"), 2 * inner + outer);
        assert_eq!(one("a: &a [*a]\n"), 0);
    }

    #[test]
    fn the_alias_with_which_it_is_too_much_is_named() {
        let text = |length: u64| format!("a: &a {}\nb: *a\nc: *a\n", "x".repeat(length as usize));
        let most = MAX / 2 - NODE;
        assert_eq!(of(&text(most)), Ok(MAX));
        assert_eq!(of(&text(most + 1)).err(), Some(most as usize + 17));
    }

    #[test]
    fn a_bomb_is_refused_at_once_whatever_the_tree_allows() {
        let mut bomb = "a0: &a0 x\n".to_owned();
        for level in 1..200 {
            bomb += &format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
        }
        let error = Tree::default().read(&bomb).map(drop).unwrap_err();
        assert_eq!(error.message, "with this alias, aliases expand to more than 6 MiB");
        assert_eq!(error.by, crate::RefusedBy::Limit);
    }
}
