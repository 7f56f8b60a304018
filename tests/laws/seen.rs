//! Collects all output of `check` and `preview` for some manifests. It uses the library, because a process for each
//! of thousands of inputs takes too long.

use std::path::PathBuf;

use ::text::Place;
use goyaml::{Tree, split};
use kube_jobs::kubernetes::{Object, list};
use lint::fix::Safety;
use lint::{Analysis, Finding, Level, State, fix};
use preview::{Comparison, OutOfSync};
use report::check::patch::{self, Text};
use report::check::{Sheet, fixes, github, gitlab, json, sarif, text};
use report::paint::Paint;
use report::preview::changes::changes;
use report::preview::text::{ShowDiff, View};
use report::preview::{self as previews, markdown};
use report::show::Show;
use rewrite::manifest::Manifest;
use rewrite::plan::Problem;
use rewrite::version::Version;
use serde_json::Value as Json;

use super::unseen::is_hidden;

/// The output of `--fix=all`: the differences and the applied fixes.
fn of_fixes(version: &Version) -> String {
    let mut new = version.clone();
    let fixed = fix::apply(&mut new, Safety::Unsafe, &|_| true, &|_| true).unwrap().fixed;
    let differences = version.manifests.iter().zip(&new.manifests).map(|(old, new)| {
        let (hidden_old, hidden_new) = (fix::secret_lines(old), fix::secret_lines(new));
        let old_text = Text { text: &old.text, hidden: &hidden_old };
        patch::print(&old.origin.to_string(), old_text, Text { text: &new.text, hidden: &hidden_new }, Paint::Plain)
    });
    differences.collect::<String>() + &fixes::list(&fixed, Show { all: true, ..Show::default() })
}

/// The collected output.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The name of each format, and its output.
    pub(crate) outputs: Vec<(&'static str, String)>,
    /// The reasons why `generate` prints nothing.
    pub(crate) problems: Vec<Problem>,
    /// The output of `generate`; `None` when it refuses.
    pub(crate) stream: Option<String>,
    /// The findings, each with its place.
    pub(crate) told: Vec<String>,
    /// The first difference when the manifests are compared with themselves. There should be none.
    pub(crate) changed: Option<String>,
    places: Vec<(Option<Place>, &'static str)>,
    has_error: bool,
}

impl Seen {
    /// Collects the output for manifests without any settings.
    pub(crate) fn of(manifests: &[Manifest]) -> Self {
        Self::look(manifests, true)
    }

    /// As [`Seen::of`], but without previews.
    #[allow(dead_code, reason = "only fuzz/ looks at one half at a time")]
    pub(crate) fn checked(manifests: &[Manifest]) -> Self {
        Self::look(manifests, false)
    }

    fn look(manifests: &[Manifest], with_previews: bool) -> Self {
        // Fixes are only computed for manifests that come from a file.
        let in_files = manifests.iter().map(|manifest| manifest.clone().in_file(Some(PathBuf::from("a.yaml"))));
        let version = Version::of(in_files.collect());
        let mut analysis = Analysis::of(&version);
        analysis.offer_fixes(&|_| false);
        let findings = analysis.findings().unwrap();
        let sheets = [Sheet {
            findings,
            survey: &analysis.survey,
            shown_as: "",
            further: &[],
            is_refused: !analysis.problems.is_empty(),
        }];
        let all = Show { all: true, ..Show::default() };
        let mut outputs = vec![
            ("check text", text::print(&sheets, all)),
            ("check text, grouped", text::print(&sheets, Paint::Plain)),
            ("check json", json::print(&sheets, None, None, &[])),
            ("check sarif", sarif::print(&sheets)),
            ("check github", github::print(&sheets, Paint::Plain)),
            ("check gitlab", gitlab::print(&sheets)),
            ("check patch", of_fixes(&version)),
        ];
        let mut changed =
            analysis.new_findings(&analysis).unwrap().first().map(|new| format!("{} is new", new.rule.id));
        let stream = analysis.problems.is_empty().then(|| version.text(&analysis.survey.plan));
        if with_previews && analysis.problems.is_empty() {
            let (base, known) = Analysis::as_base(&version, &version);
            let comparison = preview::compare(&mut Analysis::to_compare(&version), &base, known).unwrap();
            changed = changed.or_else(|| change(&comparison));
            outputs.extend(of_preview(&analysis, &comparison, findings));
        }
        let told = told(findings, manifests);
        let places = findings.iter().map(|finding| (finding.place.clone(), finding.rule.id)).collect();
        let has_error = findings.iter().any(|finding| finding.level == Level::Error);
        let problems = analysis.problems;
        Self { outputs, problems, stream, told, changed, places, has_error }
    }

    pub(crate) fn output(&self, format: &str) -> Option<&str> {
        self.outputs.iter().find(|(name, _)| *name == format).map(|(_, text)| text.as_str())
    }

    /// A complaint when the manifests differ from themselves. Values that Argo CD cannot apply even unchanged do
    /// differ, and a finding reports them: a null in an immutable field, and `Replace=true` alone.
    pub(crate) fn differs_from_itself(&self) -> Option<String> {
        let tells = |told: &String| {
            ["null-value", "missing-template", "replace-without-force"].iter().any(|id| told.contains(id))
        };
        self.changed.clone().filter(|_| !self.told.iter().any(tells))
    }

    /// The preview in JSON.
    pub(crate) fn preview(&self) -> Option<Json> {
        serde_json::from_str(self.output("preview json")?).ok()
    }

    /// A complaint when the place of a finding is outside of its file, or a caret is not under its line.
    pub(crate) fn misplaced(&self, manifests: &[Manifest]) -> Option<String> {
        for (place, id) in &self.places {
            let Some(place) = place else { continue };
            let manifest = manifests.iter().find(|manifest| manifest.origin == place.origin)?;
            // A text that ends in a newline has an empty last line.
            let line = manifest.text.split('\n').nth(place.at.line - 1);
            let fits = line.is_some_and(|line| (1..=line.chars().count() + 1).contains(&place.at.column));
            if !fits {
                return Some(format!("{id} at {place}, where nothing is"));
            }
        }
        let lines: Vec<&str> = self.output("check text")?.lines().collect();
        let caret = |line: &&str| line.trim_start().starts_with("| ") && line.trim_end().ends_with('^');
        lines.windows(2).filter(|pair| caret(&pair[1]) && !caret(&pair[0])).find_map(|pair| {
            // The caret for something missing is one column after the end of the line.
            let fits = pair[1].chars().count() <= pair[0].trim_end().chars().count() + 1;
            (!fits).then(|| format!("a caret behind the end of its line:\n{}\n{}", pair[0], pair[1]))
        })
    }

    /// A complaint when findings are not in the order of their places.
    pub(crate) fn unsorted(&self) -> Option<String> {
        let pair = self.places.windows(2).find(|pair| pair[0] > pair[1])?;
        Some(format!("{pair:?} in this order"))
    }

    /// A complaint when `generate` refuses the manifests and no finding is an error.
    pub(crate) fn missed_problem(&self) -> Option<String> {
        (!self.problems.is_empty() && !self.has_error).then(|| format!("{} is no finding", self.problems[0]))
    }

    /// A complaint about a character that is invisible or that a terminal would obey.
    pub(crate) fn odd_characters(&self) -> Option<String> {
        odd_characters(&self.outputs)
    }
}

/// A complaint about a character in one of the formats that is invisible or that a terminal would obey.
pub(crate) fn odd_characters(outputs: &[(&'static str, String)]) -> Option<String> {
    let is_odd = |found: char| is_hidden(found) && found != '\n' && found != '\t' && found != '\r';
    let (format, text) = outputs.iter().find(|(_, text)| text.contains(is_odd))?;
    let line = text.lines().find(|line| line.contains(is_odd))?;
    Some(format!("a character that is not seen in {format}: {line:?}"))
}

/// A complaint when a format for programs is not valid JSON.
pub(crate) fn unreadable(outputs: &[(&'static str, String)]) -> Option<String> {
    let is_json = |name: &str| ["json", "sarif", "gitlab"].iter().any(|format| name.contains(format));
    outputs.iter().filter(|(name, _)| is_json(name)).find_map(|(name, text)| {
        let error = serde_json::from_str::<Json>(text).err()?;
        Some(format!("{name} is no JSON: {error}"))
    })
}

/// The findings about manifests, each with its place, as text.
pub(crate) fn told_of(manifests: &[Manifest]) -> Vec<String> {
    told(Analysis::of(&Version::of(manifests.to_vec())).findings().unwrap(), manifests)
}

fn told(findings: &[Finding], manifests: &[Manifest]) -> Vec<String> {
    findings.iter().map(|finding| with_place(finding, manifests)).collect()
}

/// The first change between two versions.
fn change(comparison: &Comparison) -> Option<String> {
    let changed = comparison.jobs.iter().find(|job| job.verdict.is_a_change());
    let start =
        || comparison.starts.iter().find(|start| start.what != OutOfSync::Missing).map(|start| format!("{start:?}"));
    changed.map(|job| format!("{} {:?}", job.name, job.verdict)).or_else(start)
}

/// The outputs of `preview`, alone and compared with another version.
pub(crate) fn of_preview(
    analysis: &Analysis<'_>,
    comparison: &Comparison,
    findings: &[Finding],
) -> Vec<(&'static str, String)> {
    let survey = &analysis.survey;
    let report = preview::report(analysis);
    let (alone, against) = (report.forecast(), comparison.forecast());
    let changes = changes(survey);
    let view = View { report: &report, findings, changes: &changes, diff: ShowDiff::Always, show: Show::default() };
    vec![
        ("preview text", view.print(&alone, true)),
        ("preview json", previews::json::print(&report, &alone, findings, &changes)),
        ("preview markdown", markdown::print(&report, &alone, findings, &changes, true)),
        ("preview against text", previews::compared::print(comparison, &against, Show::default())),
        ("preview against json", previews::json::print_against(comparison, &against)),
        ("preview against markdown", markdown::print_against(comparison, &against, "base")),
    ]
}

fn with_place(finding: &Finding, manifests: &[Manifest]) -> String {
    let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
    let source = finding.span.map_or("", |(manifest, span)| span.of(&manifests[manifest].text));
    let state = match &finding.state {
        State::Open => "open",
        State::Solved(by) => by,
        State::Ignored(_) => "ignored",
    };
    format!("{place} {} {state} {} `{source}`", finding.rule.id, finding.message)
}

/// The objects that Argo CD reads from a stream.
pub(crate) fn objects_of(stream: &str) -> Vec<Object> {
    let pieces = split::split(stream);
    let mut objects = Vec::new();
    for index in 0..pieces.len() {
        let text = pieces.span(index).of(stream);
        let mut tree = Tree::default();
        let Ok(document) = tree.read(text) else { continue };
        let found = list::objects(document).into_iter();
        let found = found.filter_map(|(_, node)| node.value().ok());
        objects.extend(found.filter(|value| value.text_at(&["kind"]).is_some()).map(Object::new));
    }
    objects
}

/// The name of an object as a preview shows it.
pub(crate) fn name_of(object: &Object) -> String {
    let generated = || object.generate_name().map(|prefix| format!("{prefix}…"));
    object.name().map(ToOwned::to_owned).or_else(generated).unwrap_or_default()
}
