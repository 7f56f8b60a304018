//! The same manifests in two versions of Argo CD, each rendered with the helm and the kustomize of its version.

use std::collections::BTreeMap;

use kube_jobs::kubernetes::Object;
use lint::survey::{Side, Survey};
use lint::{Analysis, Known};
use rewrite::settings;

use super::VersionChange;
use crate::analysis::{compare, report, snapshot};
use crate::{Comparison, Start, Verdict, When};

/// Compares what the version of Argo CD in the settings of `base` does with what the version in the settings of `new` does. Both are analyzed as for
/// [`compare`].
pub fn upgrade(new: &mut Analysis<'_>, base: &Analysis<'_>, known: Known) -> Result<Comparison, settings::Error> {
    let mut comparison = compare(new, base, known)?;
    forget_old_failures(new, base, &mut comparison);
    let (report, old) = (report(new), base.version.settings.output.argocd_version);
    let snapshot = snapshot(new, &report);
    // The Jobs of the new version come first, in the order of its report.
    for (job, compared) in report.jobs.iter().zip(&mut comparison.jobs) {
        compared.of_versions = VersionChange::of(job, old, snapshot);
    }
    // What a TTL has deleted is created again with either version.
    comparison.starts.retain(Start::is_of_the_change);
    comparison.is_upgrade = true;
    Ok(comparison)
}

/// Takes the failure from each Job that is the same in `base`: it fails there, too.
fn forget_old_failures(new: &Analysis<'_>, base: &Analysis<'_>, comparison: &mut Comparison) {
    let key = |object: &Object, survey: &Survey<'_>| {
        (object.kind().to_owned(), survey.namespace(object).to_owned(), object.shown_name())
    };
    let objects = base.survey.on(Side::Emitted).map(|(_, state)| (key(state.object(), &base.survey), &state.compared));
    let before: BTreeMap<_, _> = objects.collect();
    for job in comparison.jobs.iter_mut().filter(|job| matches!(job.verdict.otherwise(), Verdict::Fails(_))) {
        let state = job.object.and_then(|object| new.survey.objects[object].on(Side::Emitted));
        if state.is_some_and(|state| before.get(&key(state.object(), &new.survey)) == Some(&&state.compared)) {
            job.verdict = Verdict::DoesNotRun { when: When::OnceForAll, changed: Vec::new() };
        }
    }
}
