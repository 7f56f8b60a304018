//! `unknown-annotation`: gives the annotation the name that was meant.

use goyaml::Change;

use super::{Fix, Proposal, Safety, Subject, side_effects, spelling};
use crate::rules::meant_annotation;

pub(super) const FIX: Fix = Fix {
    rule: "unknown-annotation",
    safe: "corrects the case of letters, unless that leads to `replace-without-force`, `force-without-replace` or `hook-not-recreated`",
    not_safe: "renames the annotation to the one that was most likely meant: look at what it turns on",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let key = subject.annotation()?;
    let meant = meant_annotation(key)?;
    let annotations = subject.object.annotations()?;
    // If two annotations mean the same, a program cannot know which of them should apply.
    let is_meant_by_another = |other: &str| other != key && (other == meant || meant_annotation(other) == Some(meant));
    if annotations.keys().any(|other| is_meant_by_another(other)) {
        return None;
    }
    let value = annotations.get(key)?.clone();
    let safety = if spelling::is_same(key, meant) { Safety::Safe } else { Safety::Unsafe };
    let change = Change::rename(subject.path.clone(), meant, value);
    let proposal = Proposal::new(safety, format!("rename the annotation `{key}` to `{meant}`"), vec![change]);
    Some(side_effects::judged(subject.object, proposal))
}
