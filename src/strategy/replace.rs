//! `replace`: an ordinary Job that Argo CD deletes and creates anew at every sync that applies it.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate, annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}}
//! ```
//! Both are needed: `Replace=true` alone meets the immutable fields, `Force=true` alone fails with server-side apply.

use super::draft::Draft;
use super::{Decision, WrittenName};

/// Notes the changes.
pub(super) fn write(draft: &mut Draft<'_>, decision: &Decision, written: &WrittenName) {
    if draft.job().name().is_none() {
        draft.name(written.name.trim_end_matches(['-', '.']));
    } else {
        draft.remove(&["metadata", "generateName"]);
    }
    draft.remove_hook(decision.converts);
    draft.sync_options(&["Force=false", "Replace=false"], &["Force=true", "Replace=true"]);
    draft.remove(&["spec", "ttlSecondsAfterFinished"]);
}
