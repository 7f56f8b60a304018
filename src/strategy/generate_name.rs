//! `generate-name`: a hook from whose `generateName` Argo CD makes a new name at every sync.
//!
//! ```yaml
//! metadata: {generateName: job-}   →   metadata: {generateName: job-fg6t5fhk55-, annotations: {argocd.argoproj.io/hook: Sync, …}}
//! ```
//! The hash keeps two such Jobs of one phase apart, which Argo CD would merge into one. Nothing ever deletes these Jobs but their
//! TTL, so they get one.

use super::draft::Draft;
use super::hash_name::{hash_of, suffixed};
use super::{Decision, Options, Refusal, WrittenName, hook};
use crate::kubernetes::name::MAX_GENERATE_NAME;

/// Seconds after which a finished Job goes, when nobody says otherwise: a day.
const TTL: i64 = 86_400;

/// Notes the changes; returns the hash.
pub(super) fn write(
    draft: &mut Draft<'_>,
    decision: &Decision,
    options: &Options,
    written: &WrittenName,
) -> Result<String, Refusal> {
    let hash = hash_of(draft, options, written);
    let prefix = suffixed(draft, written, &format!("-{hash}-"), MAX_GENERATE_NAME)?;
    draft.generate_name(&prefix);
    hook::annotations(draft, decision, options);
    draft.remember(written);
    hook::time_to_live(draft, options, Some(TTL));
    hook::deadline(draft, options);
    Ok(hash)
}
