//! Texts in quotes and in messages.
#![no_main]

use argocd_jobs_fuzz::escapes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let complaint = escapes::broken(&String::from_utf8_lossy(data));
    assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
});
