//! Groups items by a key, so that one line can be about all items of a group.

use std::collections::BTreeMap;

/// The items with the same key together, in the order of the first of each group. No group is empty.
pub(super) fn grouped<T, K: Ord>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut known: BTreeMap<K, usize> = BTreeMap::new();
    for item in items {
        let index = *known.entry(key(&item)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}
