//! A version of an Application that was planned and looked at: its objects as written and as emitted, and its findings.

use std::path::Path;

use kube_jobs::argocd::Ignoring;
use rewrite::plan::{Problem, ProblemKind, Together};
use rewrite::settings;
use rewrite::version::Version;

use crate::survey::{Compared, Survey};
use crate::{Finding, Known, Level, State, suppression};

/// A planned version, with its objects as written and as emitted.
#[derive(Debug)]
pub struct Analysis<'v> {
    /// The version that was planned.
    pub version: &'v Version,
    /// The plan and the objects.
    pub survey: Survey<'v>,
    /// The problems for which the plan is incomplete and must not be written. Empty if it is complete.
    pub problems: Vec<Problem>,
    findings: Vec<Finding>,
}

impl<'v> Analysis<'v> {
    /// Plans as much of the output as possible, and looks for findings. Reads each document once.
    pub fn of(version: &'v Version) -> Self {
        Self::among(version, None, Compared::No)
    }

    /// As [`Analysis::of`], but keeps more of each object, for a comparison.
    pub fn to_compare(version: &'v Version) -> Self {
        Self::among(version, None, compared_with(version))
    }

    /// As [`Analysis::to_compare`], but for the base of a comparison with `new`, whose Application says what Argo CD does not compare.
    pub fn as_base(version: &'v Version, new: &'v Version) -> (Self, Known) {
        Self::among(version, None, compared_with(new)).into_base()
    }

    /// As [`Analysis::of`] or [`Analysis::to_compare`], for one of several sources that share the counts and limits of `together`. Once a
    /// limit is exceeded, this is a problem of each later source. At the end [`Together::excess`] returns it for the whole run.
    pub fn among(version: &'v Version, together: Option<&'v Together>, compared: Compared<'v>) -> Self {
        let (survey, problems, findings) = crate::analyze(version, together, compared, None);
        Self { version, survey, problems, findings }
    }

    /// As [`Analysis::among`], after the analysis of another version with the same texts: what follows from a text is taken from there.
    pub fn after(
        earlier: &Analysis<'_>,
        version: &'v Version,
        together: Option<&'v Together>,
        compared: Compared<'v>,
    ) -> Self {
        let (survey, problems, findings) = crate::analyze(version, together, compared, Some(&earlier.survey));
        Self { version, survey, problems, findings }
    }

    /// Plans as much of the output as possible, for a report without findings.
    pub fn without_findings(version: &'v Version) -> Self {
        Self::planned(None, version, compared_with(version))
    }

    /// As [`Analysis::without_findings`], for a comparison that looks only at Jobs. Takes what it can from `earlier`, as [`Analysis::after`] does.
    pub fn planned(earlier: Option<&Analysis<'_>>, version: &'v Version, compared: Compared<'v>) -> Self {
        let earlier = earlier.map(|earlier| &earlier.survey);
        let (survey, problems) = Survey::of(version, None, compared, None, earlier);
        Self { version, survey, problems, findings: Vec::new() }
    }

    /// The findings, sorted by place. Those that the user ignores are marked. Fails if the config file ignores a finding that does not exist.
    pub fn findings(&self) -> Result<&[Finding], settings::Error> {
        self.survey.sources.iter().try_for_each(|source| suppression::check_ids(source.layers))?;
        Ok(&self.findings)
    }

    /// Takes the findings out. Fails as [`Analysis::findings`] does.
    pub fn take_findings(&mut self) -> Result<Vec<Finding>, settings::Error> {
        self.findings()?;
        Ok(std::mem::take(&mut self.findings))
    }

    /// The findings, as [`Analysis::findings`] returns them, without the check of what the config file ignores.
    pub fn found(&self) -> &[Finding] {
        &self.findings
    }

    /// Marks the open errors that the plugin would remove, if the Jobs are as they are written. Marks none if the plugin would refuse the manifests.
    pub fn ask_the_plugin(&mut self) {
        let is_open_error = |finding: &Finding| finding.level == Level::Error && finding.state == State::Open;
        if !self.findings.iter().any(is_open_error) {
            return;
        }
        let Some(version) = self.version.with_plugin() else { return };
        let with_plugin = Analysis::after(self, &version, None, Compared::No);
        if !with_plugin.problems.is_empty() {
            return;
        }
        let mut stays = Known::of(&with_plugin.findings, &with_plugin.survey);
        for finding in self.findings.iter_mut().filter(|finding| is_open_error(finding)) {
            finding.goes_with_the_plugin = stays.is_new(finding, &self.survey);
        }
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
        crate::fix::offer(&mut self.findings, &self.survey, is_kept);
    }

    /// The findings that `base` does not have.
    pub fn new_findings(&self, base: &Analysis<'_>) -> Result<Vec<Finding>, settings::Error> {
        Ok(crate::only_new(self.findings()?, &self.survey, base.findings()?, &base.survey))
    }
}

/// Keeps what a comparison with this version needs, as the new one.
pub fn compared_with(new: &Version) -> Compared<'_> {
    Compared::Yes(Ignoring::of(&new.application, new.settings.output.argocd_version))
}
