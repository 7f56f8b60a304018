//! Texts in quotes and in messages.
#![no_main]

use argocd_jobs_fuzz::{escapes, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: judge::prepare(), |data: &[u8]| judge::judge(|| escapes::broken(&String::from_utf8_lossy(data))));
