//! Suggests the known word that the user most likely meant.

/// The candidate with the fewest differing letters, ignoring case. None if more than a third of the letters differ, because a far-fetched suggestion
/// is worse than none.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let (_, candidate) = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate)).min()?;
    is_near(word, candidate).then(|| candidate.to_owned())
}

/// Whether at most a third of the letters differ, ignoring case.
pub fn is_near(word: &str, candidate: &str) -> bool {
    distance(word, candidate) * 3 <= word.chars().count().max(candidate.chars().count())
}

fn distance(word: &str, candidate: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase())
}

/// The word in lower case, with only its letters, digits and equals signs.
pub fn letters(word: &str) -> String {
    word.chars().filter(|found| found.is_alphanumeric() || *found == '=').flat_map(char::to_lowercase).collect()
}

/// The candidate that differs from `word` only in case, dashes, underscores, quotes or white space. None if `word` itself is that candidate.
pub fn alike<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = letters(word);
    candidates.into_iter().find(|candidate| letters(candidate) == wanted).filter(|candidate| *candidate != word)
}

/// The candidate from [`alike`], or else from [`nearest`].
pub fn alike_or_nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str> + Clone) -> Option<String> {
    alike(word, candidates.clone()).map(ToOwned::to_owned).or_else(|| nearest(word, candidates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near() {
        assert_eq!(nearest("replce", ["replace", "keep"]).as_deref(), Some("replace"));
        assert_eq!(nearest("presync", ["PreSync", "Sync"]).as_deref(), Some("PreSync"));
        assert_eq!(nearest("nonsense", ["replace", "keep"]), None);
        assert_eq!(nearest("hok", ["hook"]).as_deref(), Some("hook"));
        assert_eq!(nearest("foo", ["hook"]), None);
        assert_eq!(nearest("", ["hook", "on"]), None);
    }

    #[test]
    fn words_are_alike_but_for_case_and_dashes() {
        assert_eq!(alike("post-sync", ["PreSync", "PostSync"]), Some("PostSync"));
        assert_eq!(alike("replace = True", ["Replace=true"]), Some("Replace=true"));
        assert_eq!(alike("PreSync", ["PreSync"]), None);
        assert_eq!(alike("Garbage", ["PreSync"]), None);
    }
}
