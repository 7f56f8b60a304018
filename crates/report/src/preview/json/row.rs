//! A row of the table as JSON.

use std::borrow::Cow;

use goyaml::Value;
use goyaml::json::{self, Form};
use kube_jobs::kubernetes::Difference;
use lint::survey::sync_order::{Absence, Moment};
use preview::{
    Because, Change, ChangedUse, Failure, ForecastRow, LiveReason, LiveState, ManifestChange, Outcome, Part, Reason,
    Runnable, Sees, Used, When,
};
use rewrite::settings::{AnySetting, Brief, Provenance};
use serde::Serialize;
use text::Place;

use crate::json::display;
use crate::preview::MAX_SETTING;
use crate::preview::words::{in_words, reason};

/// A row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row<'p> {
    kind: &'p str,
    group: &'p str,
    namespace: Option<&'p str>,
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_name: Option<&'p str>,
    hook: bool,
    #[serde(flatten)]
    place: Option<&'p Place>,
    change: &'static str,
    moment: Option<Moment>,
    outcome: &'static str,
    /// Whether it fails, waits, or does not run although it should.
    bad: bool,
    /// Whether the sync runs it.
    runs: bool,
    /// Whether the sync runs it because of the change.
    because_of_change: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cadence: Option<Cadence>,
    why: Vec<Why<'p>>,
    text: String,
    /// The state of the live Job, and since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    awaited_by: Option<String>,
    findings: Vec<&'static str>,
    #[serde(flatten)]
    of_one_version: Option<OfOneVersion<'p>>,
}

/// What only the preview of one version says of a Job.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfOneVersion<'p> {
    strategy: String,
    chosen_by: &'p str,
    hash: Option<&'p str>,
    settings: Vec<Setting<'p>>,
    overruled: Vec<Setting<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Setting<'p> {
    name: Cow<'static, str>,
    #[serde(serialize_with = "display")]
    value: Brief<'p>,
    #[serde(serialize_with = "display")]
    set_by: &'p Provenance,
}

/// How often it runs, as its manifest says.
#[derive(Serialize)]
struct Cadence {
    when: &'static str,
    phases: Vec<&'static str>,
    suspended: bool,
    text: String,
}

/// A reason.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Why<'p> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<Use<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A changed object that a Job uses.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Use<'p> {
    kind: &'static str,
    name: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<&'p str>,
    what: &'static str,
    parts: &'p [Part],
    sees: Sees,
}

impl<'p> Row<'p> {
    /// `findings` are the ids of its findings.
    pub(super) fn of(row: &'p ForecastRow, findings: Vec<&'static str>, alone: Option<OfOneVersion<'p>>) -> Self {
        Self {
            kind: &row.object.kind.name,
            group: &row.object.kind.group,
            namespace: row.object.namespace.as_deref(),
            name: &row.object.name,
            new_name: row.emitted.as_deref(),
            hook: row.is_hook,
            place: row.place.as_ref(),
            change: change(row.change),
            moment: row.moment,
            outcome: outcome(&row.outcome),
            bad: row.is_bad(),
            runs: row.runs(),
            because_of_change: row.runs_because_of_the_change(),
            cadence: cadence(row).map(Cadence::of),
            why: row.why.iter().map(Why::of).collect(),
            text: in_words(row, false),
            state: row.state().map(LiveState::as_str),
            since: row.state().and_then(LiveState::since).map(ToString::to_string),
            awaited_by: row.held.as_ref().map(reason::waiting),
            findings,
            of_one_version: alone,
        }
    }
}

impl<'p> OfOneVersion<'p> {
    pub(super) fn of(job: &'p Runnable) -> Self {
        let setting = |name, set: &'p AnySetting| Setting {
            name,
            value: set.value.display().brief(MAX_SETTING),
            set_by: &set.by,
        };
        Self {
            strategy: job.strategy.to_string(),
            chosen_by: &job.chosen,
            hash: job.hash.as_deref(),
            settings: job.settings.iter().map(|(id, set)| setting(id.parameter().name.into(), set)).collect(),
            overruled: job.overruled.iter().map(|overruled| setting(overruled.name(), &overruled.setting)).collect(),
        }
    }
}

impl<'p> Why<'p> {
    fn of(reason: &'p Reason) -> Self {
        let plain = |reason_id| Self { reason: reason_id, field: None, old: None, new: None, uses: None, text: None };
        let because = match reason {
            Reason::Because(Because::Field(difference)) => return Self::field("field", difference),
            Reason::Uses(Used { object, .. }) => Self { uses: Some(Use::of(object)), ..plain("uses") },
            Reason::Fields(fields) => Self { field: Some(fields.join(", ")), ..plain("immutable") },
            reason => plain(id(reason)),
        };
        Self { text: reason::words(reason, false), ..because }
    }

    fn field(reason: &'static str, difference: &'p Difference) -> Self {
        let value = |value: &Option<Value>| {
            value.as_ref().and_then(|value| serde_json::from_str(&json::print(value, Form::Stream)).ok())
        };
        Self {
            reason,
            field: Some(difference.path.to_string()),
            old: value(&difference.old),
            new: value(&difference.new),
            uses: None,
            text: Some(difference.to_string()),
        }
    }
}

impl<'p> Use<'p> {
    fn of(found: &'p ChangedUse) -> Self {
        let (what, parts): (_, &[Part]) = match &found.change {
            Change::New => ("new", &[]),
            Change::Gone => ("gone", &[]),
            Change::Parts(parts) if parts.is_empty() => ("renamed", &[]),
            Change::Parts(parts) => ("changed", parts),
        };
        Self { kind: found.kind, name: &found.name, old_name: found.old_name.as_deref(), what, parts, sees: found.sees }
    }
}

fn change(change: ManifestChange) -> &'static str {
    match change {
        ManifestChange::Same => "same",
        ManifestChange::New => "new",
        ManifestChange::Changed => "changed",
        ManifestChange::Gone => "gone",
    }
}

fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Runs => "runs",
        Outcome::RunsAgain => "runs-again",
        Outcome::Resumes => "resumes",
        Outcome::Applied => "applied",
        Outcome::Untouched => "untouched",
        Outcome::Killed => "killed",
        Outcome::KilledAndRuns => "killed-and-runs",
        Outcome::Unknown => "unknown",
        Outcome::Fails => "fails",
        Outcome::Lost => "lost",
        Outcome::CannotStart => "cannot-start",
        Outcome::NotReached => "not-reached",
        Outcome::Waits => "waits",
        Outcome::Suspended => "suspended",
        Outcome::Idle => "does-not-run",
        Outcome::IfSyncFails => "if-sync-fails",
        Outcome::Never => "never",
        Outcome::AtDeletion => "at-deletion",
        Outcome::Deleted => "deleted",
        Outcome::DeletedIfPruned => "deleted-if-pruned",
        Outcome::Stays => "stays",
        Outcome::Gone => "gone",
        Outcome::AsWritten(_) => "as-written",
    }
}

/// How often it runs, where the row says so.
fn cadence(row: &ForecastRow) -> Option<&When> {
    match &row.outcome {
        Outcome::AsWritten(when) => Some(when),
        _ => row.why.iter().find_map(|reason| match reason {
            Reason::Cadence(when) | Reason::FromNowOn(when) => Some(when),
            _ => None,
        }),
    }
}

impl Cadence {
    fn of(when: &When) -> Self {
        let (kind, suspended) = (when.awake(), matches!(when, When::Suspended(_)));
        let phases = match kind {
            When::EveryFullSync(phases) => phases.iter().map(|phase| phase.as_str()).collect(),
            When::FailedSync => vec!["SyncFail"],
            _ => Vec::new(),
        };
        let kind = if let When::FailsUnchanged(kind) = kind { kind } else { kind };
        let id = match kind {
            When::OncePerContent => "once-per-content",
            When::Baseline => "baseline",
            When::EveryFullSync(_) => "every-full-sync",
            When::FailedSync => "failed-sync",
            When::EverySync | When::EveryRendering(_) => "every-sync",
            When::OnceForAll | When::Once => "once",
            When::OncePerName => "once-per-name",
            When::AfterItsTtl { .. } => "after-ttl",
            When::WhenRefused => "when-refused",
            When::Never(Absence::Deletion) => "deletion",
            When::Rejected(_) => "rejected",
            When::Never(_) | When::Suspended(_) | When::FailsUnchanged(_) => "never",
        };
        Self { when: id, phases, suspended, text: when.to_string() }
    }
}

fn id(reason: &Reason) -> &'static str {
    match reason {
        Reason::New => "new",
        Reason::Cadence(_) => "cadence",
        Reason::Differs(_) => "differs",
        Reason::FromNowOn(_) => "from-now-on",
        Reason::Immutable | Reason::Fields(_) => "immutable",
        Reason::ReplaceAlone => "replace-without-force",
        Reason::NoName => "generate-name",
        Reason::Uses(_) => "uses",
        Reason::InPlace => "in-place",
        Reason::Unseen => "unseen",
        Reason::Never(Absence::Deletion) => "deletion",
        Reason::Never(Absence::Skip) => "skip",
        Reason::Never(Absence::NoValidType) => "unknown-hook",
        Reason::Never(Absence::HelmTest) => "helm-test",
        Reason::Never(Absence::Repeated) => "repeated",
        Reason::Rejected(_) => "rejected",
        Reason::Collides => "collides",
        Reason::Trapped => "trapped",
        Reason::Halted(_) => "not-reached",
        Reason::AfterFailure => "sync-fails",
        Reason::Left(_) => "left",
        Reason::If(_) => "otherwise",
        Reason::Otherwise(Failure::Immutable(_)) => "would-be-immutable",
        Reason::Otherwise(Failure::GenerateName) => "would-need-a-name",
        Reason::Otherwise(Failure::ReplaceAlone) => "would-be-replaced",
        Reason::AtDeletion(_) => "at-deletion",
        Reason::NotAwaited(_) => "not-awaited",
        Reason::NotCreatedBefore => "not-created-before",
        Reason::InNoSyncBefore => "in-no-sync-before",
        Reason::Version(_) => "version",
        Reason::Live(live) => id_of_live(live),
        Reason::Because(because) => match because {
            Because::Field(_) => "field",
            Because::Rerun(..) => "rerun",
            Because::References => "references",
            Because::Strategy(..) => "strategy",
            Because::Name(..) => "name",
            Because::EverySync => "every-sync-now",
            Because::Moved { .. } => "moved",
            Because::Also(_) => "also-in-phase",
            Because::NoLonger(_) => "no-longer-in-phase",
            Because::Content => "content",
            Because::Ttl { .. } => "ttl",
            Because::DeletePolicy => "delete-policy",
            Because::Pruned => "pruned-first",
            Because::NotAHook => "not-a-hook",
            Because::LiveOptions => "live-options",
        },
    }
}

fn id_of_live(reason: &LiveReason) -> &'static str {
    match reason {
        LiveReason::NotThere => "not-there",
        LiveReason::NotInSource => "not-in-source",
        LiveReason::NewName => "new-name",
        LiveReason::State(..) => "state",
        LiveReason::Replaced(_) => "replaced",
        LiveReason::Immutable(_) => "fields",
        LiveReason::GateIsDone => "gate-is-done",
        LiveReason::RunsAgain { .. } => "runs-again-by-hand",
        LiveReason::NextSyncRuns => "next-sync-runs",
        LiveReason::RunsAfterItsTtl(_) => "runs-after-its-ttl",
        LiveReason::Expires(_) => "expires",
        LiveReason::RemovalsUnseen => "removals-unseen",
        LiveReason::NotKnown(_) => "not-known",
    }
}
