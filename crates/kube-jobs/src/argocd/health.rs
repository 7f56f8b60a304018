//! The kinds for which Argo CD has a health check. A hook of any other kind counts as finished as soon as it is created.

use serde::Serialize;

use super::{Glob, Version};
use crate::kubernetes::{Object, Runs};

/// One line for the kinds of an API group that have a health check since a version of Argo CD: the version, the group, the kinds. A `*` at the start
/// of a group stands for any text, a `*` as a kind for all kinds. These are the checks that are built in (`GetHealthCheckFunc` in
/// `gitops-engine/pkg/health/health.go`) and those in Lua (`resource_customizations`). What 3.2 has is taken to be in older versions too.
const CHECKS: &str = include_str!("health.txt");

/// The health checks that an `argocd-cm` adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomChecks {
    /// The file that it is in.
    pub place: String,
    /// Globs of `group/Kind`, of the core group only the kind. None if Argo CD cannot read them.
    pub kinds: Option<Vec<String>>,
}

/// Whether a sync waits for a hook until it is healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A sync waits for it.
    Yes,
    /// A sync does not wait for it: there is no health check.
    No,
    /// A sync waits for it where this `argocd-cm` holds.
    OnlyWith(String),
}

impl Waits {
    /// Whether a sync waits for a hook of this kind. Of several `argocd-cm` it is unknown which one holds.
    pub fn of(group: &str, kind: &str, version: Version, all: &[CustomChecks]) -> Self {
        let name = if group.is_empty() { kind.to_owned() } else { format!("{group}/{kind}") };
        let has_check = |kinds: &Vec<String>| kinds.iter().any(|glob| Glob::new(glob).matches(&name));
        let may_have = |checks: &&CustomChecks| checks.kinds.as_ref().is_none_or(has_check);
        match all.iter().find(may_have) {
            _ if has_health_check(group, kind, version) => Self::Yes,
            None => Self::No,
            Some(_) if all.iter().all(|checks| checks.kinds.as_ref().is_some_and(has_check)) => Self::Yes,
            Some(CustomChecks { place, kinds: Some(_) }) => Self::OnlyWith(format!("`{place}`")),
            Some(CustomChecks { place, kinds: None }) => Self::OnlyWith(format!("`{place}`, which cannot be read")),
        }
    }
}

/// What an object has to be before a sync that waits for it goes on (`gitops-engine/pkg/health`, `resource_customizations`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// A Job or the like: it has succeeded.
    Complete,
    /// A workload: its pods are updated and available.
    Available,
    /// A volume claim: it has its volume.
    Bound,
    /// An Ingress, or a Service of type `LoadBalancer`: it has an address.
    Address,
    /// Anything else with a health check: its controller says so.
    Healthy,
}

impl Ready {
    /// None if a sync does not wait for such an object.
    pub fn of(object: &Object, version: Version, checks: &[CustomChecks]) -> Option<Self> {
        let (group, kind) = (object.group(), object.kind());
        let is_balanced = || object.value().text_at(&["spec", "type"]) == Some("LoadBalancer");
        match (group, kind) {
            // Most objects are of such a kind, and the table is long.
            ("", _) if checks.is_empty() && !matches!(kind, "PersistentVolumeClaim" | "Pod" | "Service") => None,
            _ if Waits::of(group, kind, version, checks) != Waits::Yes => None,
            _ if object.runs() == Runs::ToAnEnd => Some(Self::Complete),
            // The health check of a CronJob is about its last Job, and a CronWorkflow is healthy without a status.
            ("batch", "CronJob") | ("argoproj.io", "CronWorkflow") => None,
            ("", "Service") => is_balanced().then_some(Self::Address),
            ("", "PersistentVolumeClaim") => Some(Self::Bound),
            ("apps", _) | ("argoproj.io", "Rollout") => Some(Self::Available),
            ("networking.k8s.io" | "extensions", "Ingress") => Some(Self::Address),
            _ => Some(Self::Healthy),
        }
    }

    /// The end of a sentence that begins with "the sync waits until it".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "is complete",
            Self::Available => "is available",
            Self::Bound => "is bound",
            Self::Address => "has an address",
            Self::Healthy => "is healthy",
        }
    }
}

/// Whether Argo CD waits for the health of objects of a kind (`getOperationPhase` in `gitops-engine/pkg/sync/sync_context.go`). Ignores the checks
/// that `argocd-cm` adds.
fn has_health_check(group: &str, kind: &str, version: Version) -> bool {
    let group = if group.is_empty() { "core" } else { group };
    CHECKS.lines().any(|line| {
        let mut words = line.split(' ');
        let since = words.next();
        let is_group = words.next().is_some_and(|known| match known.strip_prefix('*') {
            Some(end) => group.ends_with(end),
            None => group == known,
        });
        let is_kind = is_group && words.any(|known| known == "*" || known == kind);
        is_kind && since.and_then(Version::parse).is_some_and(|since| version >= since)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argo_cd_waits_for_workflows_and_since_3_6_for_tekton() {
        for (group, kind, in_3_5, in_3_6) in [
            ("", "Pod", true, true),
            ("argoproj.io", "Workflow", true, true),
            ("argoproj.io", "AnalysisRun", true, true),
            ("s3.aws.upbound.io", "Bucket", true, true),
            ("batch", "CronJob", true, true),
            ("tekton.dev", "TaskRun", false, true),
            ("", "ConfigMap", false, false),
            ("example.com", "Job", false, false),
        ] {
            let has = |minor| has_health_check(group, kind, Version::new(3, minor, 0));
            assert_eq!((has(5), has(6)), (in_3_5, in_3_6), "{group}/{kind}");
        }
    }
}
