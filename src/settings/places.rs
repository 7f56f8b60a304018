//! Places in the config file: its reader knows values, the YAML layer knows where they stand.

use std::collections::HashSet;
use std::path::PathBuf;

use super::CONFIG_FILE;
use crate::text::{LineColumn, Origin, Place};
use crate::yaml::Tree;
use crate::yaml::tree::{Kind, NodeId};

/// One step from a value to one inside it.
#[derive(Clone, Debug)]
pub(super) enum Step<'s> {
    /// The value of this key.
    Key(&'s str),
    /// The key itself; the last step.
    Name(&'s str),
    /// This item of a list.
    Item(usize),
}

/// The text of the config file and what stands where in it.
pub(super) struct Places<'t> {
    pub(super) text: &'t str,
    pub(super) tree: Tree,
}

impl Places<'_> {
    /// Where the value at the end of the path stands, or what is nearest to it.
    pub(super) fn find(&self, path: &[Step<'_>]) -> Place {
        let Some(mut node) = self.tree.root() else { return at(self.text, 0) };
        for step in path {
            let Some(next) = self.step(node, step) else { break };
            node = next;
        }
        at(self.text, self.tree.span(node).start)
    }

    /// The first key that stands in one map twice.
    pub(super) fn second_of_a_key(&self) -> Option<(Place, String)> {
        self.tree.ids().filter(|id| matches!(self.tree.kind(*id), Kind::Mapping(_))).find_map(|map| {
            let mut seen = HashSet::new();
            let key = self.tree.entries(map).map(|(key, _)| key).find(|key| !seen.insert(self.content(*key)))?;
            Some((at(self.text, self.tree.span(key).start), self.content(key).to_owned()))
        })
    }

    /// Where another document begins.
    pub(super) fn second_document(&self) -> Option<Place> {
        let end = self.tree.span(self.tree.root()?).end;
        let mut offset = end;
        for line in self.text[end..].split_inclusive('\n') {
            if line.starts_with("---") && offset > 0 {
                return Some(at(self.text, offset));
            }
            offset += line.len();
        }
        None
    }

    fn content(&self, key: NodeId) -> &str {
        self.tree.content(self.tree.target(key), self.text)
    }

    fn step(&self, node: NodeId, step: &Step<'_>) -> Option<NodeId> {
        let node = self.tree.target(node);
        match step {
            Step::Item(index) => {
                matches!(self.tree.kind(node), Kind::Sequence(_)).then(|| self.tree.children(node).nth(*index))?
            }
            Step::Key(key) | Step::Name(key) => {
                if !matches!(self.tree.kind(node), Kind::Mapping(_)) {
                    return None;
                }
                let (name, value) = self.tree.entries(node).find(|(name, _)| self.content(*name) == *key)?;
                Some(if matches!(step, Step::Name(_)) { name } else { value })
            }
        }
    }
}

/// The place of a byte of the config file.
pub(super) fn at(text: &str, offset: usize) -> Place {
    placed(LineColumn::of(text.as_bytes(), offset))
}

/// A place in the config file.
pub(super) fn placed(at: LineColumn) -> Place {
    Place { origin: Origin::File(PathBuf::from(CONFIG_FILE)), at }
}
