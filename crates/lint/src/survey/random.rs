//! Finds values of an object that differ at every rendering.

use goyaml::{Path, Step, Value};
use kube_jobs::kubernetes::{Job, Object, pod};
use rewrite::hash;
use rewrite::manifest::Differing;
use rewrite::settings::HashReferences;
use rewrite::strategy::Strategy;
use text::Span;

use super::{Side, Survey};

/// The part of a Job that differs at every rendering. Later variants have more effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Random {
    /// A field that the API server lets change, such as an annotation.
    Changeable,
    /// An immutable field.
    Content,
    /// The name.
    Name,
}

/// A value of a Job that differs at every rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomValue {
    /// The part of the Job that the value belongs to.
    pub part: Random,
    /// The index of the object with the value: the Job, or a ConfigMap or Secret whose data is part of the Job's hash.
    pub object: usize,
    /// The path of the value in the Job. Empty if it is unknown, or if the value is in another object.
    pub path: Path,
    /// Whether the value differs only from day to day.
    pub is_dated: bool,
}

impl Survey<'_> {
    /// The bytes of an object that differ at every rendering.
    pub fn differing(&self, object: usize) -> &[Differing] {
        let Some(address) = self.objects[object].address else { return &[] };
        let manifest = &self.manifests[address.manifest];
        match manifest.random_in(address.piece) {
            [_, ..] if address.item.is_some() => manifest.random_in(self.locate(address, &Path::default()).span),
            random => random,
        }
    }

    /// The values of a Job that differ at every rendering. Those with more effect come first.
    pub fn random_values(&self, object: usize) -> Vec<RandomValue> {
        let (random, address) = (self.differing(object), self.objects[object].address);
        let job = self.objects[object].on(Side::Written).and_then(|state| state.job());
        let (Some(job), Some(address)) = (job, address) else { return Vec::new() };
        let referenced = self.random_reference(object, job);
        let Some(first) = random.first() else { return referenced.into_iter().collect() };
        let value = |path: Path| {
            let span = self.locate(address, &path).span;
            let is_in = |random: &&Differing| random.span.start < span.end && span.start < random.span.end;
            let is_dated = random.iter().find(is_in)?.is_dated;
            Some(RandomValue { part: of(&path), object, path, is_dated })
        };
        let mut paths = Vec::new();
        leaves(job.value(), &mut Vec::new(), &mut paths);
        let mut found: Vec<_> = paths.into_iter().filter_map(value).collect();
        if found.is_empty() {
            // The difference is in a key, or in the number of items.
            found.push(RandomValue { part: Random::Content, object, path: Path::default(), is_dated: first.is_dated });
        }
        found.extend(referenced);
        found.sort_by_key(|value| (std::cmp::Reverse(value.part), value.is_dated));
        found
    }

    /// A ConfigMap or Secret that differs at every rendering, and whose data is part of the Job's hash (`hash-references`).
    fn random_reference(&self, object: usize, job: &Job) -> Option<RandomValue> {
        let is_hashed =
            matches!(self.job(object)?.outcome.decision.strategy, Strategy::HashName | Strategy::GenerateName);
        let is_any_random = self.manifests.iter().any(|one| !one.random_in(Span::new(0, one.text.len())).is_empty());
        if !is_hashed || self.source(object).output.hash_references == HashReferences::No || !is_any_random {
            return None;
        }
        let references = pod::references(job);
        let is_referenced = |other: &Object| {
            let is_it =
                |found: &pod::Reference<'_>| found.needed.kind() == other.kind() && Some(found.name) == other.name();
            self.namespace(other) == self.namespace(job)
                && references.iter().any(|found| found.is_content && is_it(found))
        };
        self.on(Side::Written).find_map(|(index, other)| {
            let random =
                Some(self.differing(index)).filter(|random| !random.is_empty() && is_referenced(other.object()))?;
            let is_dated = random.iter().all(|random| random.is_dated);
            Some(RandomValue { part: Random::Content, object: index, path: Path::default(), is_dated })
        })
    }

    /// How the name of an object of any kind differs at every rendering. None if it is always the same.
    pub fn random_name(&self, object: usize) -> Option<&Differing> {
        let random = self.differing(object);
        let address = self.objects[object].address.filter(|_| !random.is_empty())?;
        self.objects[object].on(Side::Written)?.object().name()?;
        let span = self.locate(address, &Path::of_keys(&["metadata", "name"])).span;
        random.iter().find(|random| random.span.start < span.end && span.start < random.span.end)
    }

    /// The part of a Job with the most effect that differs at every rendering. None if the Job is always the same.
    pub fn random(&self, object: usize) -> Option<Random> {
        Some(self.random_values(object).first()?.part)
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

/// Adds the paths of all values other than maps and lists.
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
