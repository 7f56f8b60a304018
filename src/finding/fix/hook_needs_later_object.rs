//! `hook-needs-later-object`: runs the Job together with the objects that it needs.

use super::{Fix, Safety};

pub(super) const FIX: Fix = Fix {
    rule: "hook-needs-later-object",
    safe: "",
    not_safe: "runs a PreSync hook in the Sync phase, and a Job of an earlier wave in the wave of what it needs: look at what then no longer waits for it",
    propose: |subject| subject.known_changes(Safety::Unsafe, "run it together with what it needs"),
};
