//! The content hashes of all Jobs as they are, for a baseline.

use lint::survey::Survey;
use preview::{Report, Runnable, When};
use rewrite::settings::{Id, Provenance};
use rewrite::strategy::Strategy;

/// A Job that has a content hash.
#[derive(Clone, Debug)]
pub struct Recorded<'s> {
    /// `namespace/name`, or the name where no namespace is known: its key in the baseline.
    pub key: String,
    /// The hash.
    pub hash: &'s str,
    /// Who sets a baseline for it now, if anybody does.
    pub set_by: Option<&'s Provenance>,
    /// Whether that baseline is its hash.
    pub is_current: bool,
}

/// The Jobs under `hash-name`. What has no content hash needs no baseline.
pub fn recorded<'s>(survey: &'s Survey<'_>, report: &Report) -> Vec<Recorded<'s>> {
    let of_job = |job: &Runnable| {
        let plan = &survey.plan.jobs[job.job?];
        let (written, hash) = (plan.outcome.input_name.as_ref()?, plan.outcome.hash.as_deref()?);
        let key = match &job.namespace {
            Some(namespace) => format!("{namespace}/{}", written.name),
            None => written.name.clone(),
        };
        let set_by = plan.settings.get(Id::Baseline).map(|setting| &setting.by);
        Some(Recorded { key, hash, set_by, is_current: *job.when.awake() == When::Baseline })
    };
    report.jobs.iter().filter(|job| job.strategy == Strategy::HashName).filter_map(of_job).collect()
}
