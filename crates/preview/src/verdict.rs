//! What happens to a Job when the next version is synced, and the sentence that says so.

use kube_jobs::kubernetes::Difference;
use lint::survey::sync_order::Absence;

use super::because::Because;
use super::by_application::ByApplication;
use super::{Halt, Kind, Leftover, Rejection, Runnable, Stop, When};

/// Whether a Job runs with the sync of the new version.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is new; when it runs.
    New(When),
    /// It was removed.
    Gone(Leftover),
    /// It runs once more, for these reasons.
    RunsAgain(Vec<Because>),
    /// It starts, because it is no longer suspended; the changes.
    Resumes(Vec<Because>),
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
    Fails(Vec<Because>),
    /// It does not run, although it is a Sync hook: it was an ordinary Job, which the sync prunes, and Argo CD takes the result of the pruning for
    /// that of the hook.
    Trapped(Vec<Because>),
    /// It makes the sync fail: it is a hook that is not deleted first, and is applied while the sync still deletes the ordinary Job of its name.
    Collides(Vec<Because>),
    /// It does not run; changes are made in place.
    DoesNotRun {
        /// When a sync runs it.
        when: When,
        /// The changes.
        changed: Vec<Because>,
    },
    /// It does not run, because the sync fails or waits before it; the verdict without that.
    Blocked(Box<Verdict>, Halt),
    /// It runs because the sync fails; the verdict without that.
    AfterFailure(Box<Verdict>),
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
            Self::New(when) => {
                !matches!(when, When::Never(_) | When::Rejected(_) | When::Suspended(_) | When::FailedSync)
            }
            Self::RunsAgain(_) | Self::Resumes(_) | Self::EverySync { .. } | Self::AfterFailure(_) => true,
            Self::Gone(_) | Self::Fails(_) | Self::Trapped(_) | Self::Collides(_) => false,
            Self::DoesNotRun { .. } | Self::Blocked(..) => false,
        }
    }

    /// When the Job runs, as its manifest says; none for a verdict that does not depend on it.
    pub fn when(&self) -> Option<&When> {
        match self {
            Self::New(when) | Self::EverySync { when, .. } | Self::DoesNotRun { when, .. } => Some(when),
            _ => None,
        }
    }

    /// True when Argo CD never runs the Job because it does not know the type of the hook.
    pub fn is_never(&self) -> bool {
        self.when() == Some(&When::Never(Absence::NoValidType))
    }

    /// True when the Job is rejected, so that the sync fails.
    pub fn is_rejected(&self) -> bool {
        matches!(self.when(), Some(When::Rejected(_)))
    }

    /// True when the Job makes the sync fail, or does not run although its manifest says that it does.
    pub fn is_an_error(&self) -> bool {
        self.is_never() || self.is_rejected() || matches!(self, Self::Fails(_) | Self::Trapped(_) | Self::Collides(_))
    }

    /// True when the new version makes anything run, fail or disappear that the old one would not have.
    pub fn is_a_change(&self) -> bool {
        match self {
            Self::New(When::Never(_)) => false,
            Self::RunsAgain(because) => !because.iter().all(Because::is_without_change),
            Self::New(_) | Self::Gone(_) | Self::Resumes(_) => true,
            Self::Fails(_) | Self::Trapped(_) | Self::Collides(_) => true,
            Self::EverySync { changed, .. } | Self::DoesNotRun { changed, .. } => !changed.is_empty(),
            Self::Blocked(verdict, _) | Self::AfterFailure(verdict) => verdict.is_a_change(),
        }
    }

    /// What changed in the Job, or why it runs again. Empty for `Blocked` and `AfterFailure`: ask the verdict that [`Self::otherwise`] returns.
    pub fn changed(&self) -> &[Because] {
        match self {
            Self::RunsAgain(changed) | Self::Resumes(changed) | Self::Fails(changed) => changed,
            Self::Trapped(changed) | Self::Collides(changed) => changed,
            Self::EverySync { changed, .. } | Self::DoesNotRun { changed, .. } => changed,
            Self::New(_) | Self::Gone(_) | Self::Blocked(..) | Self::AfterFailure(_) => &[],
        }
    }

    /// Where a Job with this verdict makes the sync end or wait; none for other Jobs. `is_awaited` says whether the sync waits for the Job while it
    /// is suspended.
    pub(super) fn stop(&self, job: &Runnable, is_awaited: bool, application: ByApplication<'_>) -> Option<Stop> {
        match self {
            // Hooks are not compared.
            Self::Collides(_) => Stop::failing(job.moment),
            Self::Fails(_) if job.is_hook => Stop::failing(job.moment),
            Self::Fails(_) => Stop::by_update(job.moment, application),
            // A Job that does not exist is created, and not replaced.
            Self::New(When::FailsUnchanged(_)) => None,
            Self::New(when) | Self::DoesNotRun { when, .. } => Stop::by(when, job.moment, is_awaited),
            _ => None,
        }
    }

    /// The verdict for a sync that reaches the Job and does not fail.
    pub fn otherwise(&self) -> &Self {
        match self {
            Self::Blocked(verdict, _) | Self::AfterFailure(verdict) => verdict,
            verdict => verdict,
        }
    }
}

impl Verdict {
    /// The verdict as the rest of a sentence about one Job, or another object of the kind, or about several. `moment` follows what runs: `, in Sync wave 0`. `uses` says
    /// whether something that it uses has changed.
    pub fn about(&self, kind: &Kind, is_one: bool, moment: &str, uses: bool) -> String {
        let of = |one: &'static str, many: &'static str| if is_one { one } else { many };
        let (runs, does, it) = (kind.verb(is_one), of("does", "do"), of("it", "them"));
        match self {
            Self::New(when) => new(when, runs, is_one, moment),
            Self::Gone(leftover) => gone(*leftover, is_one),
            Self::RunsAgain(_) if kind.is_only_applied() => format!("{runs} once more{moment}"),
            Self::RunsAgain(_) => format!("will run once more{moment}"),
            Self::Resumes(_) => {
                format!("{}{moment}, unless {} ended already", of("starts", "start"), of("it has", "they have"))
            }
            Self::EverySync { when, changed, .. } => {
                let state = match (changed.is_empty(), uses) {
                    (true, false) => "unchanged",
                    (true, true) => of("unchanged, but not what it uses", "unchanged, but not what they use"),
                    (false, _) => "changed",
                };
                format!("{runs} {}{when}{moment}; {state}", at(when))
            }
            Self::Fails(_) => format!("{} the sync fail with `field is immutable`", of("makes", "make")),
            Self::Collides(_) => format!(
                "{} the sync fail: {} applied while the sync still deletes {} that is not a hook",
                of("makes", "make"),
                of("it is", "they are"),
                of("the object of its name", "each object of their names")
            ),
            Self::Trapped(_) => format!(
                "{does} not run: the sync prunes {} that is not a hook, and Argo CD takes that for the run of the {}",
                of("the object of this name", "each object of these names"),
                of("hook", "hooks")
            ),
            Self::Blocked(_, Halt::Comparison) => format!("{does} not run, because the comparison fails"),
            Self::Blocked(_, why) => format!("{does} not run, because the sync {} before {it}", why.verb()),
            Self::AfterFailure(_) => format!("{runs}, because the sync fails{moment}"),
            Self::DoesNotRun { when, changed } => match when {
                When::Never(Absence::NoValidType) => "will never run: Argo CD does not know the hook type".to_owned(),
                When::Never(Absence::Repeated) => {
                    format!("{does} not run: Argo CD takes the last of several with the same name")
                }
                When::Never(_) => format!("{does} not run in this sync"),
                When::Rejected(why) => rejected(*why, is_one),
                When::FailedSync => format!("{runs} only if the sync fails"),
                When::Suspended(_) => format!("{does} not run while suspended"),
                When::EverySync if !changed.is_empty() => {
                    format!("{does} not run: Argo CD does not see the change")
                }
                _ if changed.is_empty() => format!("{does} not run; unchanged"),
                _ => format!("{does} not run; changed in place"),
            },
        }
    }
}

/// The sentence about a new Job, or about several.
fn new(when: &When, runs: &str, is_one: bool, moment: &str) -> String {
    let is = if is_one { "is" } else { "are" };
    let (its, it_is) = if is_one { ("its", "it is") } else { ("their", "they are") };
    match when {
        When::Never(Absence::NoValidType) => {
            format!("{is} new but will never run: Argo CD does not know the hook type")
        }
        When::Never(Absence::Skip) => format!("{is} new but never {runs}: the hook type is `Skip`"),
        When::Never(Absence::HelmTest) => format!("{is} new but never {runs} in a sync: only `helm test` does that"),
        When::Never(Absence::Repeated) => {
            format!("{is} new but never {runs}: Argo CD takes the last of several with the same name")
        }
        When::Rejected(why) => format!("{is} new and {}", rejected(*why, is_one)),
        When::Suspended(_) => format!("{is} new, but {} not run while suspended", if is_one { "does" } else { "do" }),
        When::Baseline => {
            format!("{is} new; {runs} once{moment}: a baseline has an effect only when {it_is} live")
        }
        When::OncePerName => format!(
            "{is} new; {runs} once{moment}, unless an earlier one of {its} name is left; again after a failed sync"
        ),
        When::OnceForAll => format!("{is} new; {runs} once{moment}. Warning: {its} next change fails"),
        When::FailsUnchanged(then) if **then == When::OnceForAll => {
            format!("{is} new; {runs} once{moment}. Warning: every later sync fails")
        }
        when => format!("{is} new; {runs} {}{when}{moment}", at(when)),
    }
}

/// The sentence about a Job that is gone, or about several.
fn gone(leftover: Leftover, is_one: bool) -> String {
    let of = |one: &'static str, many: &'static str| if is_one { one } else { many };
    let (is, it, stays) = (of("is", "are"), of("it", "them"), of("it stays", "they stay"));
    match leftover {
        Leftover::Pruned => format!("{is} gone; Argo CD deletes {it}"),
        Leftover::IfPruned => format!("{is} gone; Argo CD deletes {it} if prune is on"),
        Leftover::Left => format!("{is} gone; {stays} in the cluster until somebody prunes (prune is off)"),
        Leftover::Kept => format!("{is} gone; {stays} in the cluster (`Prune=false`)"),
        Leftover::OutOfSync => {
            format!("{is} gone; {stays} in the cluster (`Prune=false`), and the Application is OutOfSync")
        }
        Leftover::Confirmed => {
            format!(
                "{is} gone; the sync waits until somebody confirms that {} deleted (`Prune=confirm`)",
                of("it is", "they are")
            )
        }
        Leftover::Hook => {
            format!("{is} gone; {} in the cluster until you delete {it}", of("the hook stays", "the hooks stay"))
        }
        Leftover::Nothing => format!("{is} gone; {} not in the cluster", of("it is", "they are")),
        Leftover::WithApplication => format!("{is} gone; Argo CD deletes {it} with the Application"),
        Leftover::WithoutApplication => format!("{is} gone; {stays} in the cluster without the Application"),
        Leftover::RunsAtDeletion => format!("{} when Argo CD deletes the Application", of("runs", "run")),
        Leftover::HasRun => format!(
            "{} not run when Argo CD deletes the Application: the {} of the last sync {} still there and {} as the run",
            of("does", "do"),
            of("hook", "hooks"),
            is,
            of("counts", "count")
        ),
        Leftover::CannotRun => format!(
            "{} not run when Argo CD deletes the Application, which hangs: {} from a folder that is gone",
            of("does", "do"),
            of("the hook is rendered", "the hooks are rendered")
        ),
    }
}

fn rejected(why: Rejection, is_one: bool) -> String {
    let (makes, them) = if is_one { ("makes", "it") } else { ("make", "them") };
    match why {
        Rejection::Invalid => format!("{makes} the sync fail: the API server rejects {them}"),
        Rejection::InComparison => format!("{makes} the comparison fail: the API server rejects {them}"),
        Rejection::GenerateName => format!("{makes} the sync fail{}", Failure::GenerateName.why()),
        Rejection::ForceOnServer => {
            format!("{makes} the sync fail: `Force=true` without `Replace=true` is rejected with server-side apply")
        }
    }
}

fn at(when: &When) -> &'static str {
    if when.is_every_sync() { "at " } else { "" }
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
