//! One version of an Application: its manifests with their settings. Plans, writes, analyzes and compares them.
//!
//! All callers use this: the sub-commands, `--base`, the tests. It needs nothing but the [`Source`] of the manifests.

mod fixing;
mod upgrade;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::argocd::Application;
use crate::finding::{self, Finding, Known, State};
use crate::manifest::Manifest;
use crate::output::stream;
use crate::plan::{self, Plan, Problem, ProblemKind, Reading, Together};
use crate::preview::{self, Cluster, Comparison, Judged, NewOrOld, Report, Snapshot};
use crate::settings::{self, ApplicationSettings, Id, Layers, Provenance, RawLayers, Trigger};
use crate::source::{self, Source};
use crate::survey::{Compared, Survey};
use crate::system::PathText;
use crate::text::Message;

pub use fixing::{Fixing, Original, Wanted};

/// The manifests of an Application, with their settings.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The directory, as messages name it. The paths of its files begin with it.
    pub shown_as: PathBuf,
    /// The manifests, in the order of the output.
    pub manifests: Vec<Manifest>,
    /// The settings of all layers above the Jobs.
    pub layers: Layers,
    /// The settings of the Application as a whole, from the layers.
    pub settings: ApplicationSettings,
    /// The facts about the Application.
    pub application: Application,
}

/// Why a version cannot be read.
#[derive(Debug)]
pub enum Error {
    /// The files of the source cannot be read.
    Source(source::Error),
    /// A setting is invalid.
    Setting(settings::Error),
}

/// The result of [`rewrite`].
#[derive(Debug)]
pub struct Rewritten {
    /// The YAML stream for Argo CD, or all reasons why there is no stream.
    pub text: Result<String, Vec<Problem>>,
    /// What is wrong, dangerous or surprising about the Jobs, sorted by place.
    pub findings: Vec<Finding>,
}

/// Reads the manifests of a source, rewrites their Jobs, and looks for findings.
///
/// `settings` are the texts of the layers above the Jobs. If the source has its own config file, it takes the place of [`RawLayers::config_file`].
/// `application` are the facts that Argo CD passes to a plugin; none of them is required.
pub fn rewrite(source: Source, settings: &RawLayers<'_>, application: Application) -> Result<Rewritten, Error> {
    let version = Version::read(source, settings, application)?;
    let Analysis { survey, problems, findings, .. } = version.analyze();
    finding::suppression::check_ids(&version.layers)?;
    let text = if problems.is_empty() { Ok(version.text(&survey.plan)) } else { Err(problems) };
    Ok(Rewritten { text, findings })
}

/// Reads the settings above the Jobs, including the config file of the source.
pub fn read_layers(source: &mut Source, texts: &RawLayers<'_>) -> Result<Layers, Error> {
    let config_file = source.config_file()?;
    let texts = RawLayers { config_file: config_file.as_ref().or(texts.config_file), ..*texts };
    Ok(Layers::read(&texts)?)
}

impl Version {
    /// Reads the settings, then the manifests of a source. Stops at the first error.
    pub fn read(mut source: Source, texts: &RawLayers<'_>, application: Application) -> Result<Self, Error> {
        let layers = read_layers(&mut source, texts)?;
        let settings = layers.application();
        let shown_as = source.shown_as();
        let manifests = source.manifests(&settings)?;
        Ok(Self { shown_as, manifests, layers, settings, application })
    }

    /// A version of these manifests, without settings.
    pub fn of(manifests: Vec<Manifest>) -> Self {
        Self { manifests, ..Self::default() }
    }

    /// Fails if the config file ignores a finding that does not exist.
    pub fn check_ignored(&self) -> Result<(), settings::Error> {
        finding::suppression::check_ids(&self.layers)
    }

    fn request(&self) -> plan::Request<'_> {
        plan::Request {
            manifests: &self.manifests,
            settings: &self.layers,
            application: &self.application,
            output: &self.settings.output,
            together: None,
        }
    }

    /// Plans the output. Fails with all problems of the input: at most one syntax error for each manifest, and all refusals.
    pub fn plan(&self) -> Result<Plan, Vec<Problem>> {
        plan::plan(&self.request()).map_err(|problems| self.placed(problems))
    }

    /// The problems, with the path of the source added to a problem of the source as a whole.
    fn placed(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let is_of_the_source = match self.manifests.as_slice() {
            [one] => one.origin.is_rendered(),
            _ => true,
        };
        let path = match self.shown_as.in_slashes() {
            path if path.is_empty() => ".".into(),
            path => path,
        };
        let with_path = |problem: Problem| match (problem.kind, &problem.place) {
            (ProblemKind::Empty, None) if is_of_the_source => {
                Problem { message: format!("{path}: {}", problem.message), ..problem }
            }
            _ => problem,
        };
        problems.into_iter().map(with_path).collect()
    }

    /// Whether there are no manifests because of `include` in the config file.
    pub fn is_emptied_by_its_config_file(&self) -> bool {
        let set = self.layers.above_jobs();
        let by = set.get(Id::Include).map(|setting| &setting.by);
        self.manifests.is_empty() && matches!(by, Some(Provenance::ConfigFile { .. }))
    }

    /// Writes a plan of this version to `out`, as the YAML stream for Argo CD.
    pub fn write(&self, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
        stream::write(&self.manifests, plan, out)
    }

    /// Returns a plan of this version as the YAML stream for Argo CD.
    pub fn text(&self, plan: &Plan) -> String {
        let mut out = Vec::new();
        // Writing to a vector cannot fail, and manifests are UTF-8.
        let _ = self.write(plan, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Plans as much of the output as possible, and looks for findings. Reads each document once.
    pub fn analyze(&self) -> Analysis<'_> {
        self.analyze_among(None, Compared::No)
    }

    /// As [`Version::analyze`], but keeps more of each object, for [`Analysis::compare`].
    pub fn analyze_to_compare(&self) -> Analysis<'_> {
        self.analyze_among(None, Compared::Yes)
    }

    /// As [`Version::analyze_to_compare`], but for the base of a comparison.
    pub fn analyze_as_base(&self) -> (Analysis<'_>, Known) {
        self.analyze_to_compare().into_base()
    }

    /// As [`Version::analyze`] or [`Version::analyze_to_compare`], for one of several sources that share the counts and limits of `together`. Once a
    /// limit is exceeded, this is a problem of each later source. At the end [`Together::excess`] returns it for the whole run.
    pub fn analyze_among<'v>(&'v self, together: Option<&'v Together>, compared: Compared) -> Analysis<'v> {
        let request = plan::Request { together, ..self.request() };
        let (survey, problems, findings) = finding::analyze(&request, compared);
        Analysis { version: self, survey, problems: self.placed(problems), findings }
    }

    /// Plans as much of the output as possible, for a report without findings.
    pub fn survey(&self) -> Analysis<'_> {
        let (survey, problems, _) = Survey::of(&self.request(), Compared::Yes, &|_: &Reading<'_>| ());
        Analysis { version: self, survey, problems: self.placed(problems), findings: Vec::new() }
    }
}

/// A planned version, with its objects as written and as emitted.
#[derive(Debug)]
pub struct Analysis<'v> {
    version: &'v Version,
    /// The plan and the objects.
    pub survey: Survey<'v>,
    /// The problems for which the plan is incomplete and must not be written. Empty if it is complete.
    pub problems: Vec<Problem>,
    findings: Vec<Finding>,
}

impl Analysis<'_> {
    /// The findings, sorted by place. Those that the user ignores are marked. Fails if the config file ignores a finding that does not exist.
    pub fn findings(&self) -> Result<&[Finding], settings::Error> {
        self.version.check_ignored()?;
        Ok(&self.findings)
    }

    /// Turns the analysis into the base of a comparison. Keeps only the keys of its findings, so that of two large versions only one
    /// keeps all findings.
    pub fn into_base(mut self) -> (Self, Known) {
        let known = Known::of(&self.findings, &self.survey);
        self.findings = Vec::new();
        (self, known)
    }

    /// Whether the version exceeds a limit, so that nothing is known of its objects.
    pub fn is_too_large(&self) -> bool {
        self.problems.iter().any(|problem| problem.kind == ProblemKind::Excess)
    }

    /// Sets the possible fix of each open finding. Reads the documents with findings again. A file for which `is_kept` is true must not be written.
    pub fn offer_fixes(&mut self, is_kept: &dyn Fn(&Path) -> bool) {
        finding::fix::offer(&mut self.findings, &self.survey, is_kept);
    }

    /// The findings that `base` does not have.
    pub fn new_findings(&self, base: &Analysis<'_>) -> Result<Vec<Finding>, settings::Error> {
        Ok(finding::only_new(self.findings()?, &self.survey, base.findings()?, &base.survey))
    }

    /// Compares this version with `base`: what changes for the Jobs, and which findings are new. Takes the findings out of this analysis. `base` may
    /// have problems; the readable part of it is compared. `self` must come from [`Version::analyze_to_compare`], and `base` and `known` from
    /// [`Version::analyze_as_base`].
    pub fn compare(&mut self, base: &Analysis<'_>, mut known: Known) -> Result<Comparison, settings::Error> {
        self.findings()?;
        let mut findings = std::mem::take(&mut self.findings);
        findings.retain(|finding| finding.state == State::Open);
        let new_or_old = |finding: Finding| NewOrOld {
            is_new: known.is_new(&finding, &self.survey),
            is_due: false,
            is_over: false,
            finding,
        };
        let findings = findings.into_iter().map(new_or_old).collect();
        let (old, new) = (base.report(), self.report());
        Ok(preview::compare(base.snapshot(&old), self.snapshot(&new), findings))
    }

    /// The report for a preview, with the findings about each Job.
    pub fn report(&self) -> Report {
        preview::report(&self.survey, &self.version.settings.output, &self.findings)
    }

    /// What a sync does to the Jobs of a cluster. Fails if it is not known in which namespace a Job of the source is.
    pub fn judge(&self, cluster: &Cluster) -> Result<Judged, Message> {
        preview::judge(self.snapshot(&self.report()), cluster)
    }

    fn snapshot<'r>(&'r self, report: &'r Report) -> Snapshot<'r> {
        let output = &self.version.settings.output;
        let (has_trigger, argocd_version) = (output.trigger == Trigger::Yes, output.argocd_version);
        Snapshot { survey: &self.survey, report, has_trigger, argocd_version }
    }
}

impl From<source::Error> for Error {
    fn from(error: source::Error) -> Self {
        Self::Source(error)
    }
}

impl From<settings::Error> for Error {
    fn from(error: settings::Error) -> Self {
        Self::Setting(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Setting(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
