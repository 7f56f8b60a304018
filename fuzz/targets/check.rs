//! The laws of `check`, for streams and directories.
#![no_main]

use argocd_jobs_fuzz::input::Input;
use argocd_jobs_fuzz::{checked, mutator};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let complaint = checked::broken(&Input::of(data));
    assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
