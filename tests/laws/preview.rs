//! A preview agrees with the output of `generate`: it has the same Jobs by name, and every object in its phase.

use std::collections::BTreeMap;

use kube_jobs::kubernetes::Object;
use lint::survey::sync_order;
use serde_json::Value as Json;

use super::seen::{self, Seen};

/// The first difference between preview and output; `None` when one of them was refused.
pub(crate) fn differs(seen: &Seen) -> Option<String> {
    let (preview, objects) = (seen.preview()?, seen::objects_of(seen.stream.as_deref()?));
    names_differ(&preview, &objects).or_else(|| order_differs(&preview, &objects))
}

/// Compares the names of Jobs in the preview with those in the output, including how often each occurs.
fn names_differ(preview: &Json, objects: &[Object]) -> Option<String> {
    let mut told: Vec<String> = preview["rows"]
        .as_array()?
        .iter()
        .filter(|row| row["kind"] == "Job" && row["group"] == "batch")
        .map(|row| row["newName"].as_str().or(row["name"].as_str()).unwrap().to_owned())
        .collect();
    let mut printed: Vec<String> = objects.iter().filter(|object| object.is_job()).map(seen::name_of).collect();
    told.sort();
    printed.sort();
    (told != printed).then(|| format!("Jobs {told:?} in the preview, {printed:?} in the output"))
}

/// Checks that the order has every object of the output once for each of its phases; a Job without a phase must have a
/// row without one.
fn order_differs(preview: &Json, objects: &[Object]) -> Option<String> {
    let mut left: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        // When two Jobs have the same name, the last one is applied.
        let is_last = !objects[index + 1..].iter().any(|other| is_of_the_name(object, other));
        let phases = sync_order::phases(object).ok().filter(|_| is_last);
        let none = if object.is_job() { vec!["none"] } else { Vec::new() };
        let phases: Vec<&str> = phases.map_or(none, |phases| phases.into_iter().map(|phase| phase.as_str()).collect());
        for phase in phases {
            *left.entry((phase.to_owned(), object.kind().to_owned(), seen::name_of(object))).or_default() += 1;
        }
    }
    let mut told: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut tell = |phase: &str, object: &Json| {
        let text = |key: &str| object[key].as_str().unwrap().trim_end_matches('…').to_owned();
        *told.entry((phase.to_owned(), text("kind"), text("name"))).or_default() += 1;
    };
    for step in preview["order"].as_array()? {
        step["objects"].as_array()?.iter().for_each(|object| tell(step["phase"].as_str().unwrap(), object));
    }
    let rows = preview["rows"].as_array()?.iter();
    let is_absent = |row: &&Json| row["kind"] == "Job" && row["group"] == "batch" && row["moment"].is_null();
    rows.filter(is_absent).for_each(|row| tell("none", row));
    let left: BTreeMap<_, _> = left
        .into_iter()
        .map(|((phase, kind, name), count)| ((phase, kind, name.trim_end_matches('…').to_owned()), count))
        .collect();
    (left != told).then(|| format!("in the output {left:?}\nin the preview {told:?}"))
}

fn is_of_the_name(one: &Object, other: &Object) -> bool {
    let key = |object: &Object| (object.namespace().map(ToOwned::to_owned), object.name().map(ToOwned::to_owned));
    one.is_job() && other.is_job() && one.name().is_some() && key(one) == key(other)
}
