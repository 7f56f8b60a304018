//! Why a Job runs again, and how a sentence says so.

use std::fmt;

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Difference;
use rewrite::strategy::Strategy;

use super::when::joined;
use super::{ChangedUse, Renamed};

/// Why a Job runs again.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A field changed.
    Field(Difference),
    /// `rerun` changed.
    Rerun(String, String),
    /// The data of something that it refers to changed.
    References,
    /// The strategy of the Job changed.
    Strategy(Strategy, Strategy),
    /// The name of the Job changed for another reason.
    Name(String, String),
    /// It runs at every sync, changed or not, and did not before.
    EverySync,
    /// It is a hook that runs at another time of the sync.
    Moved {
        /// When the old hook ran.
        was: Moments,
        /// When the new hook runs.
        is: Moments,
    },
    /// It is a hook that also runs in these phases now.
    Also(Vec<Phase>),
    /// It is a hook that does not run in these phases any more, but still in others.
    NoLonger(Vec<Phase>),
    /// More of it changed than its fields show, or nothing else is known.
    Content,
    /// Its TTL has deleted the earlier Job.
    Ttl {
        /// The TTL, in seconds.
        ttl: i64,
        /// Whether the sync fails if the earlier Job is still there.
        is_refused_otherwise: bool,
    },
    /// Its delete policy has deleted the earlier Job.
    DeletePolicy,
    /// It runs after the sync has pruned the ordinary Job of its name.
    Pruned,
    /// It is not a hook any more, and its delete policy has deleted the earlier Job.
    NotAHook,
    /// The live Job still has `Force=true` and `Replace=true`, so Argo CD replaces it.
    LiveOptions,
}

/// When a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    /// The phases.
    pub phases: Vec<Phase>,
    /// The wave in each phase.
    pub wave: i64,
}

impl Because {
    /// The field, when the reason is that one changed.
    pub fn field(&self) -> Option<&Difference> {
        if let Self::Field(field) = self { Some(field) } else { None }
    }

    /// Whether it is about the manifest of the Job, and not about the cluster or another object.
    pub(super) fn is_of_the_manifest(&self) -> bool {
        !matches!(self, Self::Ttl { .. } | Self::DeletePolicy | Self::LiveOptions | Self::References)
    }

    /// Whether it is only a generated name of an object that the Job uses and that differs.
    pub(super) fn is_explained_by(&self, uses: &[ChangedUse]) -> bool {
        self.field().is_some_and(|field| Renamed::of(uses).explains(field))
    }

    /// True when the Job runs for this reason at a sync that changes nothing too.
    pub fn is_without_change(&self) -> bool {
        matches!(self, Self::Ttl { .. } | Self::DeletePolicy)
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With the flags of the whole.
            Self::Field(difference) => difference.fmt(f),
            Self::Rerun(old, new) => write!(f, "`rerun`: `{old}` → `{new}`"),
            Self::References => {
                f.write_str("data of a ConfigMap or Secret that the Job uses changed (`hash-references`)")
            }
            Self::Strategy(old, new) => write!(f, "strategy: `{old}` → `{new}`"),
            Self::Name(old, new) => write!(f, "name: `{old}` → `{new}`"),
            Self::EverySync => f.write_str("it runs at every sync now"),
            Self::Moved { was, is } if was.wave == is.wave => {
                write!(f, "it moves from {} to {}", joined(&was.phases), joined(&is.phases))
            }
            Self::Moved { was, is } => {
                let [before, now] = [&was.phases, &is.phases].map(|phases| joined(phases));
                write!(f, "it moves from {before} wave {} to {now} wave {}", was.wave, is.wave)
            }
            Self::Also(phases) => write!(f, "it also runs in {} now", joined(phases)),
            Self::NoLonger(phases) => write!(f, "it no longer runs in {}", joined(phases)),
            Self::Content => f.write_str("its content changes"),
            Self::Ttl { ttl, .. } => {
                write!(f, "its TTL has deleted the earlier Job (`ttlSecondsAfterFinished: {ttl}`)")
            }
            Self::LiveOptions => f.write_str("the live Job still has `Force=true`, and Argo CD replaces it once more"),
            Self::DeletePolicy => f.write_str("its delete policy has deleted the earlier one (`HookSucceeded`)"),
            Self::Pruned => f.write_str("the sync first prunes the earlier one, which is not a hook"),
            Self::NotAHook => f.write_str(
                "it is not a hook any more, and its delete policy has deleted the earlier Job (`HookSucceeded`)",
            ),
        }
    }
}
