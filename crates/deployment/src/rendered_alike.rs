//! Sources that are rendered in the same way, for different Applications: they are rendered once.

use std::collections::BTreeMap;

use rewrite::settings::SourceKind;

use crate::application_version;
use crate::applications::{ApplicationSource, RenderedBy};
use crate::outcome::Read;
use crate::pair::Pair;
use crate::run::Run;
use crate::target::Target;

/// For each of `targets`, the index of the first one that is rendered in the same way: often its own.
pub(crate) fn firsts(targets: &[Target], run: &Run) -> Vec<usize> {
    // A plugin of kustomize gets the name of the Application.
    let options = [
        run.settings.last("kustomize-build-options").map(ToOwned::to_owned),
        run.environment.get("ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS"),
    ];
    let has_plugins = options.iter().flatten().any(|options| options.contains("alpha-plugins"));
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let number = |(index, target): (usize, &Target)| match rendering(target).filter(|_| !has_plugins) {
        Some(rendering) => *first.entry(rendering).or_insert(index),
        None => index,
    };
    targets.iter().enumerate().map(number).collect()
}

/// All that decides what the source of an Application renders to, in both versions; none where the Application itself does: in a chart, in a plugin,
/// and with `commonAnnotationsEnvsubst`.
fn rendering(target: &Target) -> Option<String> {
    let pair = target.pair()?;
    if target.kind() == SourceKind::Helm.as_str() {
        return None;
    }
    let old = match pair {
        Pair::Both { old, .. } => settings(old)?,
        Pair::New { .. } => "nowhere".to_owned(),
        Pair::Single(source) => source.place.to_string(),
        Pair::Old(_) => return None,
    };
    Some(format!("{}\n{old}", settings(pair.source())?))
}

fn settings(source: &ApplicationSource) -> Option<String> {
    let settings = format!("{:?}\n{:?}\n{:?}", source.elsewhere, source.dir, source.native);
    (source.by == RenderedBy::Native && !settings.to_lowercase().contains("envsubst")).then_some(settings)
}

/// What reading `target` gives, which is rendered as `first` is.
pub(crate) fn like(first: &Read, target: &Target, run: &Run) -> Read {
    let mut read = Read { target: target.clone(), ..first.clone() };
    if let (Some(pair), [Some(new), base]) = (target.pair(), read.versions_mut()) {
        new.application = application_version::application(pair.source(), run);
        if let (Some(base), Some(old)) = (base, pair.in_old()) {
            base.application = application_version::application(old, run);
        }
    }
    read
}
