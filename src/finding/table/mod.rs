//! The one table of findings, and a file for each. `explain` and the page of findings are made of it.

mod duplicate_job;
mod duplicate_key;
mod refused;
mod ttl_reruns;
mod unknown_hook;
mod unreadable;
mod unused_ignore;

use super::Row;

/// All findings, by id.
pub static FINDINGS: [Row; 7] = [
    duplicate_job::ROW,
    duplicate_key::ROW,
    refused::ROW,
    ttl_reruns::ROW,
    unknown_hook::ROW,
    unreadable::ROW,
    unused_ignore::ROW,
];
