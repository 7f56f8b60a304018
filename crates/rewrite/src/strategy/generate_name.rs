//! `generate-name`: a hook with a `generateName`, from which Argo CD makes a new name at every sync.
//!
//! ```yaml
//! metadata: {generateName: job-}   →   metadata: {generateName: job-fg6t5fhk55-, annotations: {argocd.argoproj.io/hook: Sync, …}}
//! ```
//! Argo CD would merge two hooks of one phase with the same `generateName`; the hash keeps them apart. Only a TTL ever deletes these
//! Jobs, so they get one.

use kube_jobs::kubernetes::name::MAX_GENERATE_NAME;

use super::draft::Draft;
use super::hash_name::{hash_of, suffixed};
use super::{Decision, InputName, Options, Refusal, Row, Strategy, StrategyChoice, hook};

pub(super) const ROW: Row = Row {
    id: "generate-name",
    choice: StrategyChoice::Strategy(Strategy::GenerateName),
    writes: "the hook annotations, and `metadata.generateName: <base>-<hash>-` instead of `metadata.name`; \
             `ttlSecondsAfterFinished: 86400` if there is none",
    runs: "at every sync, under a new name",
    serves: "standalone and ad-hoc Jobs whose finished runs should be kept for inspection",
    limits: &[
        "Argo CD never deletes the Jobs. They stay until their TTL expires, which is one day unless you set another.",
    ],
};

/// The TTL in seconds if the user sets none: one day.
const TTL: i64 = 86_400;

/// Adds the changes to the draft. Returns the hash.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    input: &InputName,
) -> Result<String, Refusal> {
    let hash = hash_of(draft, options, input);
    let prefix = suffixed(draft, input, &format!("-{hash}-"), MAX_GENERATE_NAME)?;
    draft.generate_name(&prefix);
    hook::annotations(draft, decision, options);
    draft.remember(input);
    hook::time_to_live(draft, options, Some(TTL));
    hook::deadline(draft, options);
    Ok(hash)
}
