//! Plain scalars and numbers, against a model.
#![no_main]

use argocd_jobs_fuzz::numbers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let complaint = numbers::broken(data);
    assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
});
