//! The sources, and what was passed over, as JSON.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Outcome, PassedOver, RequiredValue, Row, SkippedApplication};
use crate::output::json::At;

/// A row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::output) struct Json<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    value_sets: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'r str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'r [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    kind: &'r str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<usize>,
    #[serde(skip_serializing_if = "<[RequiredValue]>::is_empty")]
    requires: &'r [RequiredValue],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    without: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

/// An Application that is not rendered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::output) struct SkippedJson<'r> {
    /// Null when it has none.
    name: Option<&'r str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'r [String],
    /// Null for a reason of its own.
    group: Option<&'r str>,
    reason: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    at: At,
}

/// How many folders and files are not sources.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::output) struct PassedOverJson<'p> {
    parts: usize,
    templates: usize,
    files: usize,
    unused: usize,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    removed: &'p BTreeSet<String>,
}

/// The row for JSON.
pub(in crate::output) fn json(row: &Row) -> Json<'_> {
    let Row {
        path, value_sets, without, requires, application, from, kind, outcome, is_assumed: assumed, changed, ..
    } = row;
    let (assumed, changed) = (*assumed, *changed);
    let application = application.as_deref();
    let (state, jobs, open, reason) = match outcome {
        Outcome::Read { jobs, count } => ("checked", Some(*jobs), Some(count.open.iter().sum()), None),
        Outcome::NotChecked(reason) => ("not-checked", None, None, Some(reason.as_str())),
    };
    Json { path, value_sets, application, from, assumed, kind, state, jobs, open, requires, without, reason, changed }
}

/// The Applications that are not rendered, for JSON.
pub(in crate::output) fn skipped_json(passed_over: &PassedOver) -> Vec<SkippedJson<'_>> {
    passed_over.skipped.iter().map(skipped).collect()
}

fn skipped(skipped: &SkippedApplication) -> SkippedJson<'_> {
    let SkippedApplication { name, from, place, group, reason, help, changed, .. } = skipped;
    let name = Some(name.as_str()).filter(|name| !name.is_empty());
    SkippedJson { name, from, group: *group, reason, help: help.as_deref(), changed: *changed, at: At::of(place) }
}

/// The counts for JSON.
pub(in crate::output) fn passed_over_json(passed_over: &PassedOver) -> PassedOverJson<'_> {
    let PassedOver { parts, templates, files, unused, ref removed, .. } = *passed_over;
    PassedOverJson { parts, templates, files, unused, removed }
}
