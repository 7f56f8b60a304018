//! `ttl-reruns`: removes the TTL.

use goyaml::Change;

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "ttl-reruns",
    safe: "",
    not_safe: "removes `ttlSecondsAfterFinished`: the finished Job stays until it is pruned",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    subject.object.value().at_path(subject.path)?;
    let change = Change::remove(subject.path.clone());
    Some(Proposal::new(Safety::Unsafe, "remove `ttlSecondsAfterFinished`", vec![change]))
}
