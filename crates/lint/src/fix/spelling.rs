//! Finds the one known word that a misspelled word stands for.

use text::spelling::{is_near, letters};

use super::{Proposal, Safety, comma_list};
use crate::diagnostic::annotation;

/// The known word that was meant, and whether only case and white space differ. None if no known word is similar, or more than one.
pub(super) fn meant(word: &str, known: &[&str]) -> Option<(String, Safety)> {
    nearest(word, known).map(|(known, safety)| (known.to_owned(), safety))
}

fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<(&'k str, Safety)> {
    if let Some(same) = known.iter().find(|known| is_same(word, known)) {
        return Some((same, Safety::Safe));
    }
    let alike: Vec<&'k str> = known.iter().copied().filter(|known| letters(word) == letters(known)).collect();
    let near: Vec<&'k str> = known.iter().copied().filter(|known| is_near(word, known)).collect();
    match (alike.as_slice(), near.as_slice()) {
        ([one], _) | ([], [one]) => Some((one, Safety::Unsafe)),
        _ => None,
    }
}

/// Corrects the misspelled items of the annotation `key` with the value `text`. `unknown` are the items without effect; the finding is about the
/// first of them. Corrects the others too if that is as safe, because items that were written together are meant together. None if the first item
/// cannot be corrected.
pub(super) fn corrected<'t>(
    key: &str,
    text: &'t str,
    unknown: impl IntoIterator<Item = &'t str>,
    meant: impl Fn(&'t str) -> Option<(String, Safety)>,
) -> Option<Proposal> {
    let mut unknown = unknown.into_iter();
    let first = unknown.next()?;
    let (word, safety) = meant(first)?;
    let others = unknown.filter_map(|item| Some((item, meant(item).filter(|(_, other)| *other <= safety)?.0)));
    let all: Vec<(&str, String)> = std::iter::once((first, word)).chain(others).collect();
    let value = all.iter().fold(text.to_owned(), |text, (item, word)| comma_list::replaced(&text, item, word));
    let each: Vec<String> = all.iter().map(|(item, word)| format!("`{item}` with `{word}`")).collect();
    let what = format!("replace {} in `{key}`", each.join(" and "));
    Some(Proposal::new(safety, what, vec![annotation(key, value)]))
}

/// Whether two words differ only in case and white space.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>().to_ascii_lowercase();
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOKS: [&str; 7] = ["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];

    #[test]
    fn the_case_of_letters_and_white_space_are_no_words() {
        assert_eq!(nearest("presync", &HOOKS), Some(("PreSync", Safety::Safe)));
        assert_eq!(nearest("Pre Sync", &HOOKS), Some(("PreSync", Safety::Safe)));
        assert_eq!(nearest("Force = True", &["Force=true", "Force=false"]), Some(("Force=true", Safety::Safe)));
    }

    #[test]
    fn other_misspellings_have_one_candidate_or_no_fix() {
        assert_eq!(nearest("pre-sync", &HOOKS), Some(("PreSync", Safety::Unsafe)));
        assert_eq!(nearest("PreSynk", &HOOKS), Some(("PreSync", Safety::Unsafe)));
        assert_eq!(nearest("PrstSync", &HOOKS), None, "PreSync and PostSync are both near");
        assert_eq!(nearest("Migrate", &HOOKS), None);
        assert_eq!(nearest("Prune", &["Prune=true", "Prune=false"]), None);
    }
}
