//! Laws of `check --fix` that must hold for every input.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::{Tree, Value, split};
use kube_jobs::kubernetes::list;
use lint::Finding;
use lint::fix::{Fixed, Safety};
use rewrite::version::Version;

use crate::support::fixing::{fix, open, read};
use crate::support::inputs::{self, Input, hold_for_all};

/// The objects of a text, each with the index of its document and of its item in a list. Unreadable documents are
/// left out.
fn objects(text: &str) -> Vec<(usize, Option<usize>, Value)> {
    let pieces = split::split(text);
    let mut tree = Tree::default();
    let mut found = Vec::new();
    for index in 0..pieces.len() {
        let Ok(document) = tree.read(pieces.span(index).of(text)) else { continue };
        let all = list::objects(document).into_iter();
        found.extend(all.filter_map(|(item, node)| Some((index, item, node.value().ok()?))));
    }
    found
}

/// The paths at which two values differ, such as `a/b/0`. If only one of them has a map or list, the path of the map
/// or list itself.
fn differences(old: &Value, new: &Value, path: &str, found: &mut Vec<String>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") };
    match (old, new) {
        (Value::Map(before), Value::Map(after)) => {
            let keys: BTreeSet<&str> = before.keys().chain(after.keys()).map(|key| key.as_str()).collect();
            for key in keys {
                match (before.get(key), after.get(key)) {
                    (Some(one), Some(other)) => differences(one, other, &below(key), found),
                    _ => found.push(below(key)),
                }
            }
        }
        _ if old == new => {}
        _ => found.push(path.to_owned()),
    }
}

/// Whether the fixes of a rule may change this path.
fn may_change(rule: &str, path: &str) -> bool {
    const ANNOTATIONS: &str = "metadata/annotations";
    let begins = |all: &[&str]| all.iter().any(|begin| path.starts_with(begin));
    match rule {
        "hook-needs-later-object"
        | "hook-not-recreated"
        | "immutable-fields"
        | "invalid-sync-wave"
        | "replace-without-force"
        | "rollout-does-not-wait"
        | "unknown-annotation"
        | "unknown-delete-policy"
        | "unknown-hook"
        | "unknown-sync-option" => begins(&[ANNOTATIONS]),
        "non-string-annotation" => begins(&[ANNOTATIONS, "metadata/labels"]),
        "job-version" => path == "apiVersion",
        "null-value" => begins(&["spec/"]),
        "owner-references" => path == "metadata/ownerReferences",
        "invalid-job" => path == "spec/template/spec/restartPolicy" || path == "spec/template/spec/containers",
        "ttl-reruns" => path == "spec/ttlSecondsAfterFinished",
        "server-owned-fields" => {
            begins(&["metadata/", "status", "spec/selector", "spec/template/metadata"]) && path != "metadata/name"
        }
        _ => false,
    }
}

/// The first fault of the fixes for an input. Most inputs have nothing to fix; then there is nothing to fix with the
/// plugin, either.
fn wrong(input: &Input) -> Option<String> {
    for as_written in [true, false] {
        let version = read(&input.bytes, as_written)?;
        let before = open(&version);
        before.iter().any(|finding| finding.fix.is_some()).then_some(())?;
        let wrong = |least| fixed_wrong(version.clone(), &before, least);
        if let Some(what) = [Safety::Safe, Safety::Unsafe].into_iter().find_map(wrong) {
            return Some(format!("{}, as written: {as_written}: {what}", input.name));
        }
    }
    None
}

/// The first fault of the fixes of a version with these findings.
fn fixed_wrong(mut version: Version, before: &[Finding], least: Safety) -> Option<String> {
    let text = version.manifests[0].text.clone();
    let fixed = fix(&mut version, least);
    let (after, new) = (open(&version), version.manifests[0].text.clone());
    if fixed.is_empty() != (text == new) {
        return Some(format!("{} are fixed, and the text is another one: {}", fixed.len(), text != new));
    }
    let again = fix(&mut version, least);
    if !again.is_empty() || version.manifests[0].text != new {
        return Some(format!("a second run fixes more: {again:?}"));
    }
    let is_left = |finding: &&Finding| {
        finding.fix.as_ref().is_some_and(|offer| offer.obstacle.is_none() && offer.safety <= least)
    };
    if let Some(left) = after.iter().find(is_left) {
        return Some(format!("left: {left:?}"));
    }
    let count = |findings: &[Finding]| {
        let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
        for finding in findings {
            *counts.entry((finding.rule.id, finding.message.clone())).or_default() += 1;
        }
        counts
    };
    let (had, has) = (count(before), count(&after));
    let mut done: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for one in &fixed {
        *done.entry((one.rule, one.message.clone())).or_default() += 1;
    }
    let is_there = |(key, times): (&(&'static str, String), &usize)| {
        let had = had.get(key).copied().unwrap_or(*times);
        has.get(key).copied().unwrap_or_default() > had.saturating_sub(*times)
    };
    if let Some(((rule, message), _)) = done.iter().find(|one| is_there(*one)) {
        return Some(format!("still there: {rule} {message}"));
    }
    other_changes(&text, &new, &fixed)
}

/// The first change besides the values that the fixes are for.
fn other_changes(text: &str, new: &str, fixed: &[Fixed]) -> Option<String> {
    let (old_objects, new_objects) = (objects(text), objects(new));
    if old_objects.len() != new_objects.len() {
        return Some(format!("{} objects, and {} before", new_objects.len(), old_objects.len()));
    }
    for ((piece, item, old), (_, _, new)) in old_objects.iter().zip(&new_objects) {
        let mut paths = Vec::new();
        differences(old, new, "", &mut paths);
        if let Some(path) = paths.iter().find(|path| !fixed.iter().any(|one| may_change(one.rule, path))) {
            return Some(format!("document {piece} {item:?}: {path} has changed"));
        }
    }
    // The last entry in brackets has no comma after it, and the first annotation needs a line above it.
    let kept: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(',')).collect();
    let is_written = |line: &&str| !kept.contains(line.trim_end_matches(',')) && line.trim() != "annotations:";
    let written = new.lines().filter(is_written).count();
    // These two write two annotations.
    let lines = |one: &Fixed| 1 + usize::from(["hook-needs-later-object", "immutable-fields"].contains(&one.rule));
    (written > fixed.iter().map(lines).sum()).then(|| format!("{written} lines are written for {} fixes", fixed.len()))
}

#[test]
fn for_every_input_the_fixed_finding_is_gone_and_nothing_else_has_changed() {
    hold_for_all(&inputs::all(), wrong);
}

#[test]
fn a_safe_fix_makes_no_finding_in_real_manifests() {
    let mut count = 0;
    for input in inputs::below("corpus") {
        let Some(mut version) = read(&input.bytes, true) else { continue };
        let before = open(&version);
        if before.iter().all(|finding| finding.fix.is_none()) {
            continue;
        }
        count += fix(&mut version, Safety::Safe).len();
        let is_old = |new: &Finding| before.iter().any(|old| (old.rule.id, old.object) == (new.rule.id, new.object));
        let new: Vec<Finding> = open(&version).into_iter().filter(|new| !is_old(new)).collect();
        assert!(new.is_empty(), "{}: {new:?}", input.name);
    }
    assert!(count > 0, "nothing is fixed in the corpus");
}
