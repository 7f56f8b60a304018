//! `hash-name`: an ordinary Job whose name carries the hash of its content, so that a changed Job is a new one.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate-fg6t5fhk55, annotations: {argocd-jobs/name: migrate}, labels: …}
//! ```
//! The TTL goes: once the Job is deleted by it, Argo CD finds it missing, creates and runs it again. `Replace=true` goes: Argo CD
//! would replace the unchanged Job at the next sync, which the API server refuses.

use super::draft::Draft;
use super::{Decision, Options, Prune, Refusal, WrittenName};
use crate::argocd;
use crate::hash::{self, Content};
use crate::kubernetes::name::{self, MAX_JOB_NAME};

/// Sync-options that make Argo CD replace a Job.
pub(super) const REPLACING: [&str; 2] = ["Replace=true", "Force=true"];

/// Notes the changes; returns the hash.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    written: &WrittenName,
) -> Result<String, Refusal> {
    let hash = hash_of(draft, options, written);
    let name = suffixed(draft, written, &format!("-{hash}"), MAX_JOB_NAME)?;
    draft.name(&name);
    draft.remove_hook(decision.converts);
    if options.prune == Prune::Keep {
        draft.sync_options(&REPLACING, &["Prune=false"]);
        draft.add_item(argocd::COMPARE_OPTIONS, "IgnoreExtraneous");
    } else {
        draft.sync_options(&REPLACING, &[]);
    }
    draft.remember(written);
    draft.remove(&["spec", "ttlSecondsAfterFinished"]);
    Ok(hash)
}

/// The hash of the Job as the draft has cleaned it.
pub(super) fn hash_of(draft: &Draft<'_>, options: &Options, written: &WrittenName) -> String {
    let cleaned = draft.value();
    hash::hash(Content {
        name: &written.name,
        spec: cleaned.at(&["spec"]),
        references: &options.references,
        rerun: &options.rerun,
    })
}

/// The written name with `suffix`, at most `most` bytes less what the pods of an Indexed Job append.
pub(super) fn suffixed(draft: &Draft<'_>, written: &WrittenName, suffix: &str, most: usize) -> Result<String, Refusal> {
    let most = most.saturating_sub(name::index_suffix(draft.job()));
    name::shorten(&written.name, suffix, most)
        .ok_or(Refusal::NoRoom { completions: draft.job().indexed_completions().unwrap_or(0) })
}
