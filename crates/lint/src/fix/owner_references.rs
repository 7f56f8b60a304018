//! `owner-references`: removes an owner, which exists in another cluster.

use goyaml::Change;

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "owner-references",
    safe: "",
    not_safe: "removes `metadata.ownerReferences`: Argo CD can prune the resource then",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    subject.object.value().at_path(subject.path)?;
    let change = Change::remove(subject.path.clone());
    Some(Proposal::new(Safety::Unsafe, "remove `metadata.ownerReferences`", vec![change]))
}
