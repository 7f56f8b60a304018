//! Volume claims that may wait for their first pod, so that a sync in an earlier wave than that pod never ends.
//!
//! A claim of a StorageClass with `volumeBindingMode: WaitForFirstConsumer` is `Pending` until a pod uses it, and that is Progressing for Argo CD
//! (`gitops-engine/pkg/health/health_pvc.go`). The class is often not in the output, and it is the default of most clusters.

use std::collections::{BTreeSet, HashMap};

use goyaml::Value;
use kube_jobs::kubernetes::Object;
use kube_jobs::kubernetes::pod::{self, Needed};

use super::object_index::ObjectIndex;
use crate::Context;
use crate::survey::sync_order::{self, Moment};

/// The annotation that names a class before `spec.storageClassName` does.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// The binding mode of a class that says nothing.
const IMMEDIATE: &str = "Immediate";

/// The binding mode of a class whose claims wait for a pod.
const WAIT: &str = "WaitForFirstConsumer";

/// The claims of a side, and what uses them.
pub(super) struct Claims<'l> {
    known: ObjectIndex<'l>,
    /// The claims that volumes of the output name, by namespace and name.
    named: BTreeSet<(&'l str, &'l str)>,
    /// The classes of volumes of the output.
    of_volumes: BTreeSet<&'l str>,
    /// When pods that use a claim start, with the indices of their objects, by namespace and name of the claim.
    consumers: HashMap<(&'l str, &'l str), Vec<(usize, Moment)>>,
}

impl<'l> Claims<'l> {
    pub(super) fn of(context: &'l Context<'l>) -> Self {
        let mut consumers: HashMap<_, Vec<_>> = HashMap::new();
        for (index, object) in context.objects().filter(|(_, object)| has_pods(object)) {
            let Some(moment) = sync_order::first(object) else { continue };
            let namespace = context.survey.namespace(object);
            for name in used(object) {
                consumers.entry((namespace, name)).or_default().push((index, moment));
            }
        }
        let (mut named, mut of_volumes) = (BTreeSet::new(), BTreeSet::new());
        let is_volume = |object: &Object| (object.group(), object.kind()) == ("", "PersistentVolume");
        for (_, volume) in context.objects().filter(|(_, object)| is_volume(object)) {
            let claim = ["namespace", "name"].map(|key| volume.value().text_at(&["spec", "claimRef", key]));
            named.extend(claim[1].map(|name| (claim[0].unwrap_or(""), name)));
            of_volumes.extend(volume.value().text_at(&["spec", "storageClassName"]));
        }
        Self { known: ObjectIndex::of(context), named, of_volumes, consumers }
    }

    /// The moments at which an object has to start because of its claims: those that no other pod binds, in the wave in which they are applied.
    pub(super) fn pins(&self, index: usize, object: &Object) -> Vec<Moment> {
        used(object).filter_map(|name| self.pin(index, object, name)).collect()
    }

    /// Whether it uses a claim that is not here. Another source of the Application, or a part that was left out, may have it.
    pub(super) fn has_unknown(&self, object: &Object) -> bool {
        let context = self.known.context();
        let namespace = context.survey.namespace(object);
        let application = context.survey.application;
        (application.has_several_sources || application.may_have_more)
            && used(object).any(|name| self.known.find(("", "PersistentVolumeClaim", namespace, name)).is_empty())
    }

    /// The same for one of its claims. None if the object may also start later.
    pub(super) fn pin(&self, index: usize, object: &Object, name: &str) -> Option<Moment> {
        let namespace = self.known.context().survey.namespace(object);
        let claims = self.known.find(("", "PersistentVolumeClaim", namespace, name)).iter();
        let claim = claims.map(|(_, claim)| *claim).find(|claim| !self.binds_at_once(claim))?;
        let moment = sync_order::first(claim)?;
        let others = self.consumers.get(&(namespace, name)).into_iter().flatten();
        let is_bound = others.into_iter().any(|(other, begins)| *other != index && *begins == moment);
        (!is_bound).then_some(moment)
    }

    /// The first object whose pods use a claim, and its moment. None if no sync starts such a pod.
    pub(super) fn first_consumer(&self, claim: &Object) -> Option<(usize, Moment)> {
        let namespace = self.known.context().survey.namespace(claim);
        let all = self.consumers.get(&(namespace, claim.name()?))?;
        all.iter().copied().min_by_key(|(index, moment)| (*moment, *index))
    }

    /// Whether a claim certainly waits for a pod: its class is in the output, and binds at the first one.
    pub(super) fn certainly_waits(&self, claim: &Object) -> bool {
        self.binds(claim, WAIT)
    }

    /// Whether a claim does not wait for a pod: it names its volume or no class, its class is in the output and binds `Immediate`, which is the default,
    /// or a volume of the output is meant for it.
    pub(super) fn binds_at_once(&self, claim: &Object) -> bool {
        let has_volume = claim.value().text_at(&["spec", "volumeName"]).is_some_and(|name| !name.is_empty());
        has_volume || class(claim) == Some("") || self.binds(claim, IMMEDIATE) || self.has_own_volume(claim)
    }

    /// Whether a volume of the output names the claim, or has its class and that class does not wait.
    fn has_own_volume(&self, claim: &Object) -> bool {
        let namespace = self.known.context().survey.namespace(claim);
        let is_named = claim.name().is_some_and(|name| self.named.contains(&(namespace, name)));
        let is_of_class = class(claim).is_some_and(|class| self.of_volumes.contains(class));
        is_named || is_of_class && !self.certainly_waits(claim)
    }

    /// Whether its class is in the output, and has this binding mode.
    fn binds(&self, claim: &Object, mode: &str) -> bool {
        let Some(class) = class(claim) else { return false };
        let classes = self.known.find(("storage.k8s.io", "StorageClass", "", class));
        let of_class = |class: &Object| class.value().text_at(&["volumeBindingMode"]).unwrap_or(IMMEDIATE) == mode;
        classes.last().is_some_and(|(_, class)| of_class(class))
    }
}

/// The names of the claims that the pods of an object use.
fn used(object: &Object) -> impl Iterator<Item = &str> {
    let claims = pod::references(object).into_iter().filter(|one| one.needed == Needed::PersistentVolumeClaim);
    claims.map(|claim| claim.name)
}

/// Whether the object is a claim.
pub(super) fn is_claim(object: &Object) -> bool {
    object.group().is_empty() && object.kind() == Needed::PersistentVolumeClaim.kind()
}

/// The end of a help line that sets the wave of its pod on a needed object: empty for a claim, because in an earlier wave than its pod it may stay
/// `Pending`.
pub(super) fn or_lower(needed: &Object) -> &'static str {
    if is_claim(needed) { "" } else { " or lower" }
}

/// The name of the class of a claim; empty for none, and absent for the default class.
fn class(claim: &Object) -> Option<&str> {
    claim.annotation(CLASS).or(claim.value().text_at(&["spec", "storageClassName"]))
}

/// Whether a sync starts pods of the object.
fn has_pods(object: &Object) -> bool {
    let number = |key| object.value().at(&["spec", key]).and_then(Value::as_number);
    let is_on = |key| object.value().is_true_at(&["spec", key]);
    let is_held = match object.kind() {
        "CronJob" => true,
        "Deployment" => is_on("paused"),
        "Job" => is_on("suspend") || number("parallelism") == Some(0),
        _ => false,
    };
    !is_held && number("replicas") != Some(0)
}
