//! For programs: version 1 of the preview as JSON, described by `schema/preview.v1.json`. Fields may be added; what is there keeps its
//! name and meaning.

mod against;

use std::borrow::Cow;

use kube_jobs::argocd::{Automated, SyncPolicy};
use lint::survey::sync_order::Absence;
use lint::{Finding, State};
use preview::{Absent, Kind, Report, Runnable, Step, Trigger, When};
use rewrite::settings::{AnySetting, Brief, Provenance};
use serde::Serialize;
use text::{Help, Place};

use super::MAX_SETTING;
use super::answer::Answer;
use super::changes::Changes;
use crate::json::{Made, display, to_json};
pub use against::print_against;

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Preview<'p, Jobs, Findings> {
    version: u32,
    jobs: Jobs,
    other_objects: usize,
    order: &'p [Step],
    not_in_sync: &'p [Absent],
    trigger: Option<TriggerState>,
    findings: Findings,
    changes: Vec<Change<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync_policy: Option<Policy<'p>>,
    next_sync: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Job<'p> {
    #[serde(flatten)]
    named: Named<'p>,
    strategy: String,
    chosen_by: &'p str,
    runs: Runs,
    hash: Option<&'p str>,
    settings: Vec<Setting<'p>>,
    overruled: Vec<Setting<'p>>,
    findings: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    blocked: bool,
}

/// What a Job or hook is called, and where it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Named<'p> {
    #[serde(flatten)]
    place: &'p Place,
    #[serde(flatten)]
    kind: &'p Kind,
    namespace: Option<&'p str>,
    name: &'p str,
    new_name: &'p str,
}

#[derive(Serialize)]
struct Runs {
    when: &'static str,
    phases: Vec<&'static str>,
    suspended: bool,
    text: String,
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

#[derive(Serialize)]
struct TriggerState {
    state: &'static str,
    name: Option<String>,
}

#[derive(Serialize)]
struct Found<'p> {
    id: &'static str,
    level: &'static str,
    #[serde(flatten)]
    place: Option<&'p Place>,
    message: &'p str,
    #[serde(serialize_with = "display")]
    help: &'p Help,
    /// Of a comparison: whether only the new version has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<bool>,
}

#[derive(Serialize)]
struct Change<'p> {
    path: &'p str,
    diff: String,
}

/// Prints a report.
pub fn print(report: &Report, findings: &[Finding], changes: &[Changes]) -> String {
    let preview = Preview {
        version: VERSION,
        jobs: Made(report.jobs.iter().map(|job| self::job(job, report, findings))),
        other_objects: report.others,
        order: &report.steps,
        not_in_sync: &report.absent,
        trigger: report.trigger.as_ref().map(trigger),
        findings: Made(
            findings.iter().filter(|finding| finding.state == State::Open).map(|finding| found(finding, None)),
        ),
        changes: changes.iter().map(|change| Change { path: &change.path, diff: change.lines.concat() }).collect(),
        sync_policy: report.sync.as_deref().map(Policy::of),
        next_sync: Answer::of_report(report).text(1),
    };
    to_json(&preview)
}

fn job<'p>(job: &'p Runnable, report: &Report, findings: &[Finding]) -> Job<'p> {
    Job {
        named: Named {
            place: &job.place,
            kind: &job.kind,
            namespace: job.namespace.as_deref(),
            name: &job.written,
            new_name: &job.emitted,
        },
        strategy: job.strategy.to_string(),
        chosen_by: &job.chosen,
        runs: runs(&job.when),
        hash: job.hash.as_deref(),
        settings: job.settings.iter().map(|(id, set)| setting(id.parameter().name.into(), set)).collect(),
        overruled: job.overruled.iter().map(|overruled| setting(overruled.name(), &overruled.setting)).collect(),
        findings: job.findings.iter().map(|index| findings[*index].rule.id).collect(),
        blocked: report.is_blocked(job),
    }
}

fn setting<'p>(name: Cow<'static, str>, set: &'p AnySetting) -> Setting<'p> {
    Setting { name, value: set.value.display().brief(MAX_SETTING), set_by: &set.by }
}

fn runs(when: &When) -> Runs {
    let (kind, suspended) = (when.awake(), matches!(when, When::Suspended(_)));
    let phases = match kind {
        When::EveryFullSync(phases) => phases.iter().map(|phase| phase.as_str()).collect(),
        When::FailedSync => vec!["SyncFail"],
        _ => Vec::new(),
    };
    let kind = match kind {
        When::FailsUnchanged(kind) => kind,
        kind => kind,
    };
    let id = match kind {
        When::OncePerContent => "once-per-content",
        When::Baseline => "baseline",
        When::EveryFullSync(_) => "every-full-sync",
        When::FailedSync => "failed-sync",
        When::EverySync | When::EveryRendering(_) => "every-sync",
        When::OnceForAll | When::Once => "once",
        When::OncePerName => "once-per-name",
        When::AfterItsTtl(_) => "after-ttl",
        When::WhenRefused => "when-refused",
        When::Never(Absence::Deletion) => "deletion",
        When::Rejected(_) => "rejected",
        When::Never(_) | When::Suspended(_) | When::FailsUnchanged(_) => "never",
    };
    Runs { when: id, phases, suspended, text: when.to_string() }
}

fn trigger(trigger: &Trigger) -> TriggerState {
    match trigger {
        Trigger::ConfigMap(name) => TriggerState { state: "config-map", name: Some(name.clone()) },
        Trigger::Unnamed => TriggerState { state: "application-unknown", name: None },
        Trigger::Off => TriggerState { state: "off", name: None },
    }
}

fn found(finding: &Finding, new: Option<bool>) -> Found<'_> {
    Found {
        id: finding.rule.id,
        level: finding.level.as_str(),
        place: finding.place.as_ref(),
        message: &finding.message,
        help: &finding.help,
        new,
    }
}

/// The sync policy of an Application, as it has it under `spec.syncPolicy`.
#[derive(Serialize)]
struct Policy<'p> {
    automated: Option<Automated>,
    /// Only when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    awaits: Option<&'p str>,
    /// Only when it is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// Only when they are against a sync at some time.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<&'p str>,
    #[serde(rename = "syncOptions")]
    options: &'p [String],
}

impl<'p> Policy<'p> {
    /// The policy.
    fn of(policy: &'p SyncPolicy) -> Self {
        Self {
            automated: policy.automated,
            awaits: policy.arrival.after.as_deref(),
            gone: policy.arrival.gone.is_some(),
            windows: policy.windows.as_ref().map(|windows| windows.text.as_str()),
            options: &policy.options,
        }
    }
}
