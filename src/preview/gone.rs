//! Applications that a change removes.

use serde::Serialize;

use super::{Comparison, Leftover, Verdict};
use crate::argocd::Gone;

/// An Application that the change removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoneApplication {
    /// What becomes of it.
    #[serde(flatten)]
    pub gone: Gone,
    /// The names of its hooks that Argo CD runs when it deletes an Application.
    pub hooks: Vec<String>,
}

impl GoneApplication {
    /// What a comparison says of an Application that the change removes.
    pub fn of(comparison: &Comparison) -> Option<Self> {
        let gone = comparison.gone()?.clone();
        let is_hook =
            |verdict: &Verdict| matches!(verdict, Verdict::Gone(Leftover::RunsAtDeletion | Leftover::CannotRun));
        let hooks = comparison.jobs.iter().filter(|job| is_hook(&job.verdict)).map(|job| job.name.clone()).collect();
        Some(Self { gone, hooks })
    }
}
