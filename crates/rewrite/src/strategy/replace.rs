//! `replace`: an ordinary Job that Argo CD deletes and creates again at every sync that applies it.
//!
//! ```yaml
//! metadata: {name: migrate}   →   metadata: {name: migrate, annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}}
//! ```
//! Both options are needed: with `Replace=true` alone the immutable fields cause an error, and `Force=true` alone fails with server-side apply.

use goyaml::path;

use super::draft::Draft;
use super::{Decision, InputName, Row, Strategy, StrategyChoice};

pub(super) const ROW: Row = Row {
    id: "replace",
    choice: StrategyChoice::Strategy(Strategy::Replace),
    writes: "`Force=true,Replace=true` in `argocd.argoproj.io/sync-options`; removes `spec.ttlSecondsAfterFinished`",
    runs: "at every sync that applies it, even for unrelated commits",
    serves: "Jobs that must keep their name and should not be hooks",
    limits: &[
        "Like `hash-name`, it does not prevent two runs from overlapping: a change kills the current run and starts the next one without waiting.",
        "The Job runs at every sync, even for unrelated commits.",
        "It does not work with server-side diff, which Argo CD 3.6 and later turn on for every Application with `ServerSideApply=true`: a change to the Job then ends in a ComparisonError.",
    ],
};

/// Adds the changes to the draft.
pub(super) fn write(draft: &mut Draft<'_>, decision: &Decision, input: &InputName) {
    if draft.job().name().is_none() {
        draft.name(input.name.trim_end_matches(['-', '.']));
    } else {
        draft.remove(path!["metadata", "generateName"]);
    }
    draft.remove_hook(decision.converts);
    draft.sync_options(&["Force=false", "Replace=false"], &["Force=true", "Replace=true"]);
    draft.remove(path!["spec", "ttlSecondsAfterFinished"]);
}
