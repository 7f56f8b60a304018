//! What identifies a finding from one run to the next, for code scanning and code quality.

use std::collections::BTreeMap;

use lint::Finding;
use lint::survey::{Side, Survey};
use rewrite::hash;

/// A line with more bytes is too long to identify a finding.
const LONG_LINE: usize = 10_000;

/// The fingerprints that were given out, each with how often.
pub(super) type Seen = BTreeMap<String, usize>;

/// Stable across line shifts: rule, file, object, source line, and an ordinal among equal findings.
pub(super) fn fingerprint(finding: &Finding, survey: &Survey<'_>, seen: &mut Seen) -> String {
    let path = finding.place.as_ref().map(|place| place.origin.to_string()).unwrap_or_default();
    let object = finding.object.and_then(|object| qualified_name(object, survey)).unwrap_or_default();
    // A Secret's line would reveal something of its content.
    let line = finding.span.filter(|_| finding.shows_source).map(|(manifest, span)| {
        let manifest = &survey.manifests[manifest];
        let (text, line) = (&manifest.text, manifest.line_around(span.start));
        // In a file of one line every finding is on the same line.
        if line.len() > LONG_LINE { span.of(text) } else { line.of(text) }
    });
    let print = hash::short(&[finding.rule.id, &path, &object, line.unwrap_or("").trim()].join("\n"));
    let count = seen.entry(print.clone()).or_default();
    *count += 1;
    format!("{print}:{count}")
}

/// `Job/namespace/name`, as written; none for an object without a name.
pub(super) fn qualified_name(object: usize, survey: &Survey<'_>) -> Option<String> {
    let surveyed = &survey.objects[object];
    let object = surveyed.on(Side::Written).or(surveyed.on(Side::Emitted))?.object();
    let name = object.name().map(ToOwned::to_owned);
    let name = name.or_else(|| object.generate_name().map(|prefix| format!("{prefix}{{{{ generateName }}}}")));
    let parts = [Some(object.kind().to_owned()), object.namespace().map(ToOwned::to_owned), name];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
}
