//! Finds entries of large maps and items of large lists without a scan from the beginning, for documents in which many paths are followed.

use std::collections::BTreeMap;

use super::node::Node;
use super::path::{Path, Step};
use super::tree::NodeId;

/// The children of the large maps and lists of one document. Each is indexed at its first use.
#[derive(Debug, Default)]
pub struct NodeIndex {
    /// The keys and values of each map, sorted by the text of the key and then by position.
    maps: BTreeMap<NodeId, Vec<(NodeId, NodeId)>>,
    /// The items of each list.
    lists: BTreeMap<NodeId, Vec<NodeId>>,
}

/// Maps and lists with fewer nodes than this are scanned from the beginning.
const LARGE: usize = 64;

impl NodeIndex {
    /// As [`Node::follow`]. All nodes must be of one document.
    pub fn follow<'t>(&mut self, from: Node<'t>, path: &Path) -> (Node<'t>, usize) {
        let mut node = from;
        for (depth, step) in path.steps().iter().enumerate() {
            let Some(next) = self.child(node, step) else { return (node, depth) };
            node = next;
        }
        (node, path.steps().len())
    }

    /// The key of a map with this text. Of equal keys the last one counts; merged maps are ignored.
    pub fn key<'t>(&mut self, map: Node<'t>, text: &str) -> Option<Node<'t>> {
        if !map.is_map() || map.size() < LARGE {
            return map.entries().filter(|(key, _)| key.is_key(text)).last().map(|(key, _)| key);
        }
        self.entry(map, text).map(|(key, _)| key)
    }

    fn child<'t>(&mut self, node: Node<'t>, step: &Step) -> Option<Node<'t>> {
        match step {
            Step::Item(index) if node.is_list() && node.size() >= LARGE => {
                let items = self.lists.entry(node.id()).or_insert_with(|| node.items().map(Node::id).collect());
                items.get(*index).map(|id| node.document().node(*id).target())
            }
            // With merge keys the order counts, so such a document is scanned.
            Step::Key(key)
                if node.target().is_map() && node.target().size() >= LARGE && !node.document().has_merges() =>
            {
                self.entry(node.target(), key).map(|(_, value)| value.target())
            }
            _ => node.child(step),
        }
    }

    fn entry<'t>(&mut self, map: Node<'t>, text: &str) -> Option<(Node<'t>, Node<'t>)> {
        let document = map.document();
        let content = |key: NodeId| document.node(key).target().content();
        let entries = self.maps.entry(map.id()).or_insert_with(|| {
            let mut entries: Vec<(NodeId, NodeId)> = map.entries().map(|(key, value)| (key.id(), value.id())).collect();
            entries.sort_by(|(one, _), (other, _)| content(*one).cmp(content(*other)).then(one.cmp(other)));
            entries
        });
        let end = entries.partition_point(|(key, _)| content(*key) <= text);
        let same = entries[..end].iter().rev().take_while(|(key, _)| content(*key) == text);
        let nodes = same.map(|(key, value)| (document.node(*key), document.node(*value)));
        nodes.into_iter().find(|(key, _)| key.is_key(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tree, path};

    #[test]
    fn paths_lead_where_they_lead_without_it() {
        let keys: String = (0..100).map(|key| format!("  k{}: {{x: {key}}}\n", key % 70)).collect();
        let items: String = (0..100).map(|item| format!("  - {item}\n")).collect();
        for merge in ["", "  <<: {k1: merged}\n"] {
            let text = format!("a:\n{keys}{merge}  1: number\n  \"1\": text\nb:\n{items}c: {{d: e}}\n");
            let mut tree = Tree::default();
            let root = tree.read(&text).unwrap().root().unwrap();
            let mut index = NodeIndex::default();
            let paths = [
                path![],
                path!["a", "k1"],
                path!["a", "k1", "x"],
                path!["a", "k69", "y"],
                path!["a", "1"],
                path!["a", "none"],
                path!["a", 1],
                path!["b", 99],
                path!["b", 100],
                path!["b", "x"],
                path!["c", "d"],
            ];
            for path in &paths {
                assert_eq!(index.follow(root, path), root.follow(path), "{path}");
            }
            let map = root.get("a").unwrap();
            let key = |text: &str| map.entries().filter(|(key, _)| key.is_key(text)).last().map(|(key, _)| key);
            for text in ["k1", "k69", "1", "none"] {
                assert_eq!(index.key(map, text), key(text), "{text}");
            }
        }
    }
}
