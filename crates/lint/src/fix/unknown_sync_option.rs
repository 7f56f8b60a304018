//! `unknown-sync-option`: writes the sync option that was meant.

use kube_jobs::argocd;

use super::{Fix, Proposal, Safety, Subject, side_effects, spelling};
use crate::rules::{SYNC_OPTIONS, several_sync_options};

pub(super) const FIX: Fix = Fix {
    rule: "unknown-sync-option",
    safe: "corrects the case of letters and removes white space, unless that leaves the Job with only one of \
           `Replace=true` and `Force=true`",
    not_safe: "corrects other misspellings, if exactly one option is spelled similarly, puts commas between options, or leaves the Job with only one of these two",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let key = subject.annotation().filter(|key| *key == argocd::SYNC_OPTIONS)?;
    let text = subject.object.annotation(key)?;
    // The finding is about the first item that has a suggestion.
    let is_unknown = |item: &&str| !SYNC_OPTIONS.contains(item) && meant(item).is_some();
    let unknown = argocd::comma_list(text).into_iter().filter(is_unknown);
    let proposal = spelling::corrected(key, text, unknown, meant)?;
    Some(side_effects::judged(subject.object, proposal))
}

/// The option that was meant, or the options of a list without commas.
fn meant(item: &str) -> Option<(String, Safety)> {
    if let Some(several) = several_sync_options(item) {
        return Some((several, Safety::Unsafe));
    }
    let (meant, safety) = spelling::meant(item, &SYNC_OPTIONS)?;
    // The finding suggests no option that is only similar, because options differ in single words.
    (safety == Safety::Safe || text::spelling::alike(item, SYNC_OPTIONS).is_some()).then_some((meant, safety))
}
