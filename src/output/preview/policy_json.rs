//! The sync policy of an Application as JSON.

use serde::Serialize;

use crate::argocd::{Automated, SyncPolicy};

/// As the Application has it under `spec.syncPolicy`.
#[derive(Serialize)]
pub(super) struct Policy<'p> {
    automated: Option<Automated>,
    /// Only when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    awaits: Option<&'p str>,
    /// Only when it is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// Only when they are against a sync at some time.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<&'p str>,
    #[serde(rename = "syncOptions")]
    options: &'p [String],
}

impl<'p> Policy<'p> {
    /// The policy.
    pub(super) fn of(policy: &'p SyncPolicy) -> Self {
        Self {
            automated: policy.automated,
            awaits: policy.arrival.after.as_deref(),
            gone: policy.arrival.gone.is_some(),
            windows: policy.windows.as_ref().map(|windows| windows.text.as_str()),
            options: &policy.options,
        }
    }
}
