//! The findings that another version, the baseline, does not have.

use std::collections::BTreeMap;

use super::{Finding, Findings, State};
use crate::survey::{Survey, generated_name};

/// Returns the findings that `old` does not have.
pub fn only_new(findings: &[Finding], survey: &Survey<'_>, old: &[Finding], old_survey: &Survey<'_>) -> Findings {
    let mut known = Known::of(old, old_survey);
    findings.iter().filter(|finding| known.is_new(finding, survey)).cloned().collect()
}

/// The findings of a version, as far as it takes to know them again in another one.
#[derive(Clone, Debug, Default)]
pub struct Known(BTreeMap<Key, usize>);

impl Known {
    /// Knows these findings.
    pub fn of(findings: &[Finding], survey: &Survey<'_>) -> Self {
        let mut known = BTreeMap::new();
        for finding in findings {
            *known.entry(key(finding, survey)).or_default() += 1;
        }
        Self(known)
    }

    /// Whether a finding of another version is none of these. Each of these is known again once. Two findings are the same when rule,
    /// state, object and message are equal; digits in the message do not count, because they can be line numbers, hashes at the end of
    /// names do not, because they follow a content, and related places do not, because what is related can move to another file.
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
    let object = finding.object.and_then(|object| {
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

/// A name without the hash of the content: with another content it is about the same object.
fn without_hash(name: &str) -> &str {
    generated_name::base(name).map_or(name, |(base, _)| base)
}
