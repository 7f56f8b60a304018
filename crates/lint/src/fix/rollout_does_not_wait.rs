//! `rollout-does-not-wait`: puts the Job into an earlier wave.

use super::{Fix, Safety};

pub(super) const FIX: Fix = Fix {
    rule: "rollout-does-not-wait",
    safe: "",
    not_safe: "sets the sync wave of the Job to one before the workloads, unless the Job needs something that is not applied earlier",
    propose: |subject| {
        subject.known_changes(Safety::Unsafe, "set `argocd.argoproj.io/sync-wave` to a wave before the workloads")
    },
};
