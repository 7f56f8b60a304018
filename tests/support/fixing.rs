//! `check --fix` over one stream, by the library.

use std::path::PathBuf;

use argocd_jobs::argocd::Application;
use argocd_jobs::finding::fix::{Fixed, Safety};
use argocd_jobs::finding::{Finding, State};
use argocd_jobs::settings::RawLayers;
use argocd_jobs::source::Source;
use argocd_jobs::version::Version;

/// A stream as a version that could be written back, judged with the plugin or as it is written; none when it cannot be read.
pub(crate) fn read(bytes: &[u8], as_written: bool) -> Option<Version> {
    let texts = RawLayers { as_written, ..RawLayers::default() };
    let mut version = Version::read(Source::stream(bytes), &texts, Application::default()).ok()?;
    for manifest in &mut version.manifests {
        *manifest = manifest.clone().in_file(Some(PathBuf::from("a.yaml")));
    }
    Some(version)
}

/// Fixes all that can be fixed.
pub(crate) fn fix(version: &mut Version, least: Safety) -> Vec<Fixed> {
    version.fix(least, &|_| true).unwrap().fixed
}

/// The open findings.
pub(crate) fn open(version: &Version) -> Vec<Finding> {
    let mut analysis = version.analyze();
    analysis.offer_fixes(&|_| false);
    let all = analysis.findings().unwrap().iter();
    all.filter(|finding| finding.state == State::Open).cloned().collect()
}
