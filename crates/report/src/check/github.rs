//! Workflow commands of GitHub Actions, which the runner shows at the lines of a pull request: open findings only.

use std::fmt::Write;

use lint::{Finding, Level, State};
use system::PathText;
use text::{Origin, Place, Precision, visible};

use super::lines::value_sets;
use super::{Distinct, Region, Sheet, distinct, subject, summary};
use crate::show::Show;

/// Prints the findings, and a summary as the last line of the log.
pub fn print(sheets: &[Sheet<'_>], show: impl Into<Show>) -> String {
    let mut out = String::new();
    let distinct = distinct(sheets);
    for Distinct { finding, sheet, .. } in distinct.iter().filter(|one| one.finding.state == State::Open) {
        command(&mut out, finding, sheet);
    }
    out.push_str(&summary(&distinct, show.into()));
    out
}

fn command(out: &mut String, finding: &Finding, sheet: &Sheet<'_>) {
    let command = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let mut properties = Vec::new();
    if let Some(Origin::File(path)) = finding.place.as_ref().map(|place| &place.origin) {
        properties.push(format!("file={}", property(&visible(&path.shown().to_string()))));
    }
    if let Some(Region { line, column, end }) = Region::of(finding, sheet.survey.manifests) {
        properties.push(format!("line={line},col={column},endColumn={end}"));
    }
    properties.push(format!("title={}", property(finding.rule.id)));
    let help =
        if finding.help.is_empty() { String::new() } else { format!("\nhelp: {}", visible(&finding.help.to_string())) };
    // Nothing else says where it is.
    let object =
        subject(finding, sheet.survey).filter(|_| properties.iter().all(|property| !property.starts_with("file=")));
    let object = object.map(|object| format!("{}: ", visible(&object))).unwrap_or_default();
    let sets = value_sets(finding, Show::default()).map(|sets| format!("\nin value sets: {sets}")).unwrap_or_default();
    let text = data(&format!("{object}{}{}{help}{sets}", visible(&finding.message), note(finding.place.as_ref())));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "::{command} {}::{text}", properties.join(","));
}

/// What to say of a place that is not the line itself.
fn note(place: Option<&Place>) -> String {
    let Some(Place { precision: Precision::File, printed: Some(printed), .. }) = place else { return String::new() };
    format!(
        "\nnote: only the file is known, not the line; in the output of `{}` it is line {}",
        printed.command, printed.at.line
    )
}

/// The text after the `::` (`escapeData` in `actions/toolkit`).
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property (`escapeProperty` in `actions/toolkit`).
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_or_a_command_is_escaped() {
        assert_eq!(data("100%: a,b\r\nc"), "100%25: a,b%0D%0Ac");
        assert_eq!(property("a,b:c%.yaml"), "a%2Cb%3Ac%25.yaml");
    }
}
