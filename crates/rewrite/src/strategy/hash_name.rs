//! `hash-name`: an ordinary Job with a hash of its content in its name, so that a changed Job is a new object.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate-fg6t5fhk55, annotations: {argocd-jobs/name: migrate}, labels: …}
//! ```
//! The TTL is removed: if it deleted the Job, Argo CD would find the Job missing and create and run it again. `Replace=true` is removed: Argo CD
//! would replace the unchanged Job at the next sync, which the API server refuses.

use goyaml::path;
use kube_jobs::argocd;
use kube_jobs::kubernetes::name::{self, MAX_JOB_NAME};

use super::draft::Draft;
use super::{Decision, InputName, Options, Prune, Refusal, Row, Strategy, StrategyChoice};
use crate::hash::{self, Content};

pub(super) const ROW: Row = Row {
    id: "hash-name",
    choice: StrategyChoice::Strategy(Strategy::HashName),
    writes: "`metadata.name: <base>-<hash>`; removes `spec.ttlSecondsAfterFinished`",
    runs: "once per change of its content, and once when it first gets this name, whether it succeeds or fails; \
           the change itself makes the Application OutOfSync, so auto-sync notices it",
    serves: "migrations, and all Jobs that should run once per image or config",
    limits: &[
        "It does not prevent overlapping runs: a change during a run kills that run and starts the new one in the same pass, without waiting for the old pods. For a Job that must never run concurrently, use `hook` in PreSync or PostSync, the only strategy that waits until the old Job is gone. (`PruneLast` does not help: it makes the overlap longer, and the sync then waits until everything is healthy.)",
        "Retries and later commits do not run a failed Job again. Change `rerun` to another text, or delete the Job and sync.",
        "The name you wrote is kept in the label and the annotation `argocd-jobs/name`: `kubectl get jobs -l argocd-jobs/name=migrate`. The same holds for `generate-name` and for a renamed hook.",
    ],
};

/// Sync options that make Argo CD replace a Job.
pub(super) const REPLACING: [&str; 2] = ["Replace=true", "Force=true"];

/// Adds the changes to the draft. Returns the hash.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    input: &InputName,
) -> Result<String, Refusal> {
    let hash = hash_of(draft, options, input);
    let name = suffixed(draft, input, &format!("-{hash}"), MAX_JOB_NAME)?;
    draft.name(&name);
    draft.remove_hook(decision.converts);
    if options.prune == Prune::Keep {
        let [replace, force] = REPLACING;
        // Argo CD uses only the first `Prune=…`.
        draft.sync_options(&[replace, force, "Prune=true", "Prune=confirm"], &["Prune=false"]);
        draft.add_item(argocd::COMPARE_OPTIONS, "IgnoreExtraneous");
    } else {
        draft.sync_options(&REPLACING, &[]);
    }
    draft.remember(input);
    draft.remove(path!["spec", "ttlSecondsAfterFinished"]);
    Ok(hash)
}

/// The content hash of the Job with the changes of the draft so far: the clean-up.
pub(super) fn hash_of(draft: &Draft<'_>, options: &Options, input: &InputName) -> String {
    let cleaned = draft.value();
    hash::hash(Content {
        name: &input.name,
        spec: cleaned.at(&["spec"]),
        references: &options.references,
        rerun: &options.rerun,
    })
}

/// The input name, shortened to make room for `suffix`. The result has at most `most` bytes, less if the pods of an Indexed Job append an index.
pub(super) fn suffixed(draft: &Draft<'_>, input: &InputName, suffix: &str, most: usize) -> Result<String, Refusal> {
    let most = most.saturating_sub(name::index_suffix(draft.job()));
    name::shorten(&input.name, suffix, most)
        .ok_or(Refusal::NoRoom { completions: draft.job().indexed_completions().unwrap_or(0) })
}
