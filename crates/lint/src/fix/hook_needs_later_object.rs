//! `hook-needs-later-object`: runs the Job together with the objects that it needs.

use super::{Fix, Safety};

pub(super) const FIX: Fix = Fix {
    rule: "hook-needs-later-object",
    safe: "",
    not_safe: "makes a PreSync hook a Sync hook, and moves a Job or hook of an earlier wave to the wave of what it needs, unless a volume claim would then wait for it: check what relied on it running first",
    propose: |subject| subject.known_changes(Safety::Unsafe, "run it together with what it needs"),
};
