//! The roots that nothing declares: a chart with one of its value files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::Graph;
use crate::outcome::Read;
use crate::roots;
use crate::target::{InBase, Target};

impl Graph<'_> {
    /// The roots that nothing declares, for charts that print Applications and that no Application could be read with. Empty the second time.
    pub(crate) fn assumed_roots(&mut self, read: &[Read]) -> Result<Vec<Target>> {
        let mut next = Vec::new();
        if !self.assumed.is_empty() {
            return Ok(next);
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
            self.replaced.insert(number);
            for source in new {
                let of_base = old.iter().position(|other| other.place.file_name() == source.place.file_name());
                let in_base = match of_base.map(|index| old.remove(index)) {
                    Some(source) => InBase::As(Box::new(source)),
                    None if base.is_some() => InBase::Nowhere,
                    None => InBase::InItsFile,
                };
                next.push(Target::Application(Box::new(source), Arc::clone(&self.checkout), in_base));
            }
            next.extend(
                old.into_iter().map(|source| Target::ApplicationOfBase(Box::new(source), Arc::clone(&self.checkout))),
            );
        }
        self.assumed = (read.len()..read.len() + next.len()).collect();
        self.parents.resize(read.len() + next.len(), None);
        Ok(next)
    }
}
