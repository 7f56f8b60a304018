//! Globs of Argo CD and of Helm's value files, against models.
#![no_main]

use argocd_jobs_fuzz::globs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let complaint = globs::broken(data);
    assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
});
