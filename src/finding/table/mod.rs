//! The one table of findings, and a file for each. `explain` and the page of findings are made of it.

mod duplicate_job;
mod duplicate_key;
mod generate_name_collision;
mod helm_install_and_upgrade;
mod hook_change_unseen;
mod hook_needs_later_object;
mod hooks_only;
mod locked_setting;
mod missing_reference;
mod names_renamed_job;
mod refused;
mod ttl_reruns;
mod unknown_hook;
mod unreadable;
mod wave_waits_for_suspended_job;
mod workload_waits_for_later_job;

use super::Row;

/// All findings, by id.
pub static FINDINGS: [Row; 16] = [
    duplicate_job::ROW,
    duplicate_key::ROW,
    generate_name_collision::ROW,
    helm_install_and_upgrade::ROW,
    hook_change_unseen::ROW,
    hook_needs_later_object::ROW,
    hooks_only::ROW,
    locked_setting::ROW,
    missing_reference::ROW,
    names_renamed_job::ROW,
    refused::ROW,
    ttl_reruns::ROW,
    unknown_hook::ROW,
    unreadable::ROW,
    wave_waits_for_suspended_job::ROW,
    workload_waits_for_later_job::ROW,
];
