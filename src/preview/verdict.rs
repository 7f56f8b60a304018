//! What becomes of a Job from one version to the next, and how it reads in a sentence.

use std::fmt;

use super::{Rejection, When};
use crate::kubernetes::Difference;
use crate::strategy::Strategy;
use crate::survey::sync_order::Absence;

/// Whether a Job runs with the sync of the new version.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is new, and runs then.
    New(When),
    /// It was removed; a hook stays in the cluster.
    Gone {
        /// Whether Argo CD prunes it.
        is_pruned: bool,
    },
    /// It runs once more, for these reasons.
    RunsAgain(Vec<Because>),
    /// It runs at every sync, changed or not.
    EverySync {
        /// When.
        when: When,
        /// What changed in it.
        changed: Vec<Because>,
        /// Whether the change itself makes the Application OutOfSync.
        starts: bool,
    },
    /// The API server refuses the change, and the sync fails.
    Fails(Vec<Difference>),
    /// It does not run; what is changed in place.
    DoesNotRun {
        /// When it does.
        when: When,
        /// What changed.
        changed: Vec<Difference>,
    },
    /// It does not run, because the sync fails before it; what it would do otherwise.
    Blocked(Box<Verdict>),
}

/// Why a Job runs again.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A field changed.
    Field(Difference),
    /// `rerun` changed.
    Rerun(String, String),
    /// The data of something that it refers to changed.
    References,
    /// Its strategy changed.
    Strategy(Strategy, Strategy),
    /// Its name changed for another reason.
    Name(String, String),
}

/// Why Argo CD could not have applied a Job as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// `field is immutable`
    Immutable(Vec<Difference>),
    /// A `generateName` on something that is not a hook cannot be applied.
    GenerateName,
    /// `Replace=true` alone fails on every Job.
    ReplaceAlone,
}

impl Verdict {
    /// True when the Job runs in the next sync.
    pub fn runs(&self) -> bool {
        match self {
            Self::New(When::FailsUnchanged(when)) => **when != When::Baseline,
            Self::New(when) => !matches!(
                when,
                When::Never(_) | When::Rejected(_) | When::Suspended(_) | When::FailedSync | When::Baseline
            ),
            Self::RunsAgain(_) | Self::EverySync { .. } => true,
            Self::Gone { .. } | Self::Fails(_) | Self::DoesNotRun { .. } | Self::Blocked(_) => false,
        }
    }

    /// True when Argo CD never runs the Job because it does not know the type of the hook.
    pub fn is_never(&self) -> bool {
        matches!(
            self,
            Self::New(When::Never(Absence::NoValidType))
                | Self::DoesNotRun { when: When::Never(Absence::NoValidType), .. }
        )
    }

    /// True when the Job is rejected, so that the sync fails.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::New(When::Rejected(_)) | Self::DoesNotRun { when: When::Rejected(_), .. })
    }

    /// True when the new version makes anything run, fail or disappear that the old one would not have.
    pub fn is_a_change(&self) -> bool {
        match self {
            Self::New(When::Never(_)) => false,
            Self::New(_) | Self::Gone { .. } | Self::RunsAgain(_) | Self::Fails(_) => true,
            Self::EverySync { changed, .. } => !changed.is_empty(),
            Self::DoesNotRun { changed, .. } => !changed.is_empty(),
            Self::Blocked(verdict) => verdict.is_a_change(),
        }
    }
}

impl Verdict {
    /// The verdict as the rest of a sentence about one Job, or about several. `moment` follows what runs: `, in Sync wave 0`.
    pub fn about(&self, is_one: bool, moment: &str) -> String {
        let of = |one: &'static str, many: &'static str| if is_one { one } else { many };
        let (is, runs, does) = (of("is", "are"), of("runs", "run"), of("does", "do"));
        match self {
            Self::New(When::Never(Absence::NoValidType)) => {
                format!("{is} new but will never run: Argo CD does not know the hook type")
            }
            Self::New(When::Never(Absence::Skip)) => format!("{is} new but never {runs}: the hook type is `Skip`"),
            Self::New(When::Rejected(why)) => format!("{is} new and {}", rejected(*why, is_one)),
            Self::New(when) => format!("{is} new; {runs} {}{when}{moment}", at(when)),
            Self::Gone { is_pruned: true } => {
                format!("{is} gone; Argo CD deletes {} if prune is on", of("it", "them"))
            }
            Self::Gone { is_pruned: false } => {
                let stays = of("the hook stays", "the hooks stay");
                format!("{is} gone; {stays} in the cluster until you delete {}", of("it", "them"))
            }
            Self::RunsAgain(_) => format!("will run once more{moment}"),
            Self::EverySync { when, changed, .. } => {
                let state = if changed.is_empty() { "unchanged" } else { "changed" };
                format!("{runs} {}{when}{moment}; {state}", at(when))
            }
            Self::Fails(_) => format!("{} the sync fail with `field is immutable`", of("makes", "make")),
            Self::DoesNotRun { when: When::Never(Absence::NoValidType), .. } => {
                "will never run: Argo CD does not know the hook type".to_owned()
            }
            Self::DoesNotRun { when: When::Rejected(why), .. } => rejected(*why, is_one),
            Self::DoesNotRun { when: When::FailedSync, .. } => format!("{runs} only if the sync fails"),
            Self::DoesNotRun { when: When::Never(_), .. } => format!("{does} not run in this sync"),
            Self::Blocked(_) => format!("{does} not run, because the sync fails before {}", of("it", "them")),
            Self::DoesNotRun { when: When::Suspended(_), .. } => format!("{does} not run while suspended"),
            Self::DoesNotRun { changed, .. } if changed.is_empty() => format!("{does} not run; unchanged"),
            Self::DoesNotRun { .. } => format!("{does} not run; changed in place"),
        }
    }
}

fn rejected(why: Rejection, is_one: bool) -> String {
    let (makes, them) = if is_one { ("makes", "it") } else { ("make", "them") };
    match why {
        Rejection::Invalid => format!("{makes} the sync fail: the API server rejects {them}"),
        Rejection::GenerateName => format!("{makes} the sync fail{}", Failure::GenerateName.why()),
    }
}

fn at(when: &When) -> &'static str {
    if when.is_every_sync() { "at " } else { "" }
}

impl Because {
    /// The reason without the name of the container, so that it reads the same for all containers.
    pub fn in_general(&self) -> String {
        match self {
            Self::Field(difference) => difference.in_general(),
            other => other.to_string(),
        }
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
        }
    }
}

impl Failure {
    /// Why the sync fails, as the rest of a sentence: ` with `field is immutable``.
    pub fn why(&self) -> &'static str {
        match self {
            Self::Immutable(_) => " with `field is immutable`",
            Self::GenerateName => ": `generateName` on a Job that is not a hook cannot be applied",
            Self::ReplaceAlone => ": `Replace=true` without `Force=true` is rejected for every Job",
        }
    }
}
