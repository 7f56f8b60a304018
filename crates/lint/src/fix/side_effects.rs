//! Detects faults that appear when a corrected word takes effect.

use goyaml::Change;
use kube_jobs::argocd::HookDeletePolicy;
use kube_jobs::kubernetes::{Job, Object};

use super::{Proposal, Safety};

/// The proposal, as an unsafe one if the changed object has a fault that the written object does not have: the misspelled word had no effect, and the
/// right word alone may not be enough.
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

/// The faults that a safe fix must not cause.
const FAULTS: [fn(&Job) -> bool; 2] = [has_one_of_two_options, has_one_delete_policy];

/// Whether the Job has only one of the two options. `Replace=true` alone makes every sync fail, and `Force=true` alone every sync with server-side
/// apply (findings `replace-without-force` and `force-without-replace`).
fn has_one_of_two_options(job: &Job) -> bool {
    let [replace, force] = ["Replace=true", "Force=true"].map(|option| job.has_sync_option(option));
    !job.is_hook() && replace != force
}

/// Whether a hook has only a policy that does not delete it before it runs again (finding `hook-not-recreated`).
fn has_one_delete_policy(job: &Job) -> bool {
    use HookDeletePolicy::{HookFailed, HookSucceeded};
    job.is_hook() && matches!(job.delete_policies().as_slice(), [HookSucceeded | HookFailed])
}
