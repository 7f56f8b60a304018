//! A source as JSON.

use deployment::row::{Further, Outcome, RequiredValue, Row};
use serde::Serialize;

/// What a row is called, and what renders it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Named<'r> {
    path: &'r str,
    #[serde(skip_serializing_if = "<[Further]>::is_empty")]
    further: &'r [Further],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    value_sets: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'r str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'r [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    kind: &'r str,
}

impl<'r> Named<'r> {
    /// That of a row.
    pub(crate) fn of(row: &'r Row) -> Self {
        let Row { path, further, value_sets, application, from, is_assumed: assumed, kind, .. } = row;
        Self { path, further, value_sets, application: application.as_deref(), from, assumed: *assumed, kind }
    }
}

/// A row of `check`.
#[derive(Serialize)]
pub(crate) struct Json<'r> {
    #[serde(flatten)]
    named: Named<'r>,
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
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

/// The row for JSON.
pub(crate) fn json(row: &Row) -> Json<'_> {
    let (state, jobs, open, reason) = match &row.outcome {
        Outcome::Read { jobs, count } => ("checked", Some(*jobs), Some(count.open.iter().sum()), None),
        Outcome::NotChecked(reason) => ("not-checked", None, None, Some(reason.to_string())),
    };
    let (requires, without, changed) = (row.requires.as_slice(), row.without.as_slice(), row.changed);
    Json { named: Named::of(row), state, jobs, open, requires, without, reason, changed }
}
