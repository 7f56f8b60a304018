//! The table of differences between versions of Argo CD that concern Jobs.
//!
//! Messages and findings read it, and docs/versions.md is generated from it. It never changes the output of `generate`.

use super::Version;

/// A behaviour that Argo CD has since some version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// `PreDelete` is a hook type.
    PreDelete,
    /// The sync options of the live object count in addition to those of the manifest.
    LiveSyncOptions,
    /// A hook type of the deletion counts together with other types.
    DeletionAmongTypes,
    /// A hook with types of a sync and of the deletion runs in both.
    DeletionBesideSync,
    /// A retry of a failed sync runs a failed hook again.
    RetryRunsHooks,
    /// A sync fails if a resource that it waits for is deleted.
    MissingEndsSync,
    /// `Prune=false` and `Prune=confirm` are also sync options of an Application.
    PruneOfApplication,
    /// `ServerSideApply=true` of the Application turns on server-side diff.
    ApplyTurnsDiffOn,
    /// With server-side apply, `Force=true` without `Replace=true` is ignored.
    ForceIsIgnored,
    /// The annotation `argocd.argoproj.io/ignore-differences` has an effect.
    IgnoreDifferences,
    /// Runs of Tekton, and some fifty other kinds, have a health check (`health.txt`).
    TektonHealth,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct FactRow {
    /// The behaviour.
    pub fact: Fact,
    /// The first release with it, for each minor version that got it.
    pub since: &'static [Version],
    /// The behaviour before, as a whole sentence.
    pub before: &'static str,
    /// The behaviour since then, as a whole sentence.
    pub now: &'static str,
    /// What it means for a Job or hook that it concerns, before and since then. Empty if a Job that stays the same is never concerned.
    pub concerns: [&'static str; 2],
    /// The source of the fact: a file of the first release, and the issue.
    pub source: &'static str,
}

/// All facts, sorted by the first version.
pub const FACTS: &[FactRow] = &[
    FactRow {
        fact: Fact::PreDelete,
        since: &[Version::new(3, 3, 0)],
        before: "A hook whose only type is `PreDelete` is never applied.",
        now: "A `PreDelete` hook runs when the Application is deleted, before its resources.",
        concerns: ["it never runs", "it runs when the Application is deleted, before its resources"],
        source: "`controller/hook.go`, argo-cd #13975",
    },
    FactRow {
        fact: Fact::LiveSyncOptions,
        since: &[Version::new(3, 3, 0)],
        before: "Only the sync options of the manifest count.",
        now: "The sync options `Replace=true` and `Force=true` of the live object count as well: a Job that leaves the strategy `replace` is replaced once more.",
        concerns: ["", ""],
        source: "`applyObject` in `gitops-engine/pkg/sync/sync_context.go`",
    },
    FactRow {
        fact: Fact::DeletionAmongTypes,
        since: &[Version::new(3, 3, 3)],
        before: "A hook runs when the Application is deleted only if its type for that is the whole annotation: `post-install,post-delete` runs in syncs alone, `pre-delete,post-delete` never.",
        now: "Such a type counts next to others, too. If a sync has left the hook in the cluster, it counts as the run of the deletion: a `PreDelete` hook runs only if `HookSucceeded` or a TTL has deleted it, a `PostDelete` hook also if the Application is deleted with its resources.",
        concerns: [
            "its type for the deletion of the Application has no effect, because it is not the only one",
            "its type for the deletion of the Application counts, although it is not the only one",
        ],
        source: "`isHookOfType` in `controller/hook.go`, argo-cd #26420",
    },
    FactRow {
        fact: Fact::DeletionBesideSync,
        since: &[Version::new(3, 3, 5), Version::new(3, 4, 0)],
        before: "From 3.3.0 on, a hook that runs when the Application is deleted is left out of every sync, whatever other types it has: up to 3.3.2 only one with both annotations, in 3.3.3 and 3.3.4 `post-install,post-delete`, too. 3.2 leaves out none.",
        now: "Such a hook also runs in the phases of a sync that it names.",
        concerns: ["it runs when the Application is deleted, and in no sync", "it runs in syncs, too"],
        source: "`partitionTargetObjsForSync` in `controller/state.go`, argo-cd #26996",
    },
    FactRow {
        fact: Fact::RetryRunsHooks,
        since: &[Version::new(3, 3, 15), Version::new(3, 4, 9), Version::new(3, 5, 3), Version::new(3, 6, 0)],
        before: "A retry of a failed sync deletes the failed hook Job, takes its old result for the new one, and does not run it. The next sync runs it.",
        now: "A retry of a failed sync runs the failed hook again.",
        concerns: [
            "if it fails, a retry of the sync does not run it again",
            "if it fails, a retry of the sync runs it again",
        ],
        source: "`setOperationState` in `controller/appcontroller.go`, argo-cd #26530",
    },
    FactRow {
        fact: Fact::MissingEndsSync,
        since: &[Version::new(3, 4, 0)],
        before: "If the TTL of an ordinary Job deletes it before Argo CD has seen it finish, and a later wave is to come, the sync waits forever.",
        now: "Such a sync fails: `Resource … is missing, it might have been deleted`.",
        concerns: [
            "if its TTL deletes it before Argo CD has seen it finish, the sync waits forever",
            "if its TTL deletes it before Argo CD has seen it finish, the sync fails",
        ],
        source: "`gitops-engine/pkg/sync/sync_context.go`",
    },
    FactRow {
        fact: Fact::PruneOfApplication,
        since: &[Version::new(3, 4, 0)],
        before: "`Prune=false` and `Prune=confirm` have an effect only in the annotation of a resource.",
        now: "`Prune=false` and `Prune=confirm` in the sync options of an Application apply to all its resources that have no `Prune` option of their own.",
        concerns: [
            "the option `Prune=…` of the Application has no effect on it",
            "the option `Prune=…` of the Application applies to it",
        ],
        source: "`isPruningDisabled` in `gitops-engine/pkg/sync/sync_context.go`, argo-cd #23370",
    },
    FactRow {
        fact: Fact::ApplyTurnsDiffOn,
        since: &[Version::new(3, 6, 0)],
        before: "Server-side diff is on only where the annotation `argocd.argoproj.io/compare-options: ServerSideDiff=true` of the Application or a flag of the controller turns it on.",
        now: "`ServerSideApply=true` in the sync options of an Application turns server-side diff on, too; `ServerSideDiff=false` in that annotation turns it off. With server-side diff, a changed Job that keeps its name ends in a ComparisonError (`field is immutable`), even with `Force=true,Replace=true`. Auto-sync then starts nothing, so the rest of the output is not applied either. An object with `ServerSideApply=true` in its own annotation alone is compared on the client, which does not see what is only removed from it: no sync starts.",
        concerns: [
            "its next change replaces it",
            "its next change ends in a ComparisonError, and auto-sync does not start",
        ],
        source: "`shouldUseServerSideDiff` in `controller/state.go` (3.6.1, line 1184), argo-cd #29348",
    },
    FactRow {
        fact: Fact::ForceIsIgnored,
        since: &[Version::new(3, 6, 0)],
        before: "With server-side apply, a Job with `Force=true` and without `Replace=true` cannot even be created: `--force cannot be used with --server-side`.",
        now: "With server-side apply, `Force=true` without `Replace=true` is ignored.",
        concerns: ["it cannot be created, because of `Force=true`", "it can be created: `Force=true` is ignored"],
        source: "`newApplyOptions` in `gitops-engine/pkg/utils/kube/resource_ops.go` (3.6.1, line 495), argo-cd #29624",
    },
    FactRow {
        fact: Fact::IgnoreDifferences,
        since: &[Version::new(3, 6, 0)],
        before: "The annotation `argocd.argoproj.io/ignore-differences` means nothing.",
        now: "Argo CD does not compare the fields that the annotation `argocd.argoproj.io/ignore-differences` of an object lists.",
        concerns: [
            "the fields that its annotation `argocd.argoproj.io/ignore-differences` lists are compared",
            "the fields that its annotation `argocd.argoproj.io/ignore-differences` lists are not compared",
        ],
        source: "`ExtractIgnoreDifferencesFromAnnotations` in `util/argo/diff/ignore.go` (3.6.1, line 127)",
    },
    FactRow {
        fact: Fact::TektonHealth,
        since: &[Version::new(3, 6, 0)],
        before: "Argo CD has no health check for a Tekton `TaskRun` or `PipelineRun`: a sync does not wait for such a hook.",
        now: "A sync waits for such a hook, and fails with it. Fifty other kinds have got a health check as well, `Backup` and `Restore` of Velero among them.",
        concerns: ["the sync does not wait for it", "the sync waits for it, and fails with it"],
        source: "`resource_customizations`",
    },
];

impl Fact {
    fn row(self) -> Option<&'static FactRow> {
        FACTS.iter().find(|row| row.fact == self)
    }

    /// Returns what a version of Argo CD that has the behaviour, or lacks it, does with a Job or hook that it concerns.
    pub fn concerns(self, is_had: bool) -> &'static str {
        self.row().map_or("", |row| row.concerns[usize::from(is_had)])
    }
}

impl Version {
    /// Whether this version has the behaviour.
    pub fn has(self, fact: Fact) -> bool {
        fact.row().is_some_and(|row| self.is_since(row.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_holds_for_the_newest_version_and_for_none_that_is_old() {
        let old = Version::new(2, 0, 0);
        for row in FACTS {
            assert!(Version::NEWEST.has(row.fact) && !old.has(row.fact), "{:?}", row.fact);
            assert!(row.since.is_sorted(), "{:?}", row.fact);
            assert_eq!(FACTS.iter().filter(|other| other.fact == row.fact).count(), 1);
        }
    }

    #[test]
    fn a_patch_release_can_bring_a_fact() {
        let has = |text, fact| Version::parse(text).unwrap().has(fact);
        assert!(
            !has("3.5.2", Fact::RetryRunsHooks)
                && has("3.5.3", Fact::RetryRunsHooks)
                && has("3.4", Fact::RetryRunsHooks)
        );
        assert!(!has("3.5", Fact::ApplyTurnsDiffOn) && has("3.6.0", Fact::ApplyTurnsDiffOn));
    }
}
