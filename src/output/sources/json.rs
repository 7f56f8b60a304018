//! A source as JSON.

use serde::Serialize;

use super::{Outcome, RequiredValue, Row};

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
