//! A Code Quality report for GitLab, which shows it in merge requests: open findings only.
//!
//! The format is a list of issues of the Code Climate specification; GitLab reads the keys below
//! (<https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>).

use lint::{Finding, Level, State};
use serde::Serialize;
use system::PathText;
use text::{Origin, visible};

use super::fingerprint::{Seen, fingerprint};
use super::lines::value_sets;
use super::{Distinct, Sheet, distinct, subject};
use crate::json::to_json;
use crate::show::Show;

#[derive(Serialize)]
struct Issue<'r> {
    description: String,
    check_name: &'r str,
    fingerprint: String,
    severity: &'r str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Prints the findings. Each has a path, because GitLab drops an issue without one.
pub fn print(sheets: &[Sheet<'_>]) -> String {
    let mut seen = Seen::new();
    let open = distinct(sheets).into_iter().filter(|one| one.finding.state == State::Open);
    let issues: Vec<Issue<'_>> = open.map(|Distinct { finding, sheet, .. }| issue(finding, sheet, &mut seen)).collect();
    to_json(&issues)
}

fn issue<'r>(finding: &'r Finding, sheet: &Sheet<'_>, seen: &mut Seen) -> Issue<'r> {
    Issue {
        description: description(finding, sheet),
        check_name: finding.rule.id,
        fingerprint: fingerprint(finding, sheet.survey, seen),
        severity: severity(finding.level),
        location: Location { path: path(finding, sheet), lines: Lines { begin: line(finding) } },
    }
}

/// GitLab's levels are `info`, `minor`, `major`, `critical` and `blocker`. A warning is a failure that needs a condition, so it is `major`.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "critical",
        Level::Warning => "major",
        Level::Info => "info",
    }
}

/// The message and the help as one line, with the object where the path does not say which one it is.
fn description(finding: &Finding, sheet: &Sheet<'_>) -> String {
    let object = match &finding.place {
        Some(place) if is_file(&place.origin) => None,
        _ => subject(finding, sheet.survey),
    };
    let whole =
        [object.as_deref(), Some(finding.message.as_str())].into_iter().flatten().collect::<Vec<_>>().join(": ");
    let help = if finding.help.is_empty() { String::new() } else { format!(" (help: {})", finding.help) };
    let sets = value_sets(finding, Show::default()).map(|sets| format!(" (in value sets: {sets})")).unwrap_or_default();
    visible(&(whole + &help + &sets)).into_owned()
}

fn line(finding: &Finding) -> usize {
    finding.place.as_ref().filter(|place| is_file(&place.origin)).map_or(1, |place| place.at.line)
}

fn is_file(origin: &Origin) -> bool {
    matches!(origin, Origin::File(_))
}

/// The path from the root of the checkout, without `./`: GitLab finds the line of the merge request by it.
fn path(finding: &Finding, sheet: &Sheet<'_>) -> String {
    let path = match finding.place.as_ref().map(|place| &place.origin) {
        Some(Origin::File(path)) => path.in_slashes().into_owned(),
        Some(Origin::StandardInput) => "stdin".to_owned(),
        Some(Origin::Rendered(_)) | None => of_source(sheet),
    };
    let path = path.trim_start_matches("./");
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// The first file of a source, or else the source itself.
fn of_source(sheet: &Sheet<'_>) -> String {
    let files = sheet.survey.manifests.iter().filter_map(|manifest| match &manifest.origin {
        Origin::File(path) => Some(path.in_slashes().into_owned()),
        _ => None,
    });
    files.into_iter().next().unwrap_or_else(|| sheet.shown_as.to_owned())
}
