//! `job-version`: writes the API version that has Jobs.

use goyaml::{Change, Value, path};

use super::{Fix, Proposal, Safety, Subject};

pub(super) const FIX: Fix = Fix {
    rule: "job-version",
    safe: "",
    not_safe: "writes `apiVersion: batch/v1`: the Job is applied, and runs",
    propose,
};

const VERSION: &str = "batch/v1";

fn propose(_: &Subject<'_>) -> Option<Proposal> {
    let change = Change::set(path!["apiVersion"], Value::String(VERSION.into()));
    Some(Proposal::new(Safety::Unsafe, format!("set `apiVersion` to `{VERSION}`"), vec![change]))
}
