//! The sync policy of an Application as JSON.

use serde::Serialize;

use crate::argocd::SyncPolicy;

/// As the Application has it under `spec.syncPolicy`.
#[derive(Serialize)]
pub(super) struct Policy<'p> {
    automated: Option<Automated>,
    #[serde(rename = "syncOptions")]
    options: &'p [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Automated {
    prune: bool,
    self_heal: bool,
    allow_empty: bool,
}

impl<'p> Policy<'p> {
    /// The policy.
    pub(super) fn of(policy: &'p SyncPolicy) -> Self {
        let automated = policy.automated.map(|automated| Automated {
            prune: automated.prune,
            self_heal: automated.self_heal,
            allow_empty: automated.allow_empty,
        });
        Self { automated, options: &policy.options }
    }
}
