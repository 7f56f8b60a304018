//! One of the two versions of the manifests in a comparison.

use std::collections::BTreeMap;

use kube_jobs::argocd::{Gone, Version};
use kube_jobs::kubernetes::Object;
use lint::survey::{ObjectState, Side, Survey};
use rewrite::strategy::InputName;

use super::by_application::ByApplication;
use super::{Kind, Report, Runnable};

/// One of the two versions in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'v> {
    /// The plan and the objects.
    pub survey: &'v Survey<'v>,
    /// What the preview shows of this version alone.
    pub report: &'v Report,
    /// The version of Argo CD for which the verdicts hold.
    pub argocd_version: Version,
}

impl<'v> Snapshot<'v> {
    /// The options of the Application.
    pub(super) fn application(self) -> ByApplication<'v> {
        ByApplication::of(self.survey, self.argocd_version)
    }

    /// What happens to the Application, if it is not declared any more.
    pub(super) fn gone(self) -> Option<&'v Gone> {
        self.survey.application.sync.as_ref()?.arrival.gone.as_ref()
    }

    /// The emitted object with this index in the survey.
    pub(super) fn emitted(self, object: usize) -> Option<&'v ObjectState> {
        self.survey.objects[object].on(Side::Emitted)
    }

    /// The emitted objects that are meant, by their keys; the last of several with one key.
    pub(super) fn by_key(self, is_meant: impl Fn(&ObjectState) -> bool) -> BTreeMap<Key, &'v ObjectState> {
        let states = self.survey.on(Side::Emitted).map(|(_, state)| state);
        states.filter(|state| is_meant(state)).map(|state| (key_of(state.object(), self.survey), state)).collect()
    }
}

/// The kind, the namespace and the name by which an object of one version is found in the other.
pub(super) type Key = (Kind, String, String);

/// The key of an object, with its `generateName` if it has no name.
pub(super) fn key_of(object: &Object, survey: &Survey<'_>) -> Key {
    (Kind::of(object), survey.namespace(object).to_owned(), name_of(object).to_owned())
}

/// The name of an object, or else its `generateName`; empty without either.
pub(super) fn name_of(object: &Object) -> &str {
    object.name().or(object.generate_name()).unwrap_or("")
}

/// The key of a Job or hook, with the name that the user wrote.
pub(super) fn key(job: &Runnable, version: Snapshot<'_>) -> Key {
    (job.kind.clone(), job.namespace.clone().unwrap_or_default(), written(job, version))
}

/// The name that the user wrote, or the `generateName`.
fn written(job: &Runnable, version: Snapshot<'_>) -> String {
    input_name(job, version).map_or_else(|| job.written.clone(), |written| written.name.clone())
}

/// The name that the user wrote; with `…` at the end for a `generateName`.
pub(super) fn shown_name(job: &Runnable, version: Snapshot<'_>) -> String {
    match input_name(job, version).filter(|written| written.is_given) {
        Some(written) if written.is_prefix() => format!("{}…", written.name),
        Some(written) => written.name.clone(),
        None => job.written.clone(),
    }
}

fn input_name<'v>(job: &Runnable, version: Snapshot<'v>) -> Option<&'v InputName> {
    version.survey.plan.jobs[job.job?].outcome.input_name.as_ref()
}
