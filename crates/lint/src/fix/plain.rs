//! Leaves a changed value without quotes if the old value had none.

use goyaml::{Document, Tree};
use text::{Edit, Edits};

/// The edits without quotes that the manifest did not need before: the editor quotes every text with spaces. Removes the quotes if the old text had
/// spaces and no quotes, and if the new text means the same without them.
pub(super) fn as_before(document: Document<'_>, edits: Edits) -> Edits {
    let text = document.text();
    match bare(text, &edits) {
        Some(bare) if bare != edits && means_the_same(&bare.apply(text), &edits.apply(text)) => bare,
        _ => edits,
    }
}

fn bare(text: &str, edits: &Edits) -> Option<Edits> {
    let mut bare = Edits::default();
    for edit in edits.iter() {
        let replacement = without_quotes(edit, edit.span.of(text)).unwrap_or_else(|| edit.replacement.clone());
        bare.add(edit.span, replacement).ok()?;
    }
    Some(bare)
}

/// The replacement without its quotes, if `old` is an unquoted text with spaces.
fn without_quotes(edit: &Edit, old: &str) -> Option<String> {
    let is_bare = |text: &str| {
        let is_plain = |found: char| found.is_ascii_alphanumeric() || "._/=,- ".contains(found);
        text.chars().all(is_plain)
            && text.starts_with(|first: char| first.is_ascii_alphabetic())
            && !text.ends_with(' ')
    };
    let new: String = serde_json::from_str(&edit.replacement).ok()?;
    (old.contains(' ') && is_bare(old) && is_bare(&new)).then_some(new)
}

/// Whether both texts are read as the same value.
fn means_the_same(one: &str, other: &str) -> bool {
    let value = |text: &str| Tree::default().read(text).ok()?.root()?.value().ok();
    let one = value(one);
    one.is_some() && one == value(other)
}
