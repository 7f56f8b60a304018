//! The one table of findings, and a file for each. `explain` and the page of findings are made of it.

mod both_hooks;
mod delete_hook_generate_name;
mod delete_policy_without_hook;
mod duplicate_job;
mod duplicate_key;
mod force_without_replace;
mod generate_name_collision;
mod generate_name_without_hook;
mod helm_hook_without_phase;
mod helm_install_and_upgrade;
mod hook_change_unseen;
mod hook_needs_later_object;
mod hook_not_recreated;
mod hook_piles_up;
mod hook_renamed;
mod hook_without_deadline;
mod hooks_only;
mod immutable_fields;
mod invalid_sync_wave;
mod job_version;
mod kept_name;
mod locked_setting;
mod missing_reference;
mod mutable_image;
mod name_too_long;
mod names_renamed_job;
mod non_string_annotation;
mod null_value;
mod owner_references;
mod refused;
mod replace_reruns;
mod replace_without_force;
mod restart_policy;
mod server_owned_fields;
mod skip_ignored;
mod strategic_merge_patch;
mod suspended_hook;
mod text_after_document_end;
mod ttl_reruns;
mod unknown_annotation;
mod unknown_delete_policy;
mod unknown_hook;
mod unknown_sync_option;
mod unreadable;
mod unstable_name;
mod unstable_template_label;
mod unused_ignore;
mod wave_waits_for_suspended_job;
mod weight_without_hook;
mod workload_waits_for_later_job;

use super::Row;

/// All findings, by id.
pub static FINDINGS: [Row; 50] = [
    both_hooks::ROW,
    delete_hook_generate_name::ROW,
    delete_policy_without_hook::ROW,
    duplicate_job::ROW,
    duplicate_key::ROW,
    force_without_replace::ROW,
    generate_name_collision::ROW,
    generate_name_without_hook::ROW,
    helm_hook_without_phase::ROW,
    helm_install_and_upgrade::ROW,
    hook_change_unseen::ROW,
    hook_needs_later_object::ROW,
    hook_not_recreated::ROW,
    hook_piles_up::ROW,
    hook_renamed::ROW,
    hook_without_deadline::ROW,
    hooks_only::ROW,
    immutable_fields::ROW,
    invalid_sync_wave::ROW,
    job_version::ROW,
    kept_name::ROW,
    locked_setting::ROW,
    missing_reference::ROW,
    mutable_image::ROW,
    name_too_long::ROW,
    names_renamed_job::ROW,
    non_string_annotation::ROW,
    null_value::ROW,
    owner_references::ROW,
    refused::ROW,
    replace_reruns::ROW,
    replace_without_force::ROW,
    restart_policy::ROW,
    server_owned_fields::ROW,
    skip_ignored::ROW,
    strategic_merge_patch::ROW,
    suspended_hook::ROW,
    text_after_document_end::ROW,
    ttl_reruns::ROW,
    unknown_annotation::ROW,
    unknown_delete_policy::ROW,
    unknown_hook::ROW,
    unknown_sync_option::ROW,
    unreadable::ROW,
    unstable_name::ROW,
    unstable_template_label::ROW,
    unused_ignore::ROW,
    wave_waits_for_suspended_job::ROW,
    weight_without_hook::ROW,
    workload_waits_for_later_job::ROW,
];
