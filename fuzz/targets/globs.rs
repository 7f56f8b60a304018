//! Globs of Argo CD, against a model.
#![no_main]

use argocd_jobs_fuzz::{globs, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: judge::prepare(), |data: &[u8]| judge::judge(|| globs::broken(data)));
