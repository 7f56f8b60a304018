//! Texts in Markdown and in logs.
#![no_main]

use argocd_jobs_fuzz::{judge, rendered};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: judge::prepare(), |data: &[u8]| judge::judge(|| rendered::broken(&String::from_utf8_lossy(data))));
