//! What `--fix` has done and can do, for people and for programs.

use std::fmt::Write;

use lint::fix::{Fixed, Obstacle, Offer, Safety};
use lint::{Finding, State};
use rewrite::manifest::Manifest;
use serde::Serialize;
use serde_json::{Value as Json, json};
use text::{Edit, LineColumn, Origin, Place, agreed, plural, visible};

use super::Distinct;
use super::lines::REST;
use crate::paint::Ink;
use crate::show::Show;

/// The most that is listed one by one, unless everything is asked for.
const SHOWN: usize = 20;

/// What was fixed, each with its place and what was done; an empty line at the end, when there is anything.
pub fn list(fixed: &[Fixed], show: Show) -> String {
    let mut out = String::new();
    let count = if show.all { fixed.len() } else { SHOWN };
    for one in fixed.iter().take(count) {
        let word = show.paint.ink(Ink::Good, format!("fixed[{}]", one.rule));
        let place = one.place.as_ref().map(|place| format!("{}: ", visible(&place.to_string()))).unwrap_or_default();
        let message = show.paint.ink(Ink::Strong, visible(&one.message));
        let _ = writeln!(out, "{}", show.wrapped(&message, &format!("{place}{word}: "), REST));
        out += &show.labelled(Ink::Info, "fix", &one.what);
    }
    if fixed.len() > count {
        let _ = writeln!(out, "… and {} more are fixed (`--all` lists them)", fixed.len() - count);
    }
    if !fixed.is_empty() {
        out.push('\n');
    }
    out
}

/// `3 findings in 2 files`
pub fn count(fixed: usize, files: usize) -> String {
    format!("{} in {}", plural(fixed, "finding"), plural(files, "file"))
}

/// How many of the open findings can be fixed, at the end of the summary: `; 3 can be fixed with …`. Empty when none can.
pub(super) fn offers(distinct: &[Distinct<'_>]) -> String {
    let open = distinct.iter().filter(|one| one.finding.state == State::Open);
    let offers: Vec<&Offer> = open.filter_map(|one| one.finding.fix.as_deref()).collect();
    let count = |safety| offers.iter().filter(|offer| offer.obstacle.is_none() && offer.safety == safety).count();
    match (count(Safety::Safe), count(Safety::Unsafe)) {
        (0, 0) => String::new(),
        (0, more) => format!("; {more} can be fixed with `--fix=all`"),
        (safe, 0) => format!("; {safe} can be fixed with `--fix`"),
        (safe, more) => format!("; {safe} can be fixed with `--fix`, {more} more with `--fix=all`"),
    }
}

/// Why findings that have a fix are left as they are, a sentence for each reason.
pub fn obstacles<'f>(findings: impl Iterator<Item = &'f Finding> + Clone) -> Vec<String> {
    let reasons = [
        (Obstacle::NoFile, "the manifest is not a regular file, but a symlink or a stream"),
        (
            Obstacle::Shared,
            "the value cannot be changed alone, because of an alias, a merge key, a key that is there twice, or a block text",
        ),
    ];
    let with = |obstacle| {
        let found = findings.clone().filter(|finding| finding.state == State::Open);
        found.filter(move |finding| finding.fix.as_ref().is_some_and(|offer| offer.obstacle == Some(obstacle)))
    };
    let counted =
        reasons.into_iter().map(|(obstacle, why)| (with(obstacle).count(), why)).filter(|(count, _)| *count > 0);
    let sentence = |(count, why): (usize, &str)| {
        format!("{} a fix that is not written: {why}", agreed(count, "finding", "has", "have"))
    };
    rendered(with(Obstacle::Rendered)).chain(counted.map(sentence)).collect()
}

/// Notes for findings in rendered manifests, which cannot be fixed here: the file to change, if it is known, and the fix.
fn rendered<'f>(findings: impl Iterator<Item = &'f Finding>) -> impl Iterator<Item = String> {
    let mut all: Vec<(String, &str)> = findings
        .filter_map(|finding| {
            let place = match finding.place.as_ref() {
                Some(place) if matches!(place.origin, Origin::File(_)) => visible(&place.to_string()).into_owned(),
                _ => "the chart or the kustomization".to_owned(),
            };
            Some((place, finding.fix.as_deref()?.what.as_str()))
        })
        .collect();
    all.sort();
    all.dedup();
    let more = all.len().saturating_sub(SHOWN);
    let last =
        (more > 0).then(|| format!("{} in rendered manifests can be fixed by hand", plural(more, "more finding")));
    let line = |(place, what): (String, &str)| {
        format!("not fixed, because a tool renders the manifest; change {place}: {}", visible(what))
    };
    all.into_iter().take(SHOWN).map(line).chain(last)
}

/// A fix of a finding, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfferJson<'r> {
    safety: &'r str,
    description: &'r str,
    edits: Vec<EditJson<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EditJson<'r> {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: &'r str,
}

/// The fix of a finding, when it can be written.
pub(super) fn json<'r>(finding: &'r Finding, manifests: &'r [Manifest]) -> Option<OfferJson<'r>> {
    let (Offer { safety, what, edits, .. }, manifest) = offer(finding, manifests)?;
    let edit = |edit: &'r Edit| {
        let [from, to] = ends(edit, manifest);
        let (line, column, end_line, end_column) = (from.line, from.column, to.line, to.column);
        EditJson { line, column, end_line, end_column, text: &edit.replacement }
    };
    Some(OfferJson { safety: safety.as_str(), description: what, edits: edits.iter().map(edit).collect() })
}

/// What was fixed, for programs.
#[derive(Serialize)]
pub(super) struct FixedJson<'r> {
    id: &'r str,
    safety: &'r str,
    message: &'r str,
    description: &'r str,
    at: Option<&'r Place>,
}

pub(super) fn fixed_json(fixed: &Fixed) -> FixedJson<'_> {
    let Fixed { rule, safety, place, message, what, .. } = fixed;
    FixedJson { id: rule, safety: safety.as_str(), message, description: what, at: place.as_ref() }
}

/// The fix of a finding as SARIF has it (`fix`, 3.55): one file, with a replacement for each edit. None for a fix without known edits.
pub(super) fn sarif(finding: &Finding, manifests: &[Manifest], artifact: &Json) -> Option<Json> {
    let (Offer { safety, what, edits, .. }, manifest) = offer(finding, manifests)?;
    let replacement = |edit: &Edit| {
        let [from, to] = ends(edit, manifest);
        let region = json!({
            "startLine": from.line, "startColumn": from.column, "endLine": to.line, "endColumn": to.column,
        });
        json!({ "deletedRegion": region, "insertedContent": { "text": edit.replacement } })
    };
    let replacements: Vec<Json> = edits.iter().map(replacement).collect();
    let note = if *safety == Safety::Unsafe { " (unsafe: look at it before you keep it)" } else { "" };
    let change = json!({ "artifactLocation": artifact, "replacements": replacements });
    let description = json!({ "text": format!("{what}{note}") });
    (!edits.is_empty()).then(|| json!([{ "description": description, "artifactChanges": [change] }]))
}

/// The fix of a finding that can be written, and the manifest that it changes.
fn offer<'r>(finding: &'r Finding, manifests: &'r [Manifest]) -> Option<(&'r Offer, &'r Manifest)> {
    let offer = finding.fix.as_deref().filter(|offer| offer.obstacle.is_none())?;
    Some((offer, &manifests[finding.span?.0]))
}

/// The first character of an edit, and the character after its last one.
fn ends(edit: &Edit, manifest: &Manifest) -> [LineColumn; 2] {
    [edit.span.start, edit.span.end].map(|offset| manifest.at(offset))
}
