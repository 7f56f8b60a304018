//! Splitting a stream and reading its documents: what holds for every text, and the recorded readings of Argo CD.
#![no_main]

use argocd_jobs_fuzz::{judge, mutator, recorded};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(
    init: {
        judge::prepare();
        judge::judge(|| recorded::misread(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/goyaml/testdata/oracle").as_ref()));
    },
    |data: &[u8]| judge::judge(|| std::str::from_utf8(data).ok().and_then(recorded::broken))
);

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed)
});
