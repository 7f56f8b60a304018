//! For programs: what another version of Argo CD changes, described by `schema/preview.v1.json`.

use serde::Serialize;

use super::lines::{said, with_the_sync};
use super::{Named, Report};
use crate::output::json::{At, Made, to_json};
use crate::output::sources::{SkippedJson, skipped_json};
use crate::preview::{Behaviour, Compared, Start, Subject, Upgrade};

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'r, Sources> {
    version: u32,
    /// The old version of Argo CD, and the new one.
    upgrade: Upgraded,
    sources: Sources,
    unchanged: usize,
    not_compared: Vec<NotCompared<'r>>,
    skipped: Vec<SkippedJson<'r>>,
}

#[derive(Serialize)]
struct Upgraded {
    from: String,
    to: String,
}

#[derive(Serialize)]
struct NamedJson<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'r str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'r [String],
}

#[derive(Serialize)]
struct NotCompared<'r> {
    #[serde(flatten)]
    named: NamedJson<'r>,
    reason: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Source<'r> {
    #[serde(flatten)]
    named: NamedJson<'r>,
    /// The Jobs and hooks whose manifest differs.
    jobs: Vec<Job<'r>>,
    /// What the new version does otherwise.
    behaviours: Vec<BehaviourJson<'r>>,
    auto_sync_starts: Vec<Starts<'r>>,
    /// The hooks that do not differ, and that run because a sync starts.
    runs_too: Vec<&'r str>,
    only_nulls: &'r [String],
}

#[derive(Serialize)]
struct Job<'r> {
    #[serde(flatten)]
    place: At,
    kind: &'r str,
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
    jobs: Vec<SubjectJson<'r>>,
}

#[derive(Serialize)]
struct SubjectJson<'r> {
    #[serde(flatten)]
    place: At,
    kind: &'r str,
    namespace: Option<&'r str>,
    name: &'r str,
}

#[derive(Serialize)]
struct Starts<'r> {
    object: &'r str,
    what: &'static str,
}

/// Prints the report.
pub fn json(report: &Report) -> String {
    let [from, to] = report.versions.map(|version| version.to_string());
    to_json(&Json {
        version: VERSION,
        upgrade: Upgraded { from, to },
        sources: Made(report.changed.iter().map(|(named, upgrade)| source(named, upgrade))),
        unchanged: report.unchanged,
        not_compared: report
            .not_compared
            .iter()
            .map(|(one, reason)| NotCompared { named: named(one), reason })
            .collect(),
        skipped: skipped_json(&report.passed_over),
    })
}

fn named(Named { path, application, from }: &Named) -> NamedJson<'_> {
    NamedJson { path, application: application.as_deref(), from }
}

fn source<'r>(name: &'r Named, upgrade: &'r Upgrade) -> Source<'r> {
    let comparison = &upgrade.comparison;
    let starts = |start: &'r Start| Starts { object: &start.object, what: start.what.as_str() };
    Source {
        named: named(name),
        jobs: upgrade.changes().map(|one| job(upgrade, one)).collect(),
        behaviours: upgrade.behaviours.iter().map(behaviour).collect(),
        auto_sync_starts: comparison.starts.iter().filter(|start| start.is_of_the_change()).map(starts).collect(),
        runs_too: with_the_sync(upgrade).map(|job| job.name.as_str()).collect(),
        only_nulls: &upgrade.nulls,
    }
}

fn job<'r>(upgrade: &Upgrade, job: &'r Compared) -> Job<'r> {
    Job {
        place: At::of(&job.place),
        kind: &job.kind.name,
        namespace: job.namespace.as_deref(),
        name: &job.name,
        runs: job.verdict.runs(),
        blocked: job.verdict.is_an_error(),
        text: said(upgrade, job),
    }
}

fn behaviour(one: &Behaviour) -> BehaviourJson<'_> {
    let jobs = one.subjects.iter().map(subject).collect();
    BehaviourJson { blocked: one.is_harmful(), text: one.says(), jobs }
}

fn subject(found: &Subject) -> SubjectJson<'_> {
    SubjectJson {
        place: At::of(&found.place),
        kind: &found.kind.name,
        namespace: found.namespace.as_deref(),
        name: &found.name,
    }
}
