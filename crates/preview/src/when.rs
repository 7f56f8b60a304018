//! When a Job runs, as far as its manifest decides.

use std::fmt;

use goyaml::Value;
use kube_jobs::argocd::{Phase, Version};
use kube_jobs::kubernetes::{Job, Object};
use lint::survey::sync_order::{self, Absence};
use lint::survey::{Random, RandomValue, Survey};
use rewrite::plan::JobPlan;
use rewrite::strategy::Strategy;
use text::Place;

use super::by_application::{ByApplication, FORCE, REPLACE};

/// When a Job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Once under its emitted name, which changes with the content.
    OncePerContent,
    /// Not again: its content is the baseline, and the name stays as it is in the cluster.
    Baseline,
    /// At every sync of the whole Application, as a hook in these phases.
    EveryFullSync(Vec<Phase>),
    /// Only when a sync has failed.
    FailedSync,
    /// At every sync that applies it, because it is replaced by force.
    EverySync,
    /// After every rendering, because each one makes a different Job of it.
    EveryRendering(Differs),
    /// Once, when it is created: a later sync finds it there and only changes it in place. Only for hooks that are not Jobs.
    Once,
    /// Once, when it is created; a change of an immutable field fails.
    OnceForAll,
    /// Once under its name, as a hook; a later sync finds it, unless a sync has failed and deleted it.
    OncePerName,
    /// Once, and again whenever its TTL has deleted it.
    AfterItsTtl {
        /// The TTL in seconds.
        ttl: i64,
        /// Whether self-heal creates it again: then it runs without any commit.
        is_healed: bool,
    },
    /// Once, and again when a change is refused: then it is deleted and created.
    WhenRefused,
    /// Not in a sync.
    Never(Absence),
    /// Never: it is rejected, and the sync fails.
    Rejected(Rejection),
    /// As the inner value, but a sync that applies it unchanged fails, because it is replaced without force.
    FailsUnchanged(Box<When>),
    /// Not at all while `suspend: true` is set.
    Suspended(Box<When>),
}

/// What makes a Job different at every rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Where it is.
    pub place: Option<Place>,
    /// True if it only differs on another day.
    pub is_dated: bool,
}

/// Why a Job cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The API server rejects it in its wave: the dry run before the sync runs on the client, and does not notice it.
    Invalid,
    /// The API server rejects it, and Argo CD cannot compare it with the live one.
    InComparison,
    /// `kubectl apply` rejects a `generateName`, in the dry run before the sync.
    GenerateName,
    /// kubectl rejects `Force=true` with server-side apply, when its wave comes (see the fact `ForceIsIgnored`).
    ForceOnServer,
}

/// Whether `spec.template` is null: the API server has never taken such a Job.
fn has_null_template(job: &Job) -> bool {
    job.value().at(&["spec", "template"]) == Some(&Value::Null)
}

/// Whether the API server rejects the name that Argo CD builds for a hook.
fn is_misnamed(hook: &Object, survey: &Survey<'_>) -> bool {
    survey.application.generated_name_fault(hook).is_some()
}

impl When {
    /// When the Job runs that is object `object` of the survey.
    pub(super) fn of(survey: &Survey<'_>, object: usize, plan: &JobPlan, version: Version) -> Self {
        let Some(job) = survey.objects[object].emitted.as_ref().and_then(|resource| resource.job()) else {
            return Self::Never(Absence::NoValidType);
        };
        let application = ByApplication::of(survey, version);
        let random = survey.random_values(object).into_iter().next().filter(|value| value.part > Random::Changeable);
        let random = random.map(|RandomValue { part, object, path, is_dated }| {
            (part, Differs { place: survey.place(object, &path), is_dated })
        });
        let is_invalid = || application.is_invalid(job) || has_null_template(job) || is_misnamed(job, survey);
        let when = match Self::of_job(job, plan, application, random) {
            Self::Never(why) => return Self::Never(why),
            rejected @ Self::Rejected(_) => return rejected,
            _ if is_invalid() => return Self::Rejected(Rejection::Invalid),
            _ if application.cannot_force(job) => return Self::Rejected(Rejection::ForceOnServer),
            when => when,
        };
        if job.is_suspended() { Self::Suspended(Box::new(when)) } else { when }
    }

    /// When a hook that is not a Job runs.
    pub(super) fn of_hook(hook: &Object, survey: &Survey<'_>, version: Version) -> Self {
        match phases(hook, version) {
            Err(why) => Self::Never(why),
            Ok(_) if is_misnamed(hook, survey) => Self::Rejected(Rejection::Invalid),
            Ok(phases) if phases == [Phase::SyncFail] => Self::FailedSync,
            Ok(phases) if hook.is_always_created() => Self::EveryFullSync(phases),
            Ok(_) if hook.is_deleted_only_after_failure() => Self::OncePerName,
            Ok(_) => Self::Once,
        }
    }

    fn of_job(job: &Job, plan: &JobPlan, application: ByApplication<'_>, random: Option<(Random, Differs)>) -> Self {
        let phases = match phases(job, application.version) {
            Ok(phases) => phases,
            Err(absence) => return Self::Never(absence),
        };
        match job.is_hook() {
            true if phases == [Phase::SyncFail] => return Self::FailedSync,
            // Any other hook is applied like an ordinary Job, on top of the Job that the last sync left.
            true if job.is_always_created() => return Self::EveryFullSync(phases),
            _ => {}
        }
        let outcome = &plan.outcome;
        let has = |option| job.has_sync_option(option);
        let is_replaced = has(REPLACE) || application.replaces();
        if job.name().is_none() {
            // What has no name is never live, so it is created each time.
            return if is_replaced { Self::EverySync } else { Self::Rejected(Rejection::GenerateName) };
        }
        // Without `_`: a new strategy does not compile until it is decided here.
        let when = match outcome.decision.strategy {
            Strategy::HashName if !plan.changes && plan.emitted.name == plan.name && !is_hashed(plan) => Self::Baseline,
            Strategy::HashName => Self::OncePerContent,
            Strategy::Hook | Strategy::GenerateName | Strategy::Replace | Strategy::Keep => {
                match (application.forces(job, job), is_replaced) {
                    (true, true) => Self::EverySync,
                    (true, false) => Self::WhenRefused,
                    (false, _) => match job.short_ttl() {
                        Some(ttl) => Self::AfterItsTtl { ttl, is_healed: application.heals(job) },
                        None if job.is_hook() && job.is_deleted_only_after_failure() => Self::OncePerName,
                        None => Self::OnceForAll,
                    },
                }
            }
        };
        let when = match (when, random) {
            (When::OncePerContent | When::WhenRefused, Some((_, differs))) => Self::EveryRendering(differs),
            // Nothing of its name is ever there, whatever its TTL deletes.
            (When::OnceForAll | When::OncePerName | When::AfterItsTtl { .. }, Some((Random::Name, differs))) => {
                Self::EveryRendering(differs)
            }
            (when @ (When::OnceForAll | When::OncePerName), Some(_)) => return Self::FailsUnchanged(Box::new(when)),
            (when, _) => when,
        };
        let may_be_there = !matches!(when, Self::AfterItsTtl { .. });
        let is_applied_unchanged = is_replaced && !has(FORCE) && !application.skips_unchanged() && may_be_there;
        if is_applied_unchanged { Self::FailsUnchanged(Box::new(when)) } else { when }
    }

    /// True for a hook that runs in other phases, and when a sync has failed.
    pub(super) fn is_also_after_failure(&self) -> bool {
        matches!(self, Self::EveryFullSync(phases) if phases.contains(&Phase::SyncFail))
    }

    /// When the Job runs once it is not suspended any more.
    pub fn awake(&self) -> &Self {
        if let Self::Suspended(when) = self { when } else { self }
    }

    /// True when a sync that changes nothing runs it.
    pub fn is_every_sync(&self) -> bool {
        matches!(self, Self::EveryFullSync(_) | Self::EverySync | Self::EveryRendering(_))
    }
}

/// The phases in which this version of Argo CD applies an object. Fails with the reason if there is none.
pub(super) fn phases(object: &Object, version: Version) -> Result<Vec<Phase>, Absence> {
    match sync_order::phases(object) {
        Ok(_) if object.is_left_out_of_syncs(version) => Err(Absence::Deletion),
        Err(Absence::Deletion) if object.deletions(version).is_empty() => Err(Absence::NoValidType),
        // `isPostDeleteHook` does not look at `Skip`.
        Err(Absence::Skip) if !object.deletions(version).is_empty() => Err(Absence::Deletion),
        phases => phases,
    }
}

/// True when the emitted name ends in the hash of the content.
fn is_hashed(plan: &JobPlan) -> bool {
    match (&plan.emitted.name, &plan.outcome.hash) {
        (Some(name), Some(hash)) => name.ends_with(hash.as_str()),
        _ => false,
    }
}

/// `PreSync and Sync`
pub(super) fn joined(phases: &[Phase]) -> String {
    phases.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(" and ")
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OncePerContent => f.write_str("once per change"),
            Self::Baseline => f.write_str("not until it changes, if it is live (baseline)"),
            Self::EveryFullSync(phases) => {
                let also = if phases.len() > 1 { format!(", in {}", joined(phases)) } else { String::new() };
                write!(f, "at every sync{also}")
            }
            Self::FailedSync => f.write_str("only if a sync fails"),
            Self::EverySync => f.write_str("at every sync (`Force=true,Replace=true`)"),
            Self::EveryRendering(Differs { place, is_dated }) => {
                let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
                let each = if *is_dated { "at the first rendering of a day" } else { "at every rendering" };
                write!(f, "{each}, because it differs each time{place}")
            }
            Self::Once => f.write_str("once; a later sync only changes it in place"),
            Self::OncePerName => f.write_str("once per name; again after a failed sync"),
            Self::OnceForAll => f.write_str("once; a change fails: `field is immutable`"),
            Self::AfterItsTtl { ttl, is_healed: false } => {
                write!(f, "once, and again at each sync after its TTL ({ttl} s)")
            }
            Self::AfterItsTtl { ttl, is_healed: true } => {
                write!(
                    f,
                    "about {ttl} s after each run, without any commit: its TTL deletes it, and self-heal creates it again"
                )
            }
            Self::WhenRefused => f.write_str("once, and again when a change replaces it"),
            Self::Never(Absence::Deletion) => f.write_str("when the Application is deleted"),
            Self::Never(Absence::Skip) => f.write_str("never (`Skip`)"),
            Self::Never(Absence::Repeated) => f.write_str("never: another Job with its name comes later"),
            Self::Never(Absence::NoValidType) => f.write_str("never: unknown hook type"),
            Self::Never(Absence::HelmTest) => f.write_str("never: only `helm test` runs it"),
            Self::Rejected(Rejection::Invalid | Rejection::InComparison) => {
                f.write_str("never: the API server rejects it")
            }
            Self::Rejected(Rejection::GenerateName) => f.write_str("never: a `generateName` needs a hook"),
            Self::Rejected(Rejection::ForceOnServer) => {
                f.write_str("never: `Force=true` is rejected with server-side apply")
            }
            Self::FailsUnchanged(when) if **when == Self::Baseline => f.write_str("never: it fails every sync"),
            Self::FailsUnchanged(when) if **when == Self::OnceForAll => f.write_str("once; then it fails every sync"),
            Self::FailsUnchanged(when) => write!(f, "{when}; unchanged, it fails the sync"),
            Self::Suspended(when) => write!(f, "not while suspended; then {when}"),
        }
    }
}
