//! What happens to a Job when the next version is synced, and the sentence that says so.

use std::borrow::Cow;
use std::fmt;

use super::when::ByApplication;
use super::{Halt, Leftover, Rejection, Runnable, Stop, When};
use crate::kubernetes::{Alike, Difference, Image};
use crate::strategy::Strategy;
use crate::survey::sync_order::Absence;
use crate::yaml::Step;

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
    Resumes(Vec<Difference>),
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
        changed: Vec<Difference>,
    },
    /// It does not run, because the sync fails or waits before it; the verdict without that.
    Blocked(Box<Verdict>, Halt),
    /// It runs because the sync fails; the verdict without that.
    AfterFailure(Box<Verdict>),
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
    /// It runs at every sync, changed or not, and did not before.
    EverySync,
    /// It is a hook that ran in these phases and this wave, and runs in others.
    Moved(String, String),
    /// Its TTL, in seconds, has deleted the earlier Job.
    Ttl(i64),
    /// Its delete policy has deleted the earlier Job.
    DeletePolicy,
    /// It runs after the sync has pruned the ordinary Job of its name.
    Pruned,
    /// It is not a hook any more, and its delete policy has deleted the earlier Job.
    NotAHook,
    /// The live Job still has `Force=true` and `Replace=true`, so Argo CD replaces it.
    LiveOptions,
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
            Self::EverySync { changed, .. } => !changed.is_empty(),
            Self::DoesNotRun { changed, .. } => !changed.is_empty(),
            Self::Blocked(verdict, _) | Self::AfterFailure(verdict) => verdict.is_a_change(),
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
    /// The verdict as the rest of a sentence about one Job, or about several. `moment` follows what runs: `, in Sync wave 0`. `uses` says
    /// whether something that it uses has changed.
    pub fn about(&self, is_one: bool, moment: &str, uses: bool) -> String {
        let of = |one: &'static str, many: &'static str| if is_one { one } else { many };
        let (runs, does, it) = (of("runs", "run"), of("does", "do"), of("it", "them"));
        match self {
            Self::New(when) => new(when, is_one, moment),
            Self::Gone(leftover) => gone(*leftover, is_one),
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
                    format!("{does} not run: Argo CD does not see what is removed")
                }
                _ if changed.is_empty() => format!("{does} not run; unchanged"),
                _ => format!("{does} not run; changed in place"),
            },
        }
    }
}

/// The sentence about a new Job, or about several.
fn new(when: &When, is_one: bool, moment: &str) -> String {
    let (is, runs) = if is_one { ("is", "runs") } else { ("are", "run") };
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
        Rejection::GenerateName => format!("{makes} the sync fail{}", Failure::GenerateName.why()),
        Rejection::ForceOnServer => {
            format!("{makes} the sync fail: `Force=true` without `Replace=true` is rejected with server-side apply")
        }
    }
}

fn at(when: &When) -> &'static str {
    if when.is_every_sync() { "at " } else { "" }
}

impl Because {
    /// The field, when the reason is that one changed.
    pub fn field(&self) -> Option<&Difference> {
        if let Self::Field(field) = self { Some(field) } else { None }
    }

    /// The images, when the reason is that one changed.
    pub fn image(&self) -> Option<(&str, &str)> {
        let Self::Field(Difference { path, old, new, .. }) = self else { return None };
        let is_image = path.steps().last() == Some(&Step::Key("image".into()));
        Some((old.as_ref()?.as_text()?, new.as_ref()?.as_text()?)).filter(|_| is_image)
    }

    /// What differs between the images, when the reason is that one changed.
    pub fn image_in_short(&self) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
        self.image().map(|(old, new)| Image::change(old, new))
    }

    /// The reason after `because`, in few words, for one Job or for several: `its image changes (`v1` → `v2`)`.
    pub fn in_short(&self, is_one: bool) -> String {
        let (its, it, s, ones) = if is_one { ("its", "it", "s", "one") } else { ("their", "they", "", "ones") };
        if let Some((old, new)) = self.image_in_short() {
            return format!("{its} image changes (`{old}` → `{new}`)");
        }
        match self {
            Self::Field(difference) => Alike::of([difference]).first().map(Alike::in_short).unwrap_or_default(),
            Self::Rerun(..) => "`rerun` changes".to_owned(),
            Self::References => format!("data that {it} use{s} changes"),
            Self::Strategy(..) => format!("{its} strategy changes"),
            Self::Name(..) => format!("{its} name changes"),
            Self::EverySync => format!("{it} run{s} at every sync now"),
            Self::Moved(was, is) => format!("{it} move{s} from {was} to {is}"),
            Self::Ttl(_) => format!("{its} TTL has deleted the earlier {ones}"),
            Self::DeletePolicy => format!("{its} delete policy has deleted the earlier {ones}"),
            Self::Pruned => format!("the sync prunes the earlier {ones} first"),
            Self::NotAHook => {
                if is_one { "it is not a hook any more" } else { "they are not hooks any more" }.to_owned()
            }
            Self::LiveOptions => format!("the live {} `Force=true`", if is_one { "Job has" } else { "Jobs have" }),
        }
    }

    /// True when the Job runs for this reason at a sync that changes nothing too.
    pub fn is_without_change(&self) -> bool {
        matches!(self, Self::Ttl(_) | Self::DeletePolicy)
    }

    /// True when a Job that runs at every sync did so before, too.
    pub fn is_of_what_runs_anyway(&self) -> bool {
        match self {
            Self::Field(field) => field.path.steps() != [Step::Key("spec".into()), Step::Key("suspend".into())],
            Self::Moved(..) | Self::Rerun(..) | Self::References => true,
            _ => false,
        }
    }

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
            Self::EverySync => f.write_str("it runs at every sync now"),
            Self::Moved(was, is) => write!(f, "it moves from {was} to {is}"),
            Self::Ttl(ttl) => write!(f, "its TTL has deleted the earlier Job (`ttlSecondsAfterFinished: {ttl}`)"),
            Self::LiveOptions => f.write_str("the live Job still has `Force=true`, and Argo CD replaces it once more"),
            Self::DeletePolicy => f.write_str("its delete policy has deleted the earlier one (`HookSucceeded`)"),
            Self::Pruned => f.write_str("the sync first prunes the earlier one, which is not a hook"),
            Self::NotAHook => f.write_str(
                "it is not a hook any more, and its delete policy has deleted the earlier Job (`HookSucceeded`)",
            ),
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
