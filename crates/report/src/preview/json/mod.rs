//! For programs: version 2 of the preview as JSON, described by `schema/preview.v2.json`. Fields may be added; a field that is there keeps its name and
//! meaning.

mod document;
mod row;

use kube_jobs::argocd::{Automated, SyncPolicy};
use lint::{Finding, State};
use preview::{
    AutoSync, Compared, Comparison, Forecast, ForecastRow, Halt, Judged, Report, Runnable, Start, Step, Trigger,
};
use serde::Serialize;
use text::{Help, Place};

use super::changes::Changes;
use super::words::alone::alone;
use super::words::end::end;
use super::words::start::start;
use super::words::summary::summary;
use crate::json::{Made, display, to_json};
pub use document::{Against, document};
use row::{OfOneVersion, Row};

/// The version of the format.
pub(super) const VERSION: u32 = 2;

/// What the next sync of an Application does.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Preview<'p, Rows, Findings> {
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<StartJson<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EndJson>,
    rows: Rows,
    order: &'p [Step],
    findings: Findings,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_objects: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<TriggerJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Change<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync_policy: Option<Policy<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goes_back_to: Option<&'p str>,
    /// The number of other live Jobs that may belong to the Application; only with `--live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_judged: Option<usize>,
}

/// Whether the change starts a sync.
#[derive(Serialize)]
struct StartJson<'p> {
    when: &'static str,
    text: String,
    /// What makes the Application OutOfSync.
    causes: &'p [Start],
}

/// How a sync ends that fails or waits.
#[derive(Serialize)]
struct EndJson {
    how: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wave: Option<i64>,
    text: String,
}

impl EndJson {
    fn of(forecast: &Forecast) -> Option<Self> {
        let found = forecast.end.as_ref()?;
        let how = match found.stop.why {
            Halt::Comparison => "comparison-fails",
            Halt::Failure => "fails",
            Halt::Confirmation => "waits-for-confirmation",
            Halt::Suspended => "waits-for-suspended-job",
        };
        let moment = found.stop.moment;
        let phase = moment.map(|moment| moment.phase.as_str());
        Some(Self { how, phase, wave: moment.map(|moment| moment.wave), text: end(found) })
    }
}

/// The ConfigMap by which a changed hook starts a sync.
#[derive(Serialize)]
struct TriggerJson {
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
    /// Whether only the new version has the finding; only in a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<bool>,
}

#[derive(Serialize)]
struct Change<'p> {
    path: &'p str,
    diff: String,
}

/// The preview of one version.
pub fn print(report: &Report, forecast: &Forecast, findings: &[Finding], changes: &[Changes]) -> String {
    let ids = |job: &Runnable| job.findings.iter().map(|index| findings[*index].rule.id).collect();
    let row = |row| {
        let job = job_of(row, &report.jobs);
        Row::of(row, job.map(ids).unwrap_or_default(), job.map(OfOneVersion::of))
    };
    let open = findings.iter().filter(|finding| finding.state == State::Open);
    to_json(&Preview {
        summary: alone([forecast]),
        start: None,
        end: EndJson::of(forecast),
        rows: Made(forecast.rows.iter().map(row)),
        order: &report.steps,
        findings: Made(open.map(|finding| found(finding, None))),
        other_objects: Some(report.others),
        trigger: report.trigger.as_ref().map(trigger),
        changes: Some(changes.iter().map(|one| Change { path: &one.path, diff: one.lines.concat() }).collect()),
        sync_policy: report.sync.as_deref().map(Policy::of),
        goes_back_to: None,
        not_judged: None,
    })
}

/// The preview of a version that is compared with another one.
pub fn print_against(comparison: &Comparison, forecast: &Forecast) -> String {
    let ids = |job: &Compared| job.findings.iter().map(|index| comparison.findings[*index].finding.rule.id).collect();
    let row = |row| Row::of(row, job_of(row, &comparison.jobs).map(ids).unwrap_or_default(), None);
    to_json(&Preview {
        summary: summary(forecast),
        start: forecast.start.as_ref().map(|auto_sync| StartJson {
            when: self::when(auto_sync),
            text: start(forecast, None, true),
            causes: &comparison.starts,
        }),
        end: EndJson::of(forecast),
        rows: Made(forecast.rows.iter().map(row)),
        order: &comparison.steps,
        findings: Made(comparison.findings.iter().map(|one| found(&one.finding, Some(one.is_new)))),
        other_objects: None,
        trigger: None,
        changes: None,
        sync_policy: comparison.sync.as_deref().map(Policy::of),
        goes_back_to: comparison.goes_back_to.as_deref(),
        not_judged: None,
    })
}

/// What a sync does to live Jobs.
pub fn print_live(judged: &Judged, forecast: &Forecast) -> String {
    let none: [(); 0] = [];
    to_json(&Preview {
        summary: summary(forecast),
        start: None,
        end: EndJson::of(forecast),
        rows: Made(forecast.rows.iter().map(|row| Row::of(row, Vec::new(), None))),
        order: &[],
        findings: none,
        other_objects: None,
        trigger: None,
        changes: None,
        sync_policy: None,
        goes_back_to: None,
        not_judged: Some(judged.strangers),
    })
}

/// The Job of a row; none of what only makes the sync fail.
fn job_of<'j, J>(row: &ForecastRow, jobs: &'j [J]) -> Option<&'j J> {
    jobs.get(row.job?)
}

fn when(auto_sync: &AutoSync) -> &'static str {
    match auto_sync {
        AutoSync::Starts => "on-merge",
        AutoSync::Anyway => "on-merge-anyway",
        AutoSync::IfAutomated => "if-automated",
        AutoSync::IfAutomatedAnyway => "if-automated-anyway",
        AutoSync::IfPruned => "if-pruned",
        AutoSync::After(_) => "after-sync-of-parent",
        AutoSync::WithRoot(_) => "if-root-is-applied",
        AutoSync::ByStep(_) => "in-a-step",
        AutoSync::InWindows(..) => "in-a-sync-window",
        AutoSync::UnlessIgnored(_) => "unless-ignored",
        AutoSync::Manual => "by-hand",
        AutoSync::NotAllowed(_) => "not-in-sync-windows",
        AutoSync::KeptOut(_) => "not-by-generate-paths",
        AutoSync::PruneOff => "not-without-prune",
        AutoSync::AllowEmptyOff => "not-without-allow-empty",
        AutoSync::ComparisonFails => "not-with-comparison-error",
        AutoSync::NothingChanged => "not-without-difference",
        AutoSync::Gone => "application-is-gone",
    }
}

fn trigger(trigger: &Trigger) -> TriggerJson {
    match trigger {
        Trigger::ConfigMap(name) => TriggerJson { state: "config-map", name: Some(name.clone()) },
        Trigger::Unnamed => TriggerJson { state: "application-unknown", name: None },
        Trigger::Off => TriggerJson { state: "off", name: None },
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
