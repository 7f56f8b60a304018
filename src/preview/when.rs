//! When a Job runs, as far as its manifest decides.

use std::fmt;

use crate::argocd::Phase;
use crate::kubernetes::Job;
use crate::plan::JobPlan;
use crate::strategy::Strategy;
use crate::survey::Survey;
use crate::survey::sync_order::{self, Absence};

/// The sync option by which objects are replaced.
const REPLACE: &str = "Replace=true";

/// When a Job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Once under its emitted name, which changes with the content.
    OncePerContent,
    /// Not again: its content is the baseline, and the name stays as it is in the cluster.
    Baseline,
    /// At every full sync, as a hook in these phases.
    EveryFullSync(Vec<Phase>),
    /// Only when a sync has failed.
    FailedSync,
    /// At every sync that applies it, because it is replaced by force.
    EverySync,
    /// Once, when it is created; a change of an immutable field fails.
    OnceForAll,
    /// Once, and again when a change is refused: then it is deleted and created.
    WhenRefused,
    /// Not in a sync.
    Never(Absence),
    /// Not at all while `suspend: true` is set.
    Suspended(Box<When>),
}

impl When {
    /// When the Job runs that is object `object` of the survey.
    pub(super) fn of(survey: &Survey<'_>, object: usize, plan: &JobPlan) -> Self {
        let Some(job) = survey.objects[object].emitted.as_ref().and_then(|resource| resource.job()) else {
            return Self::Never(Absence::NoValidType);
        };
        let is_replaced = survey.application.sync.as_ref().is_some_and(|sync| sync.has_option(REPLACE));
        let when = Self::of_job(job, plan, is_replaced);
        if job.is_suspended() && !matches!(when, Self::Never(_)) { Self::Suspended(Box::new(when)) } else { when }
    }

    /// `is_replaced` says that the Application replaces all its objects.
    fn of_job(job: &Job, plan: &JobPlan, is_replaced: bool) -> Self {
        let phases = match sync_order::phases(job) {
            Ok(phases) => phases,
            Err(absence) => return Self::Never(absence),
        };
        if job.is_hook() {
            return if phases == [Phase::SyncFail] { Self::FailedSync } else { Self::EveryFullSync(phases) };
        }
        let outcome = &plan.outcome;
        let has = |option| job.has_sync_option(option);
        // Without `_`: a new strategy does not compile until it is decided here.
        match outcome.decision.strategy {
            Strategy::HashName if outcome.changes.is_empty() && plan.emitted.name == plan.name && !is_hashed(plan) => {
                Self::Baseline
            }
            Strategy::HashName => Self::OncePerContent,
            Strategy::Hook | Strategy::GenerateName | Strategy::Replace | Strategy::Keep => {
                match (has("Force=true"), has(REPLACE) || is_replaced) {
                    (true, true) => Self::EverySync,
                    (true, false) => Self::WhenRefused,
                    (false, _) => Self::OnceForAll,
                }
            }
        }
    }

    /// True when a sync that changes nothing runs it.
    pub fn is_every_sync(&self) -> bool {
        matches!(self, Self::EveryFullSync(_) | Self::EverySync)
    }
}

/// True when the emitted name ends in the hash of the content.
fn is_hashed(plan: &JobPlan) -> bool {
    match (&plan.emitted.name, &plan.outcome.hash) {
        (Some(name), Some(hash)) => name.ends_with(hash.as_str()),
        _ => false,
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OncePerContent => f.write_str("once per change"),
            Self::Baseline => f.write_str("not until it changes (baseline)"),
            Self::EveryFullSync(phases) => {
                let phases: Vec<&str> = phases.iter().map(|phase| phase.as_str()).collect();
                write!(f, "every full sync, in {}", phases.join(" and "))
            }
            Self::FailedSync => f.write_str("only if a sync fails"),
            Self::EverySync => f.write_str("every sync that touches it"),
            Self::OnceForAll => f.write_str("once; a change fails: `field is immutable`"),
            Self::WhenRefused => f.write_str("once, and again when a change replaces it"),
            Self::Never(Absence::Deletion) => f.write_str("when the Application is deleted"),
            Self::Never(Absence::Skip) => f.write_str("never (`Skip`)"),
            Self::Never(Absence::NoValidType) => f.write_str("never: unknown hook type"),
            Self::Suspended(when) => write!(f, "not while suspended; then {when}"),
        }
    }
}
