//! The ConfigMaps, Secrets, ServiceAccounts and claims of the same output that a Job uses and that differ between the versions, and its rights. Then the Job
//! can behave differently although its own manifest is the same.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::{Path, Step, Value};
use kube_jobs::kubernetes::pod::{self, Needed, Reference};
use kube_jobs::kubernetes::{Difference, Object};
use lint::survey::generated_name::base;
use lint::survey::sync_order::{self, Moment};
use lint::survey::{ObjectState, Side};
use serde::Serialize;

use super::Runnable;
use super::rights::Rights;
use super::snapshot::Snapshot;

/// An object that a Job uses in both versions, and that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedUse {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its name in the old version, if it had a different one: both are generated.
    pub old_name: Option<String>,
    /// Whether the Job uses it only as volumes.
    pub is_mounted: bool,
    /// Whether it is a ConfigMap or a Secret.
    pub has_content: bool,
    /// What is different.
    pub change: Change,
    /// What of it a run sees.
    pub sees: Sees,
}

impl ChangedUse {
    /// The name without the hash of a generated name.
    pub fn base_name(&self) -> &str {
        let base = self.old_name.as_ref().and(self.name.rsplit_once('-'));
        base.map_or(&self.name, |(base, _)| base)
    }
}

/// How an object differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Only the new version has it.
    New,
    /// Only the old version has it.
    Gone,
    /// Of the parts that the Job uses, these differ. Empty if only a generated name differs.
    Parts(Vec<Part>),
}

/// A part of an object that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Part {
    /// A key of the data, or the path of a field.
    pub name: Box<str>,
    /// How the part differs.
    #[serde(rename = "what")]
    pub change: PartChange,
}

/// How a part of an object differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartChange {
    /// Both versions have it.
    Changed,
    /// Only the new version has it.
    New,
    /// Only the old version has it.
    Gone,
}

/// What a run sees of an object that changes in the same sync. It depends on which of them is applied first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sees {
    /// The new version.
    New,
    /// The old version in the first phase of the hook, and the new one in its last.
    OldAtFirst,
    /// What is in the cluster, the old version or one from elsewhere: the new one is applied only later.
    Old,
    /// Nothing: the object is created only later, and no pod starts without it.
    Nothing,
    /// Nothing: the object is created only later, and a pod starts without it.
    #[serde(rename = "nothing")]
    Optional,
}

/// The generated names that changed with the objects that a Job uses, the old one first.
pub struct Renamed<'u>(BTreeSet<(&'u str, &'u str)>);

impl<'u> Renamed<'u> {
    /// Collects the names from the changed objects that a Job uses.
    pub fn of(uses: &'u [ChangedUse]) -> Self {
        Self(uses.iter().filter_map(|found| Some((found.old_name.as_deref()?, found.name.as_str()))).collect())
    }

    /// Whether a difference of the Job is only such a name.
    pub fn explains(&self, difference: &Difference) -> bool {
        let names =
            difference.old.as_ref().and_then(Value::as_text).zip(difference.new.as_ref().and_then(Value::as_text));
        names.is_some_and(|names| self.0.contains(&names))
    }
}

/// The objects of two versions that Jobs can use.
pub(super) struct Uses<'v> {
    old: Objects<'v>,
    new: Objects<'v>,
    old_rights: Rights<'v>,
    rights: Rights<'v>,
}

/// What is used, and its namespace and name.
type Key<'v> = (Needed, &'v str, &'v str);

/// The objects of one version.
struct Objects<'v> {
    version: Snapshot<'v>,
    /// The last object of each key: Argo CD takes the last of two with one name.
    by_key: BTreeMap<Key<'v>, &'v ObjectState>,
}

/// The kinds whose objects are compared.
const KINDS: [Needed; 4] = [Needed::ConfigMap, Needed::PersistentVolumeClaim, Needed::Secret, Needed::ServiceAccount];

impl<'v> Objects<'v> {
    fn of(version: Snapshot<'v>) -> Self {
        let survey = version.survey;
        let keyed = |state: &'v ObjectState| {
            let object = state.object();
            let needed = KINDS.into_iter().find(|needed| needed.kind() == object.kind())?;
            let is_meant = object.group().is_empty() && sync_order::first(object).is_some();
            is_meant.then_some(((needed, survey.namespace(object), object.name()?), state))
        };
        Self { version, by_key: survey.on(Side::Emitted).filter_map(|(_, state)| keyed(state)).collect() }
    }

    /// The object of this name in the namespace of a Job.
    fn find(&self, job: &Object, needed: Needed, name: &str) -> Option<&'v ObjectState> {
        self.by_key.get(&(needed, self.version.survey.namespace(job), name)).copied()
    }
}

/// How a Job uses an object: all its references to it together.
struct Used<'j> {
    /// The keys that get into a container; `None` means all of them.
    keys: Option<BTreeSet<&'j str>>,
    is_mounted: bool,
    is_optional: bool,
}

/// What a Job uses.
type AllUsed<'j> = BTreeMap<(Needed, &'j str), Used<'j>>;

fn used(job: &Object) -> AllUsed<'_> {
    let files = files(job);
    let mut found: AllUsed<'_> = BTreeMap::new();
    for reference in pod::references(job).into_iter().filter(|reference| KINDS.contains(&reference.needed)) {
        let is_mounted = reference.path.steps().contains(&Step::from("volumes"));
        let keys = keys(job, &reference, &files);
        let one = found.entry((reference.needed, reference.name)).or_insert(Used {
            keys: Some(BTreeSet::new()),
            is_mounted: true,
            is_optional: true,
        });
        one.keys = one.keys.take().zip(keys).map(|(mut known, more)| {
            known.extend(more);
            known
        });
        one.is_mounted &= is_mounted;
        one.is_optional &= reference.is_optional;
    }
    found
}

/// The single files that containers mount of each volume (`subPath`). A volume that a container mounts as a whole has none.
type Files<'j> = BTreeMap<&'j str, Option<Vec<&'j str>>>;

fn files(job: &Object) -> Files<'_> {
    let mut found: Files<'_> = BTreeMap::new();
    for container in pod::containers(job) {
        let mounts = container.value.at(&["volumeMounts"]).and_then(Value::as_list).unwrap_or(&[]);
        for mount in mounts {
            let Some(volume) = mount.text_at(&["name"]) else { continue };
            let file = mount.text_at(&["subPath"]).filter(|path| !path.is_empty() && !path.contains('/'));
            match (found.entry(volume).or_insert(Some(Vec::new())), file) {
                (Some(files), Some(file)) => files.push(file),
                (all, _) => *all = None,
            }
        }
    }
    found
}

/// The keys that a reference takes: the key of a variable, the `items` of a volume, or the files that are mounted from it; `None` if it takes all.
fn keys<'j>(job: &'j Object, reference: &Reference<'_>, files: &Files<'j>) -> Option<Vec<&'j str>> {
    let (_, around) = reference.path.steps().split_last()?;
    let at = |steps: &[Step]| job.value().at_path(&steps.iter().cloned().collect::<Path>());
    let source = at(around)?;
    if let Some(key) = source.text_at(&["key"]) {
        return Some(vec![key]);
    }
    if let Some(items) = source.at(&["items"]).and_then(Value::as_list).filter(|items| !items.is_empty()) {
        return Some(items.iter().filter_map(|item| item.text_at(&["key"])).collect());
    }
    let (_, volume) = around.split_last()?;
    let is_volume = matches!(volume, [.., Step::Key(list), Step::Item(_)] if list == "volumes");
    files.get(at(volume).filter(|_| is_volume)?.text_at(&["name"])?).cloned().flatten()
}

impl<'v> Uses<'v> {
    pub(super) fn of(old: Snapshot<'v>, new: Snapshot<'v>) -> Self {
        Self { old: Objects::of(old), new: Objects::of(new), old_rights: Rights::of(old), rights: Rights::of(new) }
    }

    /// What a Job uses in both versions and that differs.
    pub(super) fn changed(&self, before: Option<&Runnable>, now: &Runnable) -> Vec<ChangedUse> {
        let object = |version: Snapshot<'v>, job: &Runnable| version.emitted(job.object);
        let old = before.and_then(|before| object(self.old.version, before));
        let jobs = old.zip(object(self.new.version, now));
        let Some((old, new)) = jobs.map(|(old, new)| (old.object(), new.object())) else { return Vec::new() };
        let mut found = self.of_objects(old, new);
        found.extend(self.rights.changed(&self.old_rights, (old, new)));
        found
    }

    fn of_objects(&self, old: &Object, new: &Object) -> Vec<ChangedUse> {
        let (before, now) = (used(old), used(new));
        let generated = self.generated((old, new), (&before, &now));
        let mut found = Vec::new();
        for ((needed, name), used) in &now {
            let state = self.new.find(new, *needed, name);
            let old_name = generated.get(&(*needed, *name)).unwrap_or(name);
            let Some(earlier) = before.get(&(*needed, *old_name)) else { continue };
            let change = match (self.old.find(old, *needed, old_name), state) {
                (None, None) => continue,
                (None, Some(_)) => Change::New,
                (Some(_), None) => Change::Gone,
                (Some(old), Some(new)) => Change::Parts(parts(old, new, (earlier, used))),
            };
            let is_renamed = old_name != name;
            if change == Change::Parts(Vec::new()) && !is_renamed {
                continue;
            }
            found.push(ChangedUse {
                kind: needed.kind(),
                name: (*name).to_owned(),
                old_name: is_renamed.then(|| (*old_name).to_owned()),
                is_mounted: used.is_mounted,
                has_content: matches!(needed, Needed::ConfigMap | Needed::Secret),
                sees: state.map_or(Sees::New, |state| sees(new, state.object(), is_renamed, used.is_optional)),
                change,
            });
        }
        found
    }

    /// The generated names of the new version with the names of the old version that they replace. Only where this is certain: of one base name,
    /// exactly one object is only in the old version, and exactly one only in the new one.
    fn generated<'j>(
        &self,
        (old, new): (&Object, &Object),
        (before, now): (&AllUsed<'j>, &AllUsed<'j>),
    ) -> BTreeMap<(Needed, &'j str), &'j str> {
        let mut alike: BTreeMap<_, (Vec<&'j str>, Vec<&'j str>)> = BTreeMap::new();
        let versions = |(needed, name): (Needed, &str)| {
            (self.old.find(old, needed, name).is_some(), self.new.find(new, needed, name).is_some())
        };
        for key in before.keys().chain(now.keys()) {
            let Some(base) = base(key.1) else { continue };
            let found = alike.entry((key.0, base)).or_default();
            match versions(*key) {
                (true, false) if !now.contains_key(key) => found.0.push(key.1),
                (false, true) if !before.contains_key(key) => found.1.push(key.1),
                _ => {}
            }
        }
        let pair = |((needed, _), (old, new)): ((Needed, _), (Vec<&'j str>, Vec<&'j str>))| match (
            old.as_slice(),
            new.as_slice(),
        ) {
            ([old], [new]) => Some(((needed, *new), *old)),
            _ => None,
        };
        alike.into_iter().filter_map(pair).collect()
    }
}

/// The differing parts of an object that the Job uses in either version.
fn parts(old: &ObjectState, new: &ObjectState, (earlier, used): (&Used<'_>, &Used<'_>)) -> Vec<Part> {
    let is_used = |part: &str| match (&earlier.keys, &used.keys) {
        (Some(one), Some(other)) => one.contains(part) || other.contains(part),
        _ => true,
    };
    differing(old, new, is_used)
}

/// The parts of an object that differ.
pub(super) fn differing(old: &ObjectState, new: &ObjectState, is_used: impl Fn(&str) -> bool) -> Vec<Part> {
    let (before, now) = (by_name(old), by_name(new));
    let names: BTreeSet<&str> = before.keys().chain(now.keys()).copied().filter(|name| is_used(name)).collect();
    let change = |name: &str| match (before.get(name), now.get(name)) {
        (Some(old), Some(new)) => (old != new).then_some(PartChange::Changed),
        (None, _) => Some(PartChange::New),
        (_, None) => Some(PartChange::Gone),
    };
    names.into_iter().filter_map(|name| Some(Part { name: name.into(), change: change(name)? })).collect()
}

fn by_name(state: &ObjectState) -> BTreeMap<&str, &str> {
    state.parts.iter().map(|(name, digest)| (&**name, &**digest)).collect()
}

/// What a run sees of an object. `is_renamed` says that the cluster does not have it under this name.
pub(super) fn sees(job: &Object, object: &Object, is_renamed: bool, is_optional: bool) -> Sees {
    let at = |phase| Moment { phase, wave: job.wave() };
    let runs = sync_order::phases(job).unwrap_or_default();
    let (Some(first), Some(last)) = (runs.iter().copied().min().map(at), runs.iter().copied().max().map(at)) else {
        return Sees::New;
    };
    let Some(applied) = sync_order::first(object) else { return Sees::New };
    let is_created = is_renamed || object.is_hook() && object.is_deleted_after_success();
    match (applied > first, applied > last) {
        (false, _) => Sees::New,
        (true, _) if is_created && is_optional => Sees::Optional,
        (true, _) if is_created => Sees::Nothing,
        // Without `BeforeHookCreation` its last phase finds what the first one has created.
        (true, false) if job.is_new_each_time() => Sees::OldAtFirst,
        (true, _) => Sees::Old,
    }
}
