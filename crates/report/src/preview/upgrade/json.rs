//! For programs: what another version of Argo CD changes, described by `schema/preview.v2.json`.

use deployment::row::SkippedApplication;
use preview::{Behaviour, Compared, ForecastRow, Kind, Start, Subject, Upgrade};
use serde::Serialize;
use text::Place;

use super::lines::with_the_sync;
use super::{Named, NotCompared, Report};
use crate::json::{Made, to_json};
use crate::preview::words::in_words;

/// The version of the format.
const VERSION: u32 = 2;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'r, Sources> {
    version: u32,
    /// The old version of Argo CD, and the new one.
    upgrade: Upgraded,
    sources: Sources,
    unchanged: usize,
    not_compared: &'r [NotCompared],
    skipped: &'r [SkippedApplication],
}

#[derive(Serialize)]
struct Upgraded {
    from: String,
    to: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Source<'r> {
    #[serde(flatten)]
    named: &'r Named,
    /// The Jobs and hooks whose manifest differs.
    jobs: Vec<Job<'r>>,
    /// What the new version does otherwise.
    behaviours: Vec<BehaviourJson<'r>>,
    auto_sync_starts: Vec<&'r Start>,
    /// The hooks that do not differ, and that run because a sync starts.
    runs_too: Vec<&'r str>,
    only_nulls: &'r [String],
}

#[derive(Serialize)]
struct Job<'r> {
    #[serde(flatten)]
    place: &'r Place,
    #[serde(serialize_with = "Kind::without_group")]
    kind: &'r Kind,
    namespace: Option<&'r str>,
    name: &'r str,
    runs: bool,
    blocked: bool,
    text: String,
}

#[derive(Serialize)]
struct BehaviourJson<'r> {
    blocked: bool,
    text: String,
    jobs: &'r [Subject],
}

/// Prints the report.
pub fn json(report: &Report) -> String {
    let [from, to] = report.versions.map(|version| version.to_string());
    to_json(&Json {
        version: VERSION,
        upgrade: Upgraded { from, to },
        sources: Made(report.changed.iter().map(|(named, upgrade)| source(named, upgrade))),
        unchanged: report.unchanged,
        not_compared: &report.not_compared,
        skipped: &report.passed_over.skipped,
    })
}

fn source<'r>(named: &'r Named, upgrade: &'r Upgrade) -> Source<'r> {
    let comparison = &upgrade.comparison;
    Source {
        named,
        jobs: upgrade.changes().map(|one| job(upgrade, one)).collect(),
        behaviours: upgrade.behaviours.iter().map(behaviour).collect(),
        auto_sync_starts: comparison.starts.iter().filter(|start| start.is_of_the_change()).collect(),
        runs_too: with_the_sync(upgrade).map(|job| job.name.as_str()).collect(),
        only_nulls: &upgrade.nulls,
    }
}

fn job<'r>(upgrade: &Upgrade, job: &'r Compared) -> Job<'r> {
    Job {
        place: &job.place,
        kind: &job.kind,
        namespace: job.namespace.as_deref(),
        name: &job.name,
        runs: job.verdict.runs(),
        blocked: job.verdict.is_an_error(),
        text: in_words(&ForecastRow::compared(job, &upgrade.comparison), false),
    }
}

fn behaviour(one: &Behaviour) -> BehaviourJson<'_> {
    BehaviourJson { blocked: one.is_harmful(), text: one.says(), jobs: &one.subjects }
}
