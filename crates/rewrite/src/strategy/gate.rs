//! Gates: hooks that run once per name, and again after a sync that has failed.
//!
//! ```yaml
//! metadata: {name: migrate-3f2a9c1e, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookFailed}}
//! ```
//! A finished hook that nothing deletes is applied onto itself, and counts as done. Only a sync that fails deletes it, whatever has failed
//! (`deleteHooks` in `gitops-engine/pkg/sync/sync_context.go`). No strategy writes gates; people do.

use kube_jobs::kubernetes::{Image, Object, pod, volatile};

use crate::hash;

/// Whether a hook is a gate: `HookFailed` is its only delete policy, and its name changes with its content.
pub fn is_gate(hook: &Object) -> bool {
    let name = hook.name().filter(|_| !hook.phases().is_empty() && hook.is_deleted_only_after_failure());
    name.is_some_and(|name| {
        changing_end(name).is_some() || volatile::ends_in_checksum(name) || ends_in_version(name, hook)
    })
}

/// The end of a name that changes with the content or with each rendering, and what it looks like.
pub fn changing_end(name: &str) -> Option<(&str, &'static str)> {
    let last = name.rsplit_once('-').map(|(_, last)| last);
    match last.filter(|last| looks_hashed(last)) {
        Some(hash) => Some((hash, "a content hash")),
        None => volatile::ending(name).map(|(ending, found)| (ending, found.as_str())),
    }
}

/// Whether a text looks like a hash of kubectl, kustomize or this program.
fn looks_hashed(text: &str) -> bool {
    hash::is_one(text) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a name ends in the tag of one of the images: `migrate-1-4-2` with `shop:v1.4.2`. A number alone can be anything: `upgrade-to-16` with
/// `postgres:16`.
fn ends_in_version(name: &str, object: &Object) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['.', '_', '+'], "-");
    let name = plain(name);
    pod::containers(object).iter().filter_map(|container| Image::of(container.value.text_at(&["image"])?).tag).any(
        |tag| {
            let is_version = tag.contains(|found: char| found.is_ascii_digit()) && tag.parse::<u64>().is_err();
            let tag = plain(tag);
            let number = tag.strip_prefix('v').unwrap_or(&tag);
            is_version && (name.ends_with(&format!("-{number}")) || name.ends_with(&format!("-v{number}")))
        },
    )
}
