//! Applies the sync options `Prune=…` to objects that were removed from the source.

use super::{Fact, SyncPolicy, Version};

/// What a sync does with an object that was removed from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// A sync with prune deletes the object.
    On,
    /// The object stays (`Prune=false`).
    Off,
    /// A sync waits until somebody confirms the deletion (`Prune=confirm`).
    Confirmed,
}

impl Pruning {
    /// Decides by the `Prune=…` options of the live object. With the fact `PruneOfApplication`, the options of its Application come after them, and
    /// the first option decides (`isPruningDisabled` and `objRequiresPruneConfirmation` in `gitops-engine/pkg/sync/sync_context.go`).
    pub fn of(own: &[&str], application: Option<&SyncPolicy>, version: Version) -> Self {
        const OFF: &str = "Prune=false";
        const CONFIRMED: &str = "Prune=confirm";
        let is_about_pruning = |option: &&str| option.starts_with("Prune=");
        let mut options: Vec<&str> = own.iter().copied().filter(is_about_pruning).collect();
        if version.has(Fact::PruneOfApplication) {
            let of_application = application.iter().flat_map(|policy| &policy.options).map(String::as_str);
            options.extend(of_application.filter(is_about_pruning));
            options.truncate(1);
        }
        // Without that fact, any `Prune=confirm` wins over any `Prune=false`.
        match (options.contains(&CONFIRMED), options.contains(&OFF)) {
            (true, _) => Self::Confirmed,
            (false, true) => Self::Off,
            (false, false) => Self::On,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_option_counts_and_that_of_the_application_since_3_4() {
        let policy = |options: &[&str]| SyncPolicy {
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            ..SyncPolicy::default()
        };
        let (old, new) = (Version::new(3, 3, 9), Version::new(3, 4, 0));
        for (own, application, before, now) in [
            (&[][..], &[][..], Pruning::On, Pruning::On),
            (&["Prune=confirm"], &[], Pruning::Confirmed, Pruning::Confirmed),
            (&["Prune=false", "Prune=confirm"], &[], Pruning::Confirmed, Pruning::Off),
            (&["Prune=true", "Prune=false"], &[], Pruning::Off, Pruning::On),
            (&["PruneLast=true"], &["Prune=false"], Pruning::On, Pruning::Off),
            (&["Prune=true"], &["Prune=confirm"], Pruning::On, Pruning::On),
            (&["Prune=false"], &["Prune=confirm"], Pruning::Off, Pruning::Off),
        ] {
            let policy = policy(application);
            assert_eq!(Pruning::of(own, Some(&policy), old), before, "{own:?} {application:?}");
            assert_eq!(Pruning::of(own, Some(&policy), new), now, "{own:?} {application:?}");
        }
    }
}
