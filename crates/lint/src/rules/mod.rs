//! The table of rules, and a file for each rule. `explain` and the page of findings are generated from the table.

mod application_set_fails;
mod application_waves;
mod both_hooks;
mod checksum_leaves_out_job;
mod claim_waits_for_pod;
mod crd_from_hook;
mod delete_hook_generate_name;
mod delete_hook_needs_deleted;
mod delete_policy_without_hook;
mod duplicate_job;
mod duplicate_key;
mod flux_annotation;
mod force_without_replace;
mod generate_name_collision;
mod generate_name_ignored;
mod generate_name_without_hook;
mod generate_paths_too_narrow;
mod helm_hook_without_phase;
mod helm_install_and_upgrade;
mod helm_install_hook;
pub(super) mod helm_is_upgrade;
mod helm_lookup;
mod helm_revision;
mod helm_upgrade_hook;
mod hook_change_unseen;
mod hook_failed_deletes_logs;
mod hook_in_use;
mod hook_needs_later_object;
mod hook_not_recreated;
mod hook_piles_up;
mod hook_renamed;
mod hook_without_deadline;
mod hooks_only;
mod ignored_template;
mod immutable_fields;
mod invalid_job;
mod invalid_sync_wave;
mod job_calls_later_database;
mod job_version;
mod kept_name;
mod locked_setting;
mod mesh_sidecar;
mod migration_can_be_killed;
mod missing_reference;
mod missing_template;
mod mutable_image;
mod names_renamed_job;
mod non_string_annotation;
mod not_rendered;
mod null_value;
mod owner_references;
mod prune_confirm;
mod random_value;
mod refused;
mod replace_reruns;
mod replace_with_server_side_diff;
mod replace_without_force;
mod retry_without_refresh;
mod rollout_does_not_wait;
mod rollout_skips_failed_job;
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
mod workload_needs_later_object;
mod workload_waits_for_later_job;

use super::examples::example;
use super::{Rule, Theme};
pub(super) use not_rendered::RULE as NOT_RENDERED;
pub(super) use unknown_annotation::meant as meant_annotation;
pub(super) use unknown_hook::{HELM_HOOKS, HOOKS};
pub(super) use unknown_sync_option::{KNOWN as SYNC_OPTIONS, several as several_sync_options};

/// What users of the plugin can do instead of what the help asks of everybody.
const HASH_NAME_DOES_THIS: &str = "the strategy `hash-name` does this";

/// All rules, sorted by id.
pub static RULES: &[Rule] = &[
    application_set_fails::RULE,
    application_waves::RULE,
    both_hooks::RULE,
    checksum_leaves_out_job::RULE,
    claim_waits_for_pod::RULE,
    crd_from_hook::RULE,
    delete_hook_generate_name::RULE,
    delete_hook_needs_deleted::RULE,
    delete_policy_without_hook::RULE,
    duplicate_job::RULE,
    duplicate_key::RULE,
    flux_annotation::RULE,
    force_without_replace::RULE,
    generate_name_collision::RULE,
    generate_name_ignored::RULE,
    generate_name_without_hook::RULE,
    generate_paths_too_narrow::RULE,
    helm_hook_without_phase::RULE,
    helm_install_and_upgrade::RULE,
    helm_install_hook::RULE,
    helm_is_upgrade::RULE,
    helm_lookup::RULE,
    helm_revision::RULE,
    helm_upgrade_hook::RULE,
    hook_change_unseen::RULE,
    hook_failed_deletes_logs::RULE,
    hook_in_use::RULE,
    hook_needs_later_object::RULE,
    hook_not_recreated::RULE,
    hook_piles_up::RULE,
    hook_renamed::RULE,
    hook_without_deadline::RULE,
    hooks_only::RULE,
    ignored_template::RULE,
    immutable_fields::RULE,
    invalid_job::RULE,
    invalid_sync_wave::RULE,
    job_calls_later_database::RULE,
    job_version::RULE,
    kept_name::RULE,
    locked_setting::RULE,
    mesh_sidecar::RULE,
    migration_can_be_killed::RULE,
    missing_reference::RULE,
    missing_template::RULE,
    mutable_image::RULE,
    names_renamed_job::RULE,
    non_string_annotation::RULE,
    not_rendered::RULE,
    null_value::RULE,
    owner_references::RULE,
    prune_confirm::RULE,
    random_value::RULE,
    refused::RULE,
    replace_reruns::RULE,
    replace_with_server_side_diff::RULE,
    replace_without_force::RULE,
    retry_without_refresh::RULE,
    rollout_does_not_wait::RULE,
    rollout_skips_failed_job::RULE,
    server_owned_fields::RULE,
    skip_ignored::RULE,
    strategic_merge_patch::RULE,
    suspended_hook::RULE,
    text_after_document_end::RULE,
    ttl_reruns::RULE,
    unknown_annotation::RULE,
    unknown_delete_policy::RULE,
    unknown_hook::RULE,
    unknown_sync_option::RULE,
    unreadable::RULE,
    unstable_name::RULE,
    unstable_template_label::RULE,
    unused_ignore::RULE,
    wave_waits_for_suspended_job::RULE,
    weight_without_hook::RULE,
    workload_needs_later_object::RULE,
    workload_waits_for_later_job::RULE,
];
