//! The laws of `generate`, for streams and directories.
#![no_main]

use argocd_jobs_fuzz::input::Input;
use argocd_jobs_fuzz::{generate, judge, mutator};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(init: judge::prepare(), |data: &[u8]| judge::judge(|| generate::broken(&Input::of(data))));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
