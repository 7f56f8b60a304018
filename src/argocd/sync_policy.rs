//! The sync policy of an Application: whether Argo CD starts a sync by itself, and with which options.

/// `spec.syncPolicy` of an Application (`SyncPolicy` in `pkg/apis/application/v1alpha1/types.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPolicy {
    /// `automated`, unless it is switched off by `enabled: false` (`IsAutomatedSyncEnabled`).
    pub automated: Option<Automated>,
    /// `syncOptions`, as they are written: Argo CD compares them letter by letter (`HasOption`).
    pub options: Vec<String>,
}

/// `spec.syncPolicy.automated`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Automated {
    /// `prune`: what is gone from the source is deleted.
    pub prune: bool,
    /// `selfHeal`: a change in the cluster starts a sync, too.
    pub self_heal: bool,
    /// `allowEmpty`: prunes even when nothing is left.
    pub allow_empty: bool,
}

impl SyncPolicy {
    /// Whether the Application has this sync option, such as `Replace=true`.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|found| found == option)
    }
}
