//! What the annotation `argocd.argoproj.io/manifest-generate-paths` of an Application leaves out of what its source reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gopath::Steps;
use kube_jobs::argocd::{RefreshPaths, Uncovered};
use rewrite::version::Version;
use system::{PathText, relative};

use crate::applications::ApplicationSource;
use crate::base;
use crate::kept_out::MAX_STEPS;
use crate::outcome::Read;
use crate::reads;
use crate::run::Run;
use crate::target::Target;

/// Puts what is left out into each version of each source.
pub(crate) fn settle(read: &mut [Read], run: &Run) {
    let steps = Steps::new(MAX_STEPS);
    for one in read {
        let Target::Application(pair, checkout) = &one.target else { continue };
        let (Ok(new), Some(source)) = (&mut one.new, pair.in_new()) else { continue };
        put(source, new, &checkout.root, &steps);
        // Otherwise each one would be new.
        if let (Some(Ok(base)), Some(old)) = (&mut one.old, pair.in_old())
            && let Ok(Some(root)) = base::root_in(checkout, run)
        {
            put(old, base, &root, &steps);
        }
    }
}

fn put(source: &ApplicationSource, version: &mut Version, root: &Path, steps: &Steps) {
    if let Some(uncovered) = uncovered(source, version, root, steps) {
        let sync = version.application.sync.get_or_insert_default();
        Arc::make_mut(sync).uncovered = Some(uncovered);
    }
}

/// None if the annotation leaves out nothing that is certainly read.
fn uncovered(source: &ApplicationSource, version: &Version, root: &Path, steps: &Steps) -> Option<Uncovered> {
    let written = source.generate_paths.as_ref()?;
    let paths = RefreshPaths::of(written, version.settings.output.argocd_version);
    if paths.is_empty() {
        return None;
    }
    let is_covered = |file: &Path| {
        let below = file.strip_prefix(root).ok();
        below.is_none_or(|below| paths.covers(&below.in_slashes(), steps))
    };
    let left_out: BTreeSet<PathBuf> =
        reads::of(source, version, root).into_iter().filter(|(file, _)| !is_covered(file)).map(|(_, of)| of).collect();
    let is_below_another = |path: &PathBuf| path.ancestors().skip(1).any(|above| left_out.contains(above));
    let from = root.join(&source.dir);
    let names = left_out.iter().filter(|path| !is_below_another(path)).filter_map(|path| {
        let below = relative(&from, path)?.in_slashes().into_owned();
        Some(if below.is_empty() { ".".to_owned() } else { below })
    });
    let names: Vec<String> = names.collect();
    let wanted = written.written.iter().chain(&names).map(String::as_str).collect::<Vec<_>>().join(";");
    (!names.is_empty()).then(|| Uncovered { paths: names, wanted, at: written.at.clone() })
}

#[cfg(test)]
mod tests;
