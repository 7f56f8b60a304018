//! Runs `check --fix` on a stream, through the library.

use std::path::PathBuf;

use kube_jobs::argocd::Application;
use lint::fix::{Fixed, Safety};
use lint::{Analysis, Finding, State, fix};
use rewrite::settings::{RawLayers, WithPlugin};
use rewrite::version::Version;
use source::{Source, read_version};

/// A stream whose fixes could be written back, checked with the plugin or as it is written; `None` when it cannot be
/// read.
pub(crate) fn read(bytes: &[u8], as_written: bool) -> Option<Version> {
    let with_plugin = if as_written { WithPlugin::No } else { WithPlugin::Yes };
    let texts = RawLayers { with_plugin, ..RawLayers::default() };
    let mut version = read_version(Source::stream(bytes), &texts, Application::default()).ok()?;
    for manifest in &mut version.manifests {
        *manifest = manifest.clone().in_file(Some(PathBuf::from("a.yaml")));
    }
    Some(version)
}

/// Applies all fixes of at least this safety.
pub(crate) fn fix(version: &mut Version, least: Safety) -> Vec<Fixed> {
    fix::apply(version, least, &|_| true, &|_| true).unwrap().fixed
}

pub(crate) fn open(version: &Version) -> Vec<Finding> {
    let mut analysis = Analysis::of(version);
    analysis.offer_fixes(&|_| false);
    let all = analysis.findings().unwrap().iter();
    all.filter(|finding| finding.state == State::Open).cloned().collect()
}
