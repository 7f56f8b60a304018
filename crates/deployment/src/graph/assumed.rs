//! The roots that nothing declares: a chart with one of its value files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::{Graph, Node};
use crate::outcome::Read;
use crate::pair::Pair;
use crate::roots;
use crate::target::Target;

impl Graph<'_> {
    /// The roots that nothing declares, for charts that print Applications and that no Application could be read with. Empty the second time.
    pub(crate) fn assumed_roots(&mut self, read: &[Read]) -> Result<Vec<Target>> {
        let mut pairs = Vec::new();
        if self.nodes.iter().any(|node| node.is_assumed) {
            return Ok(Vec::new());
        }
        let used: BTreeSet<&Path> = read
            .iter()
            .filter(|one| one.failure().is_none())
            .filter_map(|one| one.target.source()?.dir_here())
            .collect();
        for (number, one) in read.iter().enumerate() {
            let Some(folder) = roots::candidate(&one.target) else { continue };
            let base = self.base_checkout()?;
            let new = roots::of_chart(folder, &self.checkout);
            let of_chart = |base| Some(roots::of_chart(&roots::in_base(folder, &self.checkout, base)?, base));
            let mut old = base.as_deref().and_then(of_chart).unwrap_or_default();
            if new.first().or(old.first()).is_none_or(|source| used.contains(source.dir.as_path())) {
                continue;
            }
            self.nodes[number].is_replaced = true;
            for source in new {
                let of_base = old.iter().position(|other| other.place.file_name() == source.place.file_name());
                pairs.push(match of_base.map(|index| old.remove(index)) {
                    Some(old) => Pair::both(source, old),
                    None if base.is_some() => Pair::new(source),
                    None => Pair::single(source),
                });
            }
            pairs.extend(old.into_iter().map(|source| Pair::Old(Box::new(source))));
        }
        self.nodes.resize(read.len() + pairs.len(), Node { is_assumed: true, ..Node::default() });
        Ok(pairs.into_iter().map(|pair| Target::Application(pair, Arc::clone(&self.checkout))).collect())
    }
}
