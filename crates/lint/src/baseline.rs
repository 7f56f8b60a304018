//! Compares findings with those of another version, the baseline.

use std::collections::BTreeMap;

use super::{Check, Finding, State};
use crate::survey::{Survey, generated_name};

/// The findings that the baseline `old` does not have.
pub fn only_new(findings: &[Finding], survey: &Survey<'_>, old: &[Finding], old_survey: &Survey<'_>) -> Vec<Finding> {
    let mut known = Known::of(old, old_survey);
    findings.iter().filter(|finding| known.is_new(finding, survey)).cloned().collect()
}

/// The keys of a version's findings, by which the same findings are recognized in another version.
#[derive(Clone, Debug, Default)]
pub struct Known(BTreeMap<Key, usize>);

impl Known {
    /// Keeps the keys of these findings.
    pub fn of(findings: &[Finding], survey: &Survey<'_>) -> Self {
        let mut known = BTreeMap::new();
        for finding in findings {
            *known.entry(key(finding, survey)).or_default() += 1;
        }
        Self(known)
    }

    /// Whether a finding of another version is not among these. Each of these findings matches only once. Two findings are the same if rule, state,
    /// object and message are equal, apart from digits in the message, which can be line numbers, hashes at the end of names, which follow the
    /// content, and related places, which can move to another file.
    pub fn is_new(&mut self, finding: &Finding, survey: &Survey<'_>) -> bool {
        match self.0.get_mut(&key(finding, survey)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    }
}

type Key = (&'static str, u8, String, String);

fn key(finding: &Finding, survey: &Survey<'_>) -> Key {
    let state = match finding.state {
        State::Open => 0,
        State::Solved(_) => 1,
        State::Ignored(_) => 2,
    };
    // One about the Application stays the same when its first Job gets another name.
    let is_of_application = matches!(finding.rule.check, Check::Application(_));
    let object = finding.object.filter(|_| !is_of_application).and_then(|object| {
        let surveyed = &survey.objects[object];
        surveyed.written.as_deref().or(surveyed.emitted.as_deref())
    });
    let subject = object.map(|resource| {
        let object = resource.object();
        let name = object.name().or(object.generate_name()).unwrap_or("");
        format!("{}/{}/{}", object.kind(), survey.namespace(object), without_hash(name))
    });
    let mut message = finding.message.clone();
    for place in &finding.related {
        message = message.replace(&place.to_string(), "");
    }
    let mut message: String = message.split('`').map(without_hash).collect();
    message.retain(|found| !found.is_ascii_digit());
    (finding.rule.id, state, subject.unwrap_or_default(), message)
}

/// A name without the hash of the content, because a finding about changed content concerns the same object.
fn without_hash(name: &str) -> &str {
    generated_name::base(name).map_or(name, |(base, _)| base)
}
