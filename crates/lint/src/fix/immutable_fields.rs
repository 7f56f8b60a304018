//! `immutable-fields`: makes the Job a hook, which Argo CD deletes before it creates it again.

use super::{Fix, Safety};

pub(super) const FIX: Fix = Fix {
    rule: "immutable-fields",
    safe: "",
    not_safe: "makes the Job a Sync hook, deleted before each new run: it runs at every sync, changed or not. Not done if the source has nothing but Jobs and hooks, because nothing would start a sync",
    propose: |subject| subject.known_changes(Safety::Unsafe, "make it a Sync hook, which runs at every sync"),
};
