//! Words that a user most likely meant: Argo CD compares them letter by letter, and says nothing about others.

use crate::settings;

/// The known word that is spelled alike but for case, dashes, underscores, quotes and white space, and is not the same.
pub(super) fn alike<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |text: &str| {
        let letters = text.chars().filter(|found| found.is_alphanumeric() || *found == '=');
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let wanted = plain(found);
    known.into_iter().find(|known| plain(known) == wanted).filter(|known| *known != found)
}

/// The known word that is spelled alike, else the one with the fewest other letters, when those are few.
pub(super) fn nearest(found: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> Option<String> {
    alike(found, known.clone()).map(ToOwned::to_owned).or_else(|| settings::nearest(found, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_alike_but_for_case_and_dashes() {
        assert_eq!(alike("post-sync", ["PreSync", "PostSync"]), Some("PostSync"));
        assert_eq!(alike("replace = True", ["Replace=true"]), Some("Replace=true"));
        assert_eq!(alike("PreSync", ["PreSync"]), None);
        assert_eq!(alike("Garbage", ["PreSync"]), None);
    }
}
