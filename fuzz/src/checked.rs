//! The laws about `check` and `preview`.

use std::path::PathBuf;

use lint::Analysis;
use rewrite::manifest::Manifest;
use rewrite::version::Version;
use text::Origin;

use crate::input::Input;
use crate::laws::preview as law;
use crate::laws::seen::{self, Seen};

/// The first law of `check` that an input breaks.
pub fn broken(input: &Input) -> Option<String> {
    let manifests = input.manifests()?;
    let seen = Seen::checked(&manifests);
    [
        seen.misplaced(&manifests),
        seen.unsorted(),
        seen.missed_problem(),
        seen.odd_characters(),
        seen.differs_from_itself(),
        seen::unreadable(&seen.outputs),
        forged(seen.output("check github")?),
    ]
    .into_iter()
    .flatten()
    .next()
}

/// A line of GitHub's format that is neither a command nor the last one, or a command in that.
fn forged(github: &str) -> Option<String> {
    let mut lines: Vec<&str> = github.split_inclusive('\n').collect();
    let last = lines.pop().unwrap_or("");
    let is_command = |line: &&str| ["::error ", "::warning ", "::notice "].iter().any(|name| line.starts_with(name));
    let forged = lines.iter().find(|line| !line.trim().is_empty() && !is_command(line)).copied();
    forged.map(|line| format!("a line that is not a command: {line:?}")).or_else(|| {
        let is_known = !last.starts_with("::") || is_command(&last);
        (!is_known).then(|| format!("an unknown command: {last:?}"))
    })
}

/// The first law of `preview` that an input breaks. Files whose names begin with `old-` are the version that the others are compared with.
pub fn broken_preview(input: &Input) -> Option<String> {
    let manifests = input.manifests()?;
    let name = |manifest: &Manifest| manifest.origin.to_string();
    let (old, new): (Vec<_>, Vec<_>) = manifests.into_iter().partition(|manifest| name(manifest).starts_with("old-"));
    if old.is_empty() || new.is_empty() {
        let seen = Seen::of(&[old, new].concat());
        return [
            seen.odd_characters(),
            seen.differs_from_itself(),
            law::differs(&seen),
            seen::unreadable(&seen.outputs),
            too_long(&seen.outputs),
        ]
        .into_iter()
        .flatten()
        .next();
    }
    let renamed = |manifest: Manifest| {
        let path = PathBuf::from(name(&manifest).trim_start_matches("old-"));
        Manifest::new(Origin::File(path.into()), manifest.text.clone(), manifest.reader)
    };
    let (old, new) = (Version::of(old.into_iter().map(renamed).collect()), Version::of(new));
    let analysis = Analysis::of(&new);
    if !analysis.problems.is_empty() {
        return None;
    }
    let (base, known) = Analysis::as_base(&old, &new);
    let comparison = preview::compare(&mut Analysis::to_compare(&new), &base, known).ok()?;
    let outputs = seen::of_preview(&analysis, &comparison, analysis.findings().ok()?);
    [seen::odd_characters(&outputs), seen::unreadable(&outputs), too_long(&outputs)].into_iter().flatten().next()
}

/// A comment that GitHub would not take.
fn too_long(outputs: &[(&'static str, String)]) -> Option<String> {
    let long = |(name, text): &&(&str, String)| name.contains("markdown") && text.chars().count() >= 65_536;
    outputs.iter().find(long).map(|(name, text)| format!("{name} has {} bytes", text.len()))
}
