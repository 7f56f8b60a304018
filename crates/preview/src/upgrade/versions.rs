//! The same manifests in two versions of Argo CD, each rendered with the helm and the kustomize of its version.

use std::collections::BTreeMap;

use goyaml::{Path, Tree, Value, split};
use kube_jobs::kubernetes::{Object, list};
use lint::survey::{Side, Survey};
use lint::{Analysis, Known};
use rewrite::version::Version;
use rewrite::{hash, settings};

use super::{Upgrade, behaviours};
use crate::analysis::{compare, report, snapshot};
use crate::{Comparison, Verdict, When};

/// What changes for the Jobs when Argo CD is upgraded from the version in the settings of `base` to that in the settings of `new`. Both are
/// analyzed as for [`compare`].
pub fn upgrade(new: &mut Analysis<'_>, base: &Analysis<'_>, known: Known) -> Result<Upgrade, settings::Error> {
    let mut comparison = compare(new, base, known)?;
    forget_old_failures(new, base, &mut comparison);
    let report = report(new);
    let old = base.version.settings.output.argocd_version;
    let behaviours = behaviours(old, snapshot(new, &report));
    Ok(Upgrade { comparison, behaviours, nulls: nulls(base.version, new.version) })
}

/// Takes the failure from each Job that is the same in `base`: it fails there, too.
fn forget_old_failures(new: &Analysis<'_>, base: &Analysis<'_>, comparison: &mut Comparison) {
    let key = |object: &Object, survey: &Survey<'_>| {
        (object.kind().to_owned(), survey.namespace(object).to_owned(), object.shown_name())
    };
    let objects = base.survey.on(Side::Emitted).map(|(_, state)| (key(state.object(), &base.survey), &state.compared));
    let before: BTreeMap<_, _> = objects.collect();
    for job in comparison.jobs.iter_mut().filter(|job| matches!(job.verdict.otherwise(), Verdict::Fails(_))) {
        let state = job.object.and_then(|object| new.survey.objects[object].on(Side::Emitted));
        if state.is_some_and(|state| before.get(&key(state.object(), &new.survey)) == Some(&&state.compared)) {
            job.verdict = Verdict::DoesNotRun { when: When::OnceForAll, changed: Vec::new() };
        }
    }
}

/// The objects that only gain or lose nulls, by their names.
fn nulls(old: &Version, new: &Version) -> Vec<String> {
    if old.manifests.iter().map(|manifest| &manifest.text).eq(new.manifests.iter().map(|manifest| &manifest.text)) {
        return Vec::new();
    }
    let [old, new] = [old, new].map(digests);
    let differs = |(name, now): (&String, &Digests)| {
        let before = old.get(name)?;
        (before.without_nulls == now.without_nulls && before.nulls != now.nulls).then(|| name.clone())
    };
    new.iter().filter_map(differs).collect()
}

/// What two versions of an object are compared by.
struct Digests {
    /// That of its entries that are not null.
    without_nulls: String,
    /// The paths of its entries that are null.
    nulls: Vec<Path>,
}

/// The paths of the nulls in a value.
fn paths_of_nulls(value: &Value) -> Vec<Path> {
    let (mut found, mut todo) = (Vec::new(), vec![(Path::default(), value)]);
    while let Some((path, value)) = todo.pop() {
        match value {
            Value::Null => found.push(path),
            Value::Map(map) => todo.extend(map.iter().map(|(key, value)| (path.with(key.as_str()), value))),
            Value::List(items) => todo.extend(items.iter().enumerate().map(|(index, item)| (path.with(index), item))),
            _ => {}
        }
    }
    found
}

/// The digests of all objects that can be read, by kind, namespace and name; of several with one name the last.
fn digests(version: &Version) -> BTreeMap<String, Digests> {
    let mut found = BTreeMap::new();
    let mut tree = Tree::default();
    for text in version.manifests.iter().map(|manifest| &manifest.text) {
        let pieces = split::split(text);
        for piece in (0..pieces.len()).map(|index| pieces.span(index).of(text)) {
            let Ok(document) = tree.read(piece) else { continue };
            for value in list::objects(document).into_iter().filter_map(|(_, node)| node.value().ok()) {
                let digests = Digests { without_nulls: hash::short_of(&value), nulls: paths_of_nulls(&value) };
                let object = Object::new(value);
                let namespace = object.namespace().map_or_else(String::new, |namespace| format!("{namespace}/"));
                let name = object.shown_name().unwrap_or_default();
                found.insert(format!("{} {namespace}{name}", object.kind()), digests);
            }
        }
    }
    found
}
