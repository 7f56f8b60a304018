//! Names of ConfigMaps and Secrets that end in a hash of the content, so that changed content makes a new object.

use std::ops::RangeInclusive;

use rewrite::hash;

/// The number of hexadecimal digits that charts append to a name.
const HEXADECIMAL: RangeInclusive<usize> = 6..=64;

/// The name without its hash, and the length of the hash: a hash of kustomize, or hexadecimal digits. None if the name does not end in a hash.
pub fn base(name: &str) -> Option<(&str, usize)> {
    let (base, suffix) = name.rsplit_once('-').filter(|(base, _)| !base.is_empty())?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_hexadecimal = HEXADECIMAL.contains(&suffix.len()) && suffix.bytes().all(is_digit);
    (is_hexadecimal || is_of_kustomize(name)).then_some((base, suffix.len()))
}

/// Whether a name ends in a hash of kustomize: ten characters of an alphabet without vowels (`api/hasher/hasher.go` in kustomize).
pub fn is_of_kustomize(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(base, suffix)| !base.is_empty() && hash::is_one(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_told_from_words() {
        assert_eq!(base("config-7f6g2b9kdt"), Some(("config", 10)));
        assert_eq!(base("shop-config-3fe1a2b4"), Some(("shop-config", 8)));
        assert_eq!(["config", "-7f6g2b9kdt", "config-blue", "config-2024", "config-7f6g2b9kd"].map(base), [None; 5]);
        assert!(is_of_kustomize("config-7f6g2b9kdt") && !is_of_kustomize("config-3fe1a2b4"));
    }
}
