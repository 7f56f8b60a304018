//! Fixes the findings of a version in rounds, until nothing is left to fix.

use std::collections::BTreeMap;
use std::path::PathBuf;

use goyaml::Change;
use rewrite::manifest::{Manifest, Reader};
use rewrite::settings;
use rewrite::version::Version;
use text::{LineColumn, Origin, Precision, Span, diff};

use super::{Fix, Fixed, Safety, round};
use crate::{Analysis, Finding, State};

/// The maximum number of rounds, more than any manifest needs. One fix can make another one necessary, and several fixes of one value take turns.
const MAX_ROUNDS: usize = 50;

/// The maximum size of a file from which a tool takes objects, in bytes: that of the files in which places are searched for.
const MAX_ORIGINAL: u64 = 1 << 20;

/// The result of [`apply`].
#[derive(Debug)]
pub struct Fixing {
    /// The findings that were fixed.
    pub fixed: Vec<Fixed>,
    /// The original texts of the changed manifests, by index.
    pub originals: BTreeMap<usize, String>,
}

/// The state before a round, to which a bad round is undone.
struct Before {
    texts: Vec<(usize, String)>,
    /// The number of findings that had been fixed.
    fixed: usize,
    health: Health,
}

/// Counts that a fix must not change.
#[derive(PartialEq, Eq)]
struct Health {
    /// The number of objects that can be read.
    objects: usize,
    /// The number of findings about text that cannot be read.
    unreadable: usize,
}

impl Health {
    fn of(analysis: &Analysis<'_>) -> Self {
        let objects = analysis.survey.objects.iter().filter(|object| object.address.is_some()).count();
        let unreadable = analysis.found().iter().filter(|finding| finding.rule.id == "unreadable").count();
        Self { objects, unreadable }
    }
}

/// A file from which a tool takes objects, as a source of its own.
#[derive(Debug)]
pub struct Original {
    /// The file alone, with the settings of the source that uses it.
    pub version: Version,
    /// The findings of the rendered manifests that are about a value of this file.
    pub wanted: Wanted,
}

/// Findings of rendered manifests that are about values of a file: the id of the rule, the place in the file, and the changes that the rule knows.
#[derive(Clone, Debug, Default)]
pub struct Wanted(BTreeMap<(&'static str, LineColumn), Vec<Change>>);

impl Wanted {
    /// Whether this finding of the file is among them.
    pub fn has(&self, finding: &Finding) -> bool {
        let known = finding.place.as_ref().and_then(|place| self.0.get(&(finding.rule.id, place.at)));
        // The rule may know other changes when it sees the other objects.
        known.is_some_and(|changes| *changes == finding.changes)
    }
}

/// The files of the repository that have the same value in the same object as a rendered manifest, where that has a finding with a fix. Files that
/// cannot be read are left out. Fails if the config file ignores a finding that does not exist.
pub fn originals(version: &Version) -> Result<Vec<Original>, settings::Error> {
    if !version.manifests.iter().any(|manifest| manifest.origin.is_rendered()) {
        return Ok(Vec::new());
    }
    let analysis = Analysis::of(version);
    let mut files: BTreeMap<PathBuf, (PathBuf, Wanted)> = BTreeMap::new();
    let is_fixable = |finding: &&Finding| finding.state == State::Open && Fix::find(finding.rule.id).is_some();
    for finding in analysis.findings()?.iter().filter(is_fixable) {
        let found = finding.span.and_then(|(manifest, span)| version.manifests[manifest].found(span.start));
        let Some(found) = found.filter(|found| found.precision == Precision::Line) else { continue };
        files
            .entry(found.path)
            .or_insert_with(|| (found.file, Wanted::default()))
            .1
            .0
            .insert((finding.rule.id, found.at), finding.changes.clone());
    }
    let original = |(path, (shown, wanted)): (PathBuf, (PathBuf, _))| {
        let text = checkout::read_small(&path, MAX_ORIGINAL).ok()?;
        let manifest = Manifest::new(Origin::File(shown.into()), text, Reader::DirectoryYaml).in_file(Some(path));
        Some(Original { version: with_manifest(version, manifest), wanted })
    };
    Ok(files.into_iter().filter_map(original).collect())
}

/// A version of one manifest, with the settings of this one.
fn with_manifest(version: &Version, manifest: Manifest) -> Version {
    Version {
        shown_as: version.shown_as.clone(),
        manifests: vec![manifest],
        layers: version.layers.clone(),
        settings: version.settings.clone(),
        application: version.application.clone(),
        further: Vec::new(),
    }
}

/// Fixes the open findings for which `is_wanted` is true with fixes that are at least as safe as `least`, in the texts of the manifests that may be
/// changed. Returns the fixed findings. Does not write to files. Fails if the config file ignores a finding that does not exist.
pub fn apply(
    version: &mut Version,
    least: Safety,
    may_change: &dyn Fn(&Manifest) -> bool,
    is_wanted: &dyn Fn(&Finding) -> bool,
) -> Result<Fixing, settings::Error> {
    let mut fixed: Vec<Fixed> = Vec::new();
    let mut before: Option<Before> = None;
    let mut originals: BTreeMap<usize, String> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let analysis = Analysis::of(version);
        let health = Health::of(&analysis);
        let findings: Vec<Finding> = analysis.findings()?.iter().filter(|one| is_wanted(one)).cloned().collect();
        let round = round(&findings, &analysis.survey, least, may_change);
        if let Some(before) = before.take_if(|before| before.health != health) {
            // No known input gets here. It protects the files: if Argo CD reads a fixed text in another way than intended, the text is not kept.
            fixed.truncate(before.fixed);
            set_texts(version, before.texts);
            break;
        }
        if round.texts.is_empty() {
            break;
        }
        let done = fixed.len();
        fixed.extend(at_first_lines(version, round.fixed, &originals));
        let texts = set_texts(version, round.texts);
        for (index, text) in &texts {
            originals.entry(*index).or_insert_with(|| text.clone());
        }
        before = Some(Before { texts, fixed: done, health });
    }
    originals.retain(|index, text| *text != version.manifests[*index].text);
    Ok(Fixing { fixed, originals })
}

/// The findings that were fixed in a round, with the lines that they had before the first round.
fn at_first_lines(version: &Version, mut fixed: Vec<Fixed>, originals: &BTreeMap<usize, String>) -> Vec<Fixed> {
    for (index, original) in originals {
        let mut of_manifest = fixed.iter_mut().filter(|one| one.manifest == *index).peekable();
        if of_manifest.peek().is_none() {
            continue;
        }
        let lines = diff::lines_before(original, &version.manifests[*index].text);
        for place in of_manifest.filter_map(|one| one.place.as_mut()) {
            place.at.line = lines.get(place.at.line - 1).copied().unwrap_or(place.at.line);
        }
    }
    fixed
}

/// For each line of a manifest, whether it is part of a Secret and must not be shown.
pub fn secret_lines(manifest: &Manifest) -> Vec<bool> {
    let version = Version::of(vec![manifest.clone()]);
    let survey = Analysis::without_findings(&version).survey;
    let mut start = 0;
    let is_hidden = |line: &str| {
        let span = Span::new(start, start + line.len());
        start = span.end;
        survey.holds_secret(0, span)
    };
    manifest.text.split_inclusive('\n').map(is_hidden).collect()
}

/// Replaces the texts of manifests. Returns their previous texts.
fn set_texts(version: &mut Version, texts: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let set = |(index, text): (usize, String)| {
        let new = version.manifests[index].with_text(text);
        (index, std::mem::replace(&mut version.manifests[index], new).text)
    };
    texts.into_iter().map(set).collect()
}
