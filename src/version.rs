//! One version of an Application: its manifests with their settings. It is planned, written, analyzed and compared here.
//!
//! Every front end uses this: the subcommands, `--base`, the tests. Needs nothing but the [`Source`] that it is read from.

mod fixing;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::argocd::Application;
use crate::finding::{self, Finding, Findings, Known, State};
use crate::manifest::Manifest;
use crate::output::stream;
use crate::plan::{self, Plan, Problem, ProblemKind, Reading, Together};
use crate::preview::{self, Comparison, NewOrOld, Report, Snapshot};
use crate::settings::{self, ApplicationSettings, Id, Layers, Provenance, RawLayers, Trigger};
use crate::source::{self, Source};
use crate::survey::{Compared, Survey};
use crate::text::Origin;

pub use fixing::Fixing;

/// The manifests of an Application, with the settings that hold for them.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// What the paths of its files begin with: the directory as messages call it.
    pub shown_as: PathBuf,
    /// The manifests, in the order of the output.
    pub manifests: Vec<Manifest>,
    /// The settings of all layers above the Jobs.
    pub layers: Layers,
    /// What the layers say about the Application as a whole.
    pub settings: ApplicationSettings,
    /// What Argo CD says about the Application.
    pub application: Application,
}

/// A version cannot be read.
#[derive(Debug)]
pub enum Error {
    /// Its files cannot be read.
    Source(source::Error),
    /// A setting cannot be understood.
    Setting(settings::Error),
}

/// What [`rewrite`] returns.
#[derive(Debug)]
pub struct Rewritten {
    /// The YAML stream for Argo CD, or all reasons why there is none.
    pub text: Result<String, Vec<Problem>>,
    /// What is wrong, dangerous or surprising about the Jobs, sorted by place.
    pub findings: Findings,
}

/// Reads the manifests of a source, rewrites their Jobs, and finds what is wrong with them.
///
/// The texts of the settings are those of the layers above the Jobs; the source's own config file, when it has one, takes the place of
/// [`RawLayers::config_file`]. `application` is what Argo CD passes to a plugin about the Application; none of it is required.
pub fn rewrite(source: Source, settings: &RawLayers<'_>, application: Application) -> Result<Rewritten, Error> {
    let version = Version::read(source, settings, application)?;
    let Analysis { survey, problems, findings, .. } = version.analyze();
    finding::suppression::check_ids(&version.layers)?;
    let text = if problems.is_empty() { Ok(version.text(&survey.plan)) } else { Err(problems) };
    Ok(Rewritten { text, findings })
}

/// Reads the settings above the Jobs, with the config file of a source.
pub fn read_layers(source: &mut Source, texts: &RawLayers<'_>) -> Result<Layers, Error> {
    let config_file = source.config_file()?;
    let texts = RawLayers { config_file: config_file.as_ref().or(texts.config_file), ..*texts };
    Ok(Layers::read(&texts)?)
}

impl Version {
    /// Reads the settings and then the manifests of a source; the first thing that is wrong ends it.
    pub fn read(mut source: Source, texts: &RawLayers<'_>, application: Application) -> Result<Self, Error> {
        let layers = read_layers(&mut source, texts)?;
        let settings = layers.application();
        let shown_as = source.shown_as();
        let manifests = source.manifests(&settings)?;
        Ok(Self { shown_as, manifests, layers, settings, application })
    }

    /// The version of manifests for which nothing is set.
    pub fn of(manifests: Vec<Manifest>) -> Self {
        Self { manifests, ..Self::default() }
    }

    /// An error when the config file ignores a finding that does not exist.
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

    /// Plans the output, or returns all that is wrong with the input: at most one syntax error a manifest, and all refusals.
    pub fn plan(&self) -> Result<Plan, Vec<Problem>> {
        plan::plan(&self.request()).map_err(|problems| self.placed(problems))
    }

    /// The problems, each with the path of the source when it is about the source as a whole.
    fn placed(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let is_of_the_source = match self.manifests.as_slice() {
            [one] => matches!(one.origin, Origin::Rendered(_)),
            _ => true,
        };
        let path = match self.shown_as.to_string_lossy() {
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

    /// Whether the `include` of the config file leaves nothing to read.
    pub fn is_emptied_by_its_config_file(&self) -> bool {
        let set = self.layers.above_jobs();
        let by = set.get(Id::Include).map(|setting| &setting.by);
        self.manifests.is_empty() && matches!(by, Some(Provenance::ConfigFile { .. }))
    }

    /// Writes a plan of this version as the YAML stream for Argo CD.
    pub fn write(&self, plan: &Plan, out: &mut impl Write) -> io::Result<()> {
        stream::write(&self.manifests, plan, out)
    }

    /// A plan of this version as the YAML stream for Argo CD.
    pub fn text(&self, plan: &Plan) -> String {
        let mut out = Vec::new();
        // Writing to a vector cannot fail, and manifests are UTF-8.
        let _ = self.write(plan, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Plans as much of the output as possible, and looks for findings. Each document is read once.
    pub fn analyze(&self) -> Analysis<'_> {
        self.analysis(Compared::No, None)
    }

    /// The same, for [`Analysis::compare`]: more is kept of each object.
    pub fn analyze_to_compare(&self) -> Analysis<'_> {
        self.analysis(Compared::Yes, None)
    }

    /// The same as [`Version::analyze_to_compare`], as the base of a comparison.
    pub fn analyze_as_base(&self) -> (Analysis<'_>, Known) {
        self.analyze_to_compare().into_base()
    }

    /// Either of these, for one of several sources with a ledger `together`: of all of them no more is kept than may be kept of one. Too much of it is a problem of the
    /// sources after that, and in the end of [`Together::excess`].
    pub fn analyze_among<'v>(&'v self, together: Option<&'v Together>, compared: Compared) -> Analysis<'v> {
        self.analysis(compared, together)
    }

    fn analysis<'v>(&'v self, compared: Compared, together: Option<&'v Together>) -> Analysis<'v> {
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

/// A version that is planned, with its objects as written and as emitted.
#[derive(Debug)]
pub struct Analysis<'v> {
    version: &'v Version,
    /// The plan and the objects.
    pub survey: Survey<'v>,
    /// Why the plan is not whole and must not be written; empty when it is.
    pub problems: Vec<Problem>,
    findings: Findings,
}

impl Analysis<'_> {
    /// What is wrong, dangerous or surprising, sorted by place, with what the user wants ignored marked; an error when the config file
    /// ignores a finding that does not exist.
    pub fn findings(&self) -> Result<&[Finding], settings::Error> {
        self.version.check_ignored()?;
        Ok(&self.findings)
    }

    /// The base of a comparison, with its findings forgotten except what it takes to know them again: of two large versions only one has to
    /// keep all of them.
    pub fn into_base(mut self) -> (Self, Known) {
        let known = Known::of(&self.findings, &self.survey);
        self.findings = Vec::new();
        (self, known)
    }

    /// Whether the version is too large to be analyzed, so that nothing is known of its objects.
    pub fn is_too_large(&self) -> bool {
        self.problems.iter().any(|problem| problem.kind == ProblemKind::Excess)
    }

    /// Says of each open finding how it can be fixed in its file, if it can. Reads the documents again that have one.
    /// Nothing is written into a file for which `is_kept` is true.
    pub fn offer_fixes(&mut self, is_kept: &dyn Fn(&Path) -> bool) {
        finding::fix::offer(&mut self.findings, &self.survey, is_kept);
    }

    /// The findings that `base` does not have.
    pub fn new_findings(&self, base: &Analysis<'_>) -> Result<Findings, settings::Error> {
        Ok(finding::only_new(self.findings()?, &self.survey, base.findings()?, &base.survey))
    }

    /// What becomes of the Jobs from `base` to this version, which has its findings no longer afterwards. `base` may be broken: what can
    /// be read of it is compared. `self` has to be made by [`Version::analyze_to_compare`], `base` and `known` by
    /// [`Version::analyze_as_base`].
    pub fn compare(&mut self, base: &Analysis<'_>, mut known: Known) -> Result<Comparison, settings::Error> {
        self.findings()?;
        let mut findings = std::mem::take(&mut self.findings);
        findings.retain(|finding| finding.state == State::Open);
        let new_or_old =
            |finding: Finding| NewOrOld { is_new: known.is_new(&finding, &self.survey), is_due: false, finding };
        let findings = findings.into_iter().map(new_or_old).collect();
        let (old, new) = (base.report(), self.report());
        Ok(preview::compare(base.snapshot(&old), self.snapshot(&new), findings))
    }

    /// What a preview says about the version, with the findings about each Job.
    pub fn report(&self) -> Report {
        preview::report(&self.survey, &self.version.settings.output, &self.findings)
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
