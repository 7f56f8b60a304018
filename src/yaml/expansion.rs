//! How much the aliases of a document expand to, found without following them.
//!
//! ```yaml
//! a: &a text      # not counted
//! b: [*a, *a]     # counted twice
//! ```
//!
//! go-yaml limits how many nodes come from aliases, not how many bytes (`allowedAliasRatio` in `decode.go`): two thousand aliases to
//! one text of 100 KB are 4,000 nodes and 200 MB.

use std::collections::HashMap;

use super::node::{Document, Node};
use super::tree::{Kind, NodeId};

/// The memory of one node in bytes, without its text or its children.
const NODE: u64 = 64;

/// What the aliases of one document expand to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Bytes of memory in all, approximately.
    pub size: u64,
    /// Byte offset of the alias that exceeds the limit.
    pub excess: Option<usize>,
}

/// What the aliases of a document expand to, and which one exceeds `limit`. Visits each node once.
pub fn expansion(document: Document<'_>, limit: u64) -> Expansion {
    let total = Expansion { size: 0, excess: None };
    let mut scale = Scale { limit, anchored: HashMap::new(), total };
    if let Some(root) = document.root() {
        scale.weigh(root);
    }
    scale.total
}

/// False when there is certainly no alias in `text`; looks for characters only.
pub fn may_have_aliases(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_name =
        |at: usize| bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || b"-_".contains(next));
    memchr::memchr(b'&', bytes).is_some() && memchr::memchr_iter(b'*', bytes).any(is_name)
}

struct Scale {
    limit: u64,
    /// The sizes of the values that have an anchor, aliases in them followed.
    anchored: HashMap<NodeId, u64>,
    total: Expansion,
}

impl Scale {
    /// The size of a node with its aliases followed, in bytes. Recursion ends where the parser ends it.
    fn weigh(&mut self, node: Node<'_>) -> u64 {
        let size = match node.kind() {
            Kind::Alias => return self.follow(node),
            Kind::Scalar(_) => NODE + node.content().len() as u64,
            Kind::Sequence(_) | Kind::Mapping(_) => self.children(node).saturating_add(NODE),
        };
        if node.has_properties() {
            self.anchored.insert(node.id(), size);
        }
        size
    }

    fn children(&mut self, node: Node<'_>) -> u64 {
        node.children().fold(0, |size: u64, child| size.saturating_add(self.weigh(child)))
    }

    fn follow(&mut self, alias: Node<'_>) -> u64 {
        // An alias inside the value of its own anchor has no size yet; the decoder refuses it.
        let size = self.anchored.get(&alias.target().id()).copied().unwrap_or(0);
        self.total.size = self.total.size.saturating_add(size);
        if self.total.size > self.limit && self.total.excess.is_none() {
            self.total.excess = Some(alias.span().start);
        }
        size
    }
}

/// `allowedAliasRatio` in `decode.go`: whether too many of the decoded nodes come from aliases.
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
    use crate::yaml::Tree;

    fn of(text: &str, limit: u64) -> Expansion {
        expansion(Tree::default().read(text).unwrap(), limit)
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
            // In the middle, 54.5 %.
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
        let one = |text| of(text, u64::MAX).size;
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
        let text = "a: &a 12345\nb: *a\nc: *a\n";
        assert_eq!(of(text, 2 * (NODE + 5)).excess, None);
        assert_eq!(of(text, 2 * (NODE + 5) - 1).excess, text.find("*a\n").map(|first| first + 6));
    }

    #[test]
    fn a_bomb_is_measured_at_once() {
        let mut bomb = "a0: &a0 x\n".to_owned();
        for level in 1..200 {
            bomb += &format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
        }
        assert_eq!(of(&bomb, 1 << 20).size, u64::MAX);
    }

    #[test]
    fn a_text_without_anchor_or_alias_is_known_by_its_characters() {
        for text in ["a: &a b\nc: *a\n", "a: &1 b\nc: [*1]\n", "&_ a: *_"] {
            assert!(may_have_aliases(text), "{text}");
        }
        for text in ["a: b\n", "a: x && y\nschedule: \"* * * * */5\"\n", "a: '**'\nb: '&'\n", "c: *x\n"] {
            assert!(!may_have_aliases(text), "{text}");
        }
    }
}
