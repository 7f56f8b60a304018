//! `rollout-does-not-wait`: puts the Job into an earlier wave.

use super::{Fix, Proposal, Safety, Subject};
use crate::argocd;

pub(super) const FIX: Fix = Fix {
    rule: "rollout-does-not-wait",
    safe: "",
    not_safe: "sets the sync wave of the Job to one before the workloads, unless the Job needs something that is not applied earlier",
    propose,
};

fn propose(subject: &Subject<'_>) -> Option<Proposal> {
    let change = subject.change?;
    let what = format!("set `{}` to a wave before the workloads", argocd::SYNC_WAVE);
    Some(Proposal::new(Safety::Unsafe, what, vec![change.clone()]))
}
