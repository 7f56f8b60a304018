//! What of an object differs at every rendering.

use super::{Side, Survey};
use crate::hash;
use crate::text::{Place, Span};
use crate::yaml::{Path, Step, Value};

/// Which part of a Job differs at every rendering; the last one decides more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Random {
    /// What Kubernetes lets change, such as an annotation.
    Changeable,
    /// A field that is immutable.
    Content,
    /// The name.
    Name,
}

impl Survey<'_> {
    /// The bytes of an object that differ at every rendering.
    pub fn random_bytes(&self, object: usize) -> &[Span] {
        let Some(address) = self.objects[object].address else { return &[] };
        let manifest = &self.manifests[address.manifest];
        match manifest.random_in(address.piece) {
            [_, ..] if address.item.is_some() => manifest.random_in(self.locate(address, &Path::default()).span),
            random => random,
        }
    }

    /// The values of a Job that differ at every rendering: their paths, the one that decides most first.
    pub fn random_values(&self, object: usize) -> Vec<(Random, Path)> {
        let (random, address) = (self.random_bytes(object), self.objects[object].address);
        let job = self.objects[object].on(Side::Written).and_then(|state| state.job());
        let (Some(job), Some(address), [_, ..]) = (job, address, random) else { return Vec::new() };
        let is_random = |path: &Path| {
            let span = self.locate(address, path).span;
            random.iter().any(|random| random.start < span.end && span.start < random.end)
        };
        let mut paths = Vec::new();
        leaves(job.value(), &mut Vec::new(), &mut paths);
        let mut found: Vec<_> = paths.into_iter().filter(is_random).map(|path| (of(&path), path)).collect();
        if found.is_empty() {
            // A key, or how many there are.
            found.push((Random::Content, Path::default()));
        }
        found.sort_by_key(|(random, _)| std::cmp::Reverse(*random));
        found
    }

    /// The part of a Job that differs at every rendering and decides most, and where it is; none if it is the same each time.
    pub fn random(&self, object: usize) -> Option<(Random, Option<Place>)> {
        let (random, path) = self.random_values(object).into_iter().next()?;
        Some((random, self.place(object, &path)))
    }

    /// Whether the name of a Job differs at every rendering.
    pub fn has_random_name(&self, object: usize) -> bool {
        self.random(object).is_some_and(|(random, _)| random == Random::Name)
    }
}

fn of(path: &Path) -> Random {
    match path.steps() {
        [Step::Key(metadata), Step::Key(name)]
            if metadata == "metadata" && (name == "name" || name == "generateName") =>
        {
            Random::Name
        }
        _ if hash::covers(path) => Random::Content,
        _ => Random::Changeable,
    }
}

/// Adds the paths of all values that have no others in them.
fn leaves(value: &Value, at: &mut Vec<Step>, found: &mut Vec<Path>) {
    let mut below = |step: Step, value: &Value| {
        at.push(step);
        leaves(value, at, found);
        at.pop();
    };
    match value {
        Value::Map(map) => map.iter().for_each(|(key, value)| below(Step::Key(key.as_str().into()), value)),
        Value::List(list) => list.iter().enumerate().for_each(|(index, value)| below(Step::Item(index), value)),
        _ => found.push(at.iter().cloned().collect()),
    }
}
