//! SARIF 2.1.0, for code scanning: open findings only.
//!
//! What is solved or ignored is left out. SARIF has `suppressions` for the latter, and GitHub shows them as open alerts all the same
//! (github/codeql-action#1230); `--format json` has all of it.

use std::collections::BTreeMap;

use lint::survey::Survey;
use lint::{Finding, Level, Rule, State};
use serde::Serialize;
use serde_json::{Value as Json, json};
use system::PathText;
use text::{Origin, Place};

use super::fingerprint::{Seen, fingerprint, qualified_name};
use super::lines::value_sets;
use super::{Distinct, Region, Sheet, distinct, fixes};
use crate::json::{Made, to_json};
use crate::show::Show;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The base of all paths: the root of the repository.
const BASE: &str = "%SRCROOT%";

/// The log and its one run. A result takes kilobytes as a tree of values, so each is made when it is written.
#[derive(Serialize)]
struct Log<'r, Results> {
    #[serde(rename = "$schema")]
    schema: &'r str,
    runs: [Run<'r, Results>; 1],
    version: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r, Results> {
    column_kind: &'r str,
    original_uri_base_ids: Json,
    results: Results,
    tool: Json,
}

/// Prints the findings as one log with one run. A finding without a place is put at the beginning of its source's directory.
pub fn print(sheets: &[Sheet<'_>]) -> String {
    let mut seen = Seen::new();
    let mut findings = Vec::new();
    let distinct = distinct(sheets);
    for Distinct { finding, sheet, .. } in distinct.iter().filter(|one| one.finding.state == State::Open) {
        findings.push((*finding, fingerprint(finding, sheet.survey, &mut seen), **sheet));
    }
    let rules: BTreeMap<&str, &Rule> = findings.iter().map(|(finding, ..)| (finding.rule.id, finding.rule)).collect();
    let driver = json!({
        "name": "argocd-jobs",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.values().map(|one| rule(one)).collect::<Vec<Json>>(),
    });
    let run = Run {
        column_kind: "unicodeCodePoints",
        original_uri_base_ids: json!({ BASE: { "description": { "text": "the root of the repository" } } }),
        results: Made(findings.iter().map(|(finding, print, sheet)| result(finding, print, sheet, &rules))),
        tool: json!({ "driver": driver }),
    };
    to_json(&Log { schema: SCHEMA, runs: [run], version: "2.1.0" })
}

/// An open finding. `rules` are the rules of all findings, by their ids.
fn result(finding: &Finding, fingerprint: &str, sheet: &Sheet<'_>, rules: &BTreeMap<&str, &Rule>) -> Json {
    let mut result = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rules.keys().position(|id| *id == finding.rule.id),
        "level": level(finding.level),
        "message": { "text": text(finding) },
        "locations": [location(finding, sheet.survey, sheet.source_of(finding))],
        "relatedLocations": finding.related.iter().enumerate().map(related).collect::<Vec<Json>>(),
        "partialFingerprints": { "argocdJobs/v1": fingerprint },
    });
    let origin = finding.place.as_ref().map(|place| &place.origin);
    if let Some(fixes) = fixes::sarif(finding, sheet.survey.manifests, &artifact(origin, sheet.source_of(finding))) {
        result["fixes"] = fixes;
    }
    result
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

fn text(finding: &Finding) -> String {
    let help = if finding.help.is_empty() { String::new() } else { format!("\nhelp: {}", finding.help) };
    let sets = value_sets(finding, Show::default()).map(|sets| format!("\nin value sets: {sets}")).unwrap_or_default();
    without_links(&format!("{}{help}{sets}", finding.message))
}

/// A viewer shows `[text](target)` as a link (SARIF 2.1.0, 3.11.6), and outside of a link the format has no escape.
fn without_links(text: &str) -> String {
    text.replace("](", "]\\u{28}")
}

fn rule(rule: &Rule) -> Json {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why },
        "help": {
            "text": format!("{}\n\n{}\n\n{}", rule.why, rule.fix, rule.link),
            "markdown": format!("{}\n\n**What to do:** {}\n\n[Read more]({})", rule.why, rule.fix, rule.link),
        },
        "helpUri": rule.link,
        "defaultConfiguration": { "level": level(rule.level) },
    })
}

fn location(finding: &Finding, survey: &Survey<'_>, dir: &str) -> Json {
    let region = Region::of(finding, survey.manifests);
    // GitHub refuses a whole log for one result without a line.
    let region = region.map_or(json!({ "startLine": 1 }), |Region { line, column, end }| {
        json!({ "startLine": line, "startColumn": column, "endLine": line, "endColumn": end })
    });
    let origin = finding.place.as_ref().map(|place| &place.origin);
    let mut location = json!({ "physicalLocation": { "artifactLocation": artifact(origin, dir), "region": region } });
    if let Some(precision) = finding.place.as_ref().and_then(|place| place.precision.unless_line()) {
        location["properties"] = json!({ "precision": precision });
    }
    let object = finding.object.and_then(|object| qualified_name(object, survey));
    if let Some(name) = object {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "resource" }]);
    }
    location
}

fn related((index, place): (usize, &Place)) -> Json {
    let region = json!({ "startLine": place.at.line, "startColumn": place.at.column });
    json!({
        "id": index + 1,
        "message": { "text": "related location" },
        "physicalLocation": { "artifactLocation": artifact(Some(&place.origin), ""), "region": region },
    })
}

fn artifact(origin: Option<&Origin>, dir: &str) -> Json {
    match origin {
        Some(Origin::StandardInput) => json!({ "uri": "stdin" }),
        Some(Origin::Rendered(command)) => json!({ "uri": uri(command) }),
        Some(Origin::File(path)) => json!({ "uri": uri(&path.in_slashes()), "uriBaseId": BASE }),
        None => json!({ "uri": if dir.is_empty() { ".".to_owned() } else { uri(dir) }, "uriBaseId": BASE }),
    }
}

/// A path as a relative reference: all bytes but letters, digits and `-._~/` as `%XX`.
fn uri(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_no_link() {
        assert_eq!(
            without_links("unknown hook `[a](https://example.com)`"),
            "unknown hook `[a]\\u{28}https://example.com)`"
        );
    }

    #[test]
    fn paths_become_relative_references() {
        assert_eq!(uri("apps/a b/é:#%.yaml"), "apps/a%20b/%C3%A9%3A%23%25.yaml");
    }
}
