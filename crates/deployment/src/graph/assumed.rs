//! The roots that nothing declares: a chart with one of its value files. And the charts that could be one with values that are unknown here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use super::{Graph, Node};
use crate::outcome::Read;
use crate::pair::Pair;
use crate::paths::real;
use crate::target::Target;
use crate::{roots, value_sets};

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
            let named = value_sets::named_for(folder, self.run)?;
            let new = roots::of_chart(folder, &named, &self.checkout);
            let of_chart = |base| Some(roots::of_chart(&roots::in_base(folder, &self.checkout, base)?, &named, base));
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

    /// Says of each chart that nobody deploys, and whose templates make Applications that none of the known values give, that these are unknown.
    pub(crate) fn tell_silent_roots(&mut self, read: &mut [Read]) {
        self.nodes.resize(read.len(), Node::default());
        let dir = |one: &Read| real(&one.target.path());
        let is_deployed = |(number, one): &(usize, &Read)| match self.nodes[*number].is_assumed {
            true => self.nodes[*number].is_root,
            false => one.target.is_application(),
        };
        let deployed: BTreeSet<PathBuf> =
            read.iter().enumerate().filter(is_deployed).map(|(_, one)| dir(one)).collect();
        let is_silent = |(number, one): &(usize, &Read)| {
            let is_quiet = !self.nodes[*number].is_root && !deployed.contains(&dir(one));
            is_quiet && roots::can_make_applications(&one.target)
        };
        let silent: Vec<usize> = read.iter().enumerate().filter(is_silent).map(|(number, _)| number).collect();
        for own in silent {
            // Its value files take its place.
            let is_instead = |other: &usize| self.nodes[*other].is_assumed && dir(&read[*other]) == dir(&read[own]);
            let instead = (0..read.len()).find(is_instead).filter(|_| self.nodes[own].is_replaced);
            let number = instead.unwrap_or(own);
            // A source that is not read has a reason of its own.
            if read[number].new.is_ok() && !self.nodes[number].is_silent {
                self.nodes[number].is_silent = true;
                read[number].unseen.push(roots::silent());
                // A change anywhere can be one of its Applications.
                read[number].unseen_changed = None;
            }
        }
    }
}
