//! The content hashes of all Jobs as they are, as the config file takes them.

use std::collections::BTreeMap;

use crate::preview::Report;
use crate::strategy::Strategy;
use crate::survey::Survey;
use crate::yaml::json;

/// Prints `baseline:` for the config file: the hash of each Job under `hash-name`, by `namespace/name`, or by name where no
/// namespace is known. What has no content hash needs no baseline.
pub fn print(survey: &Survey<'_>, report: &Report) -> String {
    let mut hashes = BTreeMap::new();
    for job in report.jobs.iter().filter(|job| job.strategy == Strategy::HashName) {
        let outcome = &survey.plan.jobs[job.job].outcome;
        if let (Some(written), Some(hash)) = (&outcome.input_name, &outcome.hash) {
            let key = match &job.namespace {
                Some(namespace) => format!("{namespace}/{}", written.name),
                None => written.name.clone(),
            };
            hashes.insert(key, hash);
        }
    }
    if hashes.is_empty() {
        return "baseline: {}\n".to_owned();
    }
    let entries = hashes.into_iter().map(|(name, hash)| format!("  {}: {}\n", key(&name), json::quote(hash)));
    format!("baseline:\n{}", entries.collect::<String>())
}

/// In quotes unless every reader of YAML takes it for a text.
fn key(name: &str) -> String {
    let plain = |found: char| found.is_ascii_alphanumeric() || matches!(found, '-' | '.' | '/');
    let is_word = name.starts_with(|found: char| found.is_ascii_lowercase()) && name.contains(['-', '/']);
    if is_word && name.chars().all(plain) { name.to_owned() } else { json::quote(name) }
}
