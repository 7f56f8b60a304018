//! What several value sets of a chart have in common is reported once, with the sets in which it is true.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lint::{Finding, Level, State};
use text::{LineColumn, Origin};

use crate::outcome::Read;

/// What makes two findings of one chart the same, and which of several such ones of a set it is. Where a value is in the output of helm
/// differs from set to set.
type Key = (&'static str, Level, String, String, Option<(Origin, LineColumn)>, usize);

/// Removes the findings that an earlier value set of the same chart has too, and says of each that is left in which sets it is true;
/// no set if it is true in all sets that were rendered. `findings` has the findings of each source in `read`.
pub fn merge(read: &[Read], findings: &mut [Cow<'_, [Finding]>]) {
    let mut start = 0;
    while start < read.len() {
        let path = read[start].target.path();
        let is_of_chart = |one: &&Read| !one.value_sets.is_empty() && one.target.path() == path;
        let end = start + read[start..].iter().take_while(is_of_chart).count();
        if end > start + 1 {
            merge_one(&read[start..end], &mut findings[start..end]);
        }
        start = end.max(start + 1);
    }
}

fn merge_one(read: &[Read], findings: &mut [Cow<'_, [Finding]>]) {
    let mut sets: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
    let keys: Vec<Vec<Key>> = findings.iter().map(|findings| keys(findings)).collect();
    for (set, keys) in keys.iter().enumerate() {
        for key in keys {
            sets.entry(key.clone()).or_default().insert(set);
        }
    }
    let rendered: BTreeSet<usize> = (0..read.len()).filter(|index| read[*index].failure().is_none()).collect();
    for (set, (findings, keys)) in findings.iter_mut().zip(keys).enumerate() {
        let mut keys = keys.into_iter();
        findings.to_mut().retain_mut(|finding| {
            let Some(found) = keys.next().and_then(|key| sets.get(&key)) else { return true };
            if !rendered.is_subset(found) || !found.is_subset(&rendered) {
                finding.value_sets = found.iter().flat_map(|index| &read[*index].value_sets).cloned().collect();
            }
            found.first() == Some(&set)
        });
    }
}

fn keys(findings: &[Finding]) -> Vec<Key> {
    let mut counts: BTreeMap<Key, usize> = BTreeMap::new();
    let key = |finding: &Finding| {
        let place = finding.place.as_ref().map(|place| (place.origin.clone(), place.at));
        let place = place.filter(|(origin, _)| matches!(origin, Origin::File(_)));
        let state = match &finding.state {
            State::Open => String::new(),
            State::Solved(by) => format!("solved by {by}"),
            State::Ignored(ignored) => format!("ignored by {:?}", ignored.by),
        };
        let first = (finding.rule.id, finding.level, finding.message.clone(), state, place, 0);
        let count = counts.entry(first.clone()).or_default();
        *count += 1;
        let (id, level, message, state, place, _) = first;
        (id, level, message, state, place, *count)
    };
    findings.iter().map(key).collect()
}
