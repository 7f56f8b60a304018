//! Plain scalars and numbers, against a model.
#![no_main]

use argocd_jobs_fuzz::{judge, numbers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: judge::prepare(), |data: &[u8]| judge::judge(|| numbers::broken(data)));
