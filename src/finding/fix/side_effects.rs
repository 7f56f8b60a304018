//! What becomes true of a Job when a word in it begins to count.

use super::Proposal;
use super::Safety;
use crate::argocd::HookDeletePolicy;
use crate::kubernetes::{Job, Object};
use crate::yaml::Change;

/// The proposal as an unsafe one when the object, with the changes done, would have a fault that it does not have as it is written: a
/// misspelled word has no effect, and the right one may not be enough alone.
pub(super) fn judged(object: &Object, proposal: Proposal) -> Proposal {
    if !object.is_job() {
        return proposal;
    }
    let before = Job::new(object.value().clone());
    let mut value = object.value().clone();
    Change::apply_all(&proposal.changes, &mut value);
    let after = Job::new(value);
    let is_new = FAULTS.iter().any(|fault| fault(&after) && !fault(&before));
    if is_new { Proposal { safety: Safety::Unsafe, ..proposal } } else { proposal }
}

/// What a Job must not become by a safe fix.
const FAULTS: [fn(&Job) -> bool; 2] = [has_one_of_two_options, has_one_delete_policy];

/// `Replace=true` alone makes every sync fail, and `Force=true` alone every sync with server-side apply: the findings
/// `replace-without-force` and `force-without-replace`.
fn has_one_of_two_options(job: &Job) -> bool {
    let [replace, force] = ["Replace=true", "Force=true"].map(|option| job.has_sync_option(option));
    !job.is_hook() && replace != force
}

/// A hook with this policy alone is not deleted before it runs again: the finding `hook-not-recreated`.
fn has_one_delete_policy(job: &Job) -> bool {
    use HookDeletePolicy::{HookFailed, HookSucceeded};
    job.is_hook() && matches!(job.delete_policies().as_slice(), [HookSucceeded | HookFailed])
}
