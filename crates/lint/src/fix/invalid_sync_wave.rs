//! `invalid-sync-wave`: writes the integer that was meant.

use kube_jobs::argocd;

use super::{Fix, Proposal, Safety, Subject};
use crate::diagnostic::annotation;

pub(super) const FIX: Fix = Fix {
    rule: "invalid-sync-wave",
    safe: "removes white space around the integer",
    not_safe: "removes the decimal point and the zeros behind it",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let key = subject.annotation()?;
    let text = subject.object.annotation(key)?;
    let (wave, safety) = meant(text)?;
    let change = annotation(key, wave.to_owned());
    Some(Proposal::new(safety, format!("set `{key}` to `\"{wave}\"`"), vec![change]))
}

/// The integer that was meant by a text that Argo CD does not read as an integer.
fn meant(text: &str) -> Option<(&str, Safety)> {
    let bare = text.trim();
    if argocd::wave(bare).is_some() {
        return Some((bare, Safety::Safe));
    }
    let (whole, zeros) = bare.split_once('.')?;
    let is_integer = argocd::wave(whole).is_some() && zeros.bytes().all(|byte| byte == b'0');
    is_integer.then_some((whole, Safety::Unsafe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_integer_is_written() {
        assert_eq!(meant(" 5 "), Some(("5", Safety::Safe)));
        assert_eq!(meant("-1.0"), Some(("-1", Safety::Unsafe)));
        for other in ["", "five", "1.5", "1e3", "1 2", ".0"] {
            assert_eq!(meant(other), None, "{other}");
        }
    }
}
