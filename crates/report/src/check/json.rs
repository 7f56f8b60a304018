//! For programs. Version 1 of this format is frozen in `schema/check.v1.json`: keys may come, none goes or changes its meaning.

use deployment::row::{PassedOver, Row, SkippedApplication, Unrendered};
use lint::count::Count;
use lint::fix::Fixed;
use lint::survey::{Side, Survey};
use lint::{Finding, Ignored, State};
use serde::Serialize;
use text::{Help, Place};

use super::fixes::{self, FixedJson, OfferJson};
use super::{Region, Sheet, all};
use crate::json::{Made, display, to_json};
use crate::sources as row;

/// The version of the format.
const VERSION: u8 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'r, Findings> {
    version: u8,
    counts: Counts,
    findings: Findings,
    /// What `--fix` has fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<Vec<FixedJson<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Vec<row::Json<'r>>>,
    /// The Applications that are not rendered, when there are several sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'r [SkippedApplication]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed_over: Option<&'r PassedOver>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<row::Coverage>,
    #[serde(skip_serializing_if = "<[Unrendered]>::is_empty")]
    unrendered: &'r [Unrendered],
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
    #[serde(serialize_with = "display")]
    help: &'r Help,
    path: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end_column: Option<usize>,
    /// Only when it is not the line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<&'static str>,
    related: &'r [Place],
    object: Option<Object<'r>>,
    /// Only when it can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<OfferJson<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    value_sets: &'r [String],
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

/// Prints all findings, also solved and ignored ones, and the templates of charts that no value set renders. `several` are the sources and what was
/// skipped, when there are several sources; `fixed` is what `--fix` has fixed.
pub fn print(
    sheets: &[Sheet<'_>],
    several: Option<(&[Row], &PassedOver)>,
    fixed: Option<&[Fixed]>,
    unrendered: &[Unrendered],
) -> String {
    let count = Count::of(all(sheets));
    let [error, warning, info] = count.open;
    let counts = Counts { error, warning, info, solved: count.solved, ignored: count.ignored };
    let findings = Made(sheets.iter().flat_map(|sheet| entries(sheet, several.is_some())));
    let sources = several.map(|(rows, _)| rows.iter().map(row::json).collect());
    let passed_over = several.map(|(_, passed_over)| passed_over);
    let skipped = passed_over.map(|passed_over| passed_over.skipped.as_slice());
    let coverage = several.and_then(|(rows, passed_over)| row::coverage(rows, passed_over));
    let fixed = fixed.map(|fixed| fixed.iter().map(fixes::fixed_json).collect());
    to_json(&Report { version: VERSION, counts, findings, fixed, sources, skipped, passed_over, coverage, unrendered })
}

fn entries<'r>(sheet: &'r Sheet<'r>, is_one_of_several: bool) -> impl Iterator<Item = Entry<'r>> + Clone {
    let source = move |finding| is_one_of_several.then(|| sheet.source_of(finding));
    sheet.findings.iter().map(move |finding| Entry { source: source(finding), ..entry(finding, sheet.survey) })
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
        level: finding.level.as_str(),
        state,
        by,
        reason,
        message: &finding.message,
        help: &finding.help,
        path: finding.place.as_ref().map(|place| place.origin.to_string()),
        line: region.map(|region| region.line),
        column: region.map(|region| region.column),
        end_column: region.map(|region| region.end),
        precision: finding.place.as_ref().and_then(|place| place.precision.unless_line()),
        related: &finding.related,
        object: finding.object.and_then(|object| self::object(object, survey)),
        fix: fixes::json(finding, survey.manifests),
        source: None,
        value_sets: &finding.value_sets,
    }
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
