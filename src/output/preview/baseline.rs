//! The content hashes of all Jobs as they are, as the config file takes them.

use std::collections::BTreeMap;

use crate::preview::Report;
use crate::strategy::Strategy;
use crate::survey::Survey;
use crate::text::is_unseen;
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
    if is_word && name.chars().all(plain) { name.to_owned() } else { quoted(name) }
}

/// In quotes, with escapes for what nobody sees, and for what a runner takes for a command in a log.
fn quoted(name: &str) -> String {
    let escaped = |found: char| match u32::from(found) {
        _ if !is_unseen(found) => found.to_string(),
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    };
    json::quote(name).chars().map(escaped).collect::<String>().replace("##[", "#\\x23[")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Value;

    #[test]
    fn every_name_is_read_as_it_was() {
        for name in ["a", "shop/a", "::error::x", "##[error]x \\", "\u{202e}\u{200b}\u{e0041}\n", "é 🚀 \" `"] {
            let text = key(name);
            assert!(!text.contains(is_unseen) && !text.contains("##["), "{text}");
            assert_eq!(Value::read(&format!("{text}: x\n")).unwrap().text_at(&[name]), Some("x"));
        }
    }
}
