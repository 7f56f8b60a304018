//! The findings that another version, the baseline, does not have.

use std::collections::BTreeMap;

use super::{Finding, Findings, State};
use crate::survey::Survey;

/// Returns the findings that `old` does not have. A finding that occurs twice in `old` is left out
/// twice. Two findings are the same when rule, state, object and message are equal; digits in the
/// message do not count, because they can be line numbers.
pub fn only_new(findings: Findings, survey: &Survey<'_>, old: &Findings, old_survey: &Survey<'_>) -> Findings {
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    for finding in old {
        *known.entry(key(finding, old_survey)).or_default() += 1;
    }
    let is_new = |finding: &Finding| -> bool {
        match known.get_mut(&key(finding, survey)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    };
    findings.into_iter().filter(is_new).collect()
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
        format!("{}/{}/{name}", object.kind(), survey.namespace(object))
    });
    let message = finding.message.chars().filter(|found| !found.is_ascii_digit()).collect();
    (finding.rule.id, state, subject.unwrap_or_default(), message)
}
