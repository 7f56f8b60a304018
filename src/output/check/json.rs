//! For programs. Version 1 of this format is frozen in `schema/check.v1.json`: keys may come, none goes or changes its meaning.

use serde::Serialize;

use super::Count;
use super::region::Region;
use crate::finding::{Finding, Ignored, State};
use crate::output::json::to_json;
use crate::survey::{Side, Survey};
use crate::text::Place;

/// The version of the format.
const VERSION: u8 = 1;

#[derive(Serialize)]
struct Report<'r> {
    version: u8,
    counts: Counts,
    findings: Vec<Entry<'r>>,
}

#[derive(Serialize)]
struct Counts {
    error: usize,
    warning: usize,
    info: usize,
    solved: usize,
    ignored: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'r> {
    id: &'r str,
    level: &'r str,
    state: &'r str,
    by: Option<&'r str>,
    reason: Option<&'r str>,
    message: &'r str,
    help: &'r str,
    path: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end_column: Option<usize>,
    related: Vec<Related>,
    object: Option<Object<'r>>,
}

#[derive(Serialize)]
struct Related {
    path: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Object<'r> {
    kind: &'r str,
    namespace: Option<&'r str>,
    name: Option<&'r str>,
    generate_name: Option<&'r str>,
    emitted_name: Option<&'r str>,
    emitted_generate_name: Option<&'r str>,
    strategy: Option<String>,
}

/// Prints all findings, also solved and ignored ones.
pub fn print(findings: &[Finding], survey: &Survey<'_>) -> String {
    let count = Count::of(findings);
    let [error, warning, info] = count.open;
    let counts = Counts { error, warning, info, solved: count.solved, ignored: count.ignored };
    let findings = findings.iter().map(|finding| entry(finding, survey)).collect();
    let report = Report { version: VERSION, counts, findings };
    to_json(&report)
}

fn entry<'r>(finding: &'r Finding, survey: &'r Survey<'_>) -> Entry<'r> {
    let (state, by, reason) = match &finding.state {
        State::Open => ("open", None, None),
        State::Solved(by) => ("solved", Some(by.as_str()), None),
        State::Ignored(Ignored { by, reason }) => ("ignored", Some(by.as_str()), reason.as_deref()),
    };
    let region = Region::of(finding, survey.manifests);
    Entry {
        id: finding.rule.id,
        level: finding.rule.level.as_str(),
        state,
        by,
        reason,
        message: &finding.message,
        help: &finding.help,
        path: finding.place.as_ref().map(|place| place.origin.to_string()),
        line: region.map(|region| region.line),
        column: region.map(|region| region.column),
        end_column: region.map(|region| region.end),
        related: finding.related.iter().map(related).collect(),
        object: finding.object.and_then(|object| self::object(object, survey)),
    }
}

fn related(place: &Place) -> Related {
    Related { path: place.origin.to_string(), line: place.at.line, column: place.at.column }
}

fn object<'r>(index: usize, survey: &'r Survey<'_>) -> Option<Object<'r>> {
    let surveyed = &survey.objects[index];
    let written = surveyed.on(Side::Written).map(|resource| resource.object());
    let emitted = surveyed.on(Side::Emitted).map(|resource| resource.object());
    let any = written.or(emitted)?;
    Some(Object {
        kind: any.kind(),
        namespace: any.namespace(),
        name: written.and_then(|object| object.name()),
        generate_name: written.and_then(|object| object.generate_name()),
        emitted_name: emitted.and_then(|object| object.name()),
        emitted_generate_name: emitted.and_then(|object| object.generate_name()),
        strategy: survey.job(index).map(|job| job.outcome.decision.strategy.to_string()),
    })
}
