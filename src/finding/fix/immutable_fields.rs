//! `immutable-fields`: makes the Job a hook, which Argo CD deletes before it creates it again.

use super::{Fix, Safety};

pub(super) const FIX: Fix = Fix {
    rule: "immutable-fields",
    safe: "",
    not_safe: "makes the Job a Sync hook that is deleted before it is created again, unless nothing but Jobs and hooks is left: it then runs at every sync, changed or not",
    propose: |subject| subject.known_changes(Safety::Unsafe, "make it a Sync hook, which runs at every sync"),
};
