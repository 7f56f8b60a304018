//! The outcome of reading one of several sources: its row in the table, and its findings with their places.

use std::path::{Path, PathBuf};

use argocd_jobs::argocd::Gone;
use argocd_jobs::finding::{Finding, Level, not_rendered, without_plugin};
use argocd_jobs::manifest::LeftOut;
use argocd_jobs::output::sources::{Outcome, RequiredValue, Row};
use argocd_jobs::preview::GoneApplication;
use argocd_jobs::settings::Empty;
use argocd_jobs::text::{LineColumn, Message, Origin, Place};
use argocd_jobs::version::Version;

use super::target::Target;

/// A source that was read, or the error.
#[derive(Clone)]
pub(super) struct Read {
    /// Its path, as messages call it.
    pub(super) shown_as: String,
    /// The folder or the Application.
    pub(super) target: Target,
    /// The value sets of a chart that render to this, by their names; empty for another source, and for a chart without other values.
    pub(super) value_sets: Vec<String>,
    /// The new version, or the only one.
    pub(super) version: Box<Version>,
    /// The other version, with `--base`.
    pub(super) base: Option<Box<Version>>,
    /// Why it could not be read; then the versions are empty.
    pub(super) error: Option<String>,
    /// The values that the templates of a chart require and that it lacks here.
    pub(super) requires: Vec<RequiredValue>,
    /// The place of the error, if it is in a config file.
    pub(super) error_at: Option<Place>,
    /// True when neither it nor the base can be read.
    pub(super) is_old: bool,
    /// True when it could not be read here, and Argo CD may be able to read it.
    pub(super) may_work: bool,
    /// True when the base has manifests, and the new version can be read neither here nor by Argo CD.
    pub(super) is_broken: bool,
    /// True for a folder that no Application names, in a checkout with Applications: it may be a test, an example or unused.
    pub(super) is_unnamed: bool,
    /// True for a folder in a checkout with Applications that are not known: one of them may have it among several sources.
    pub(super) may_be_a_part: bool,
    /// Why it may have Jobs that were not found, although it was read.
    pub(super) unseen: Vec<String>,
    /// The Applications that render its Application, from the root down.
    pub(super) from: Vec<String>,
    /// True when the change deletes the folder of an Application that stays.
    pub(super) has_lost_folder: bool,
    /// True when its Application does not use the plugin, and nothing says that anybody here does.
    pub(super) is_without_plugin: bool,
    /// Whether the change has to do with a source that could not be read; none if that is not known, and for other sources.
    pub(super) changed: Option<bool>,
}

impl Read {
    /// A source that has not been read yet.
    pub(super) fn of(shown_as: String, target: Target) -> Self {
        Self {
            shown_as,
            target,
            value_sets: Vec::new(),
            version: Box::default(),
            base: None,
            error: None,
            requires: Vec::new(),
            error_at: None,
            is_old: false,
            may_work: false,
            is_broken: false,
            is_unnamed: false,
            may_be_a_part: false,
            unseen: Vec::new(),
            from: Vec::new(),
            has_lost_folder: false,
            is_without_plugin: false,
            changed: None,
        }
    }

    /// The row of the table. `is_new` says that it has a finding or a change that its base does not have.
    pub(super) fn row(&self, outcome: Outcome, is_new: bool) -> Row {
        let application = self.target.application().map(ToOwned::to_owned);
        Row {
            path: self.shown_as.clone(),
            value_sets: self.value_sets.clone(),
            application,
            from: self.from.clone(),
            is_assumed: self
                .target
                .source()
                .and_then(|source| source.set.as_ref())
                .is_some_and(|(_, is_assumed)| *is_assumed),
            kind: self.target.kind(),
            outcome,
            is_new,
            may_work: self.may_work,
            is_broken: self.is_broken(),
            changed: self.changed,
            gone: self.gone().map(|gone| GoneApplication { gone: gone.clone(), hooks: Vec::new() }),
            unseen: self.unseen.clone(),
            without: self.without().map(ToString::to_string).collect(),
            requires: self.requires.clone(),
        }
    }

    /// What was left out when it was rendered, because it was not there.
    pub(super) fn without(&self) -> impl Iterator<Item = &LeftOut> {
        self.version.manifests.iter().flat_map(|manifest| &manifest.without)
    }

    /// An error of it, with the help that is of use.
    pub(super) fn without_plugin(&self, error: String) -> String {
        let message = Message::of_error(&error);
        match message.help.as_deref().filter(|_| self.is_without_plugin).map(without_plugin) {
            Some(help) if help.is_empty() => Message { help: None, ..message }.to_string(),
            Some(help) => Message { help: Some(help), ..message }.to_string(),
            None => error,
        }
    }

    /// What becomes of its Application, if the change removes it.
    pub(super) fn gone(&self) -> Option<&Gone> {
        self.version.application.sync.as_ref()?.arrival.gone.as_ref()
    }

    /// Takes it for read if only the new version cannot be: the change removes the Application.
    pub(super) fn forget_error(&mut self) {
        if self.base.as_ref().is_some_and(|base| !base.manifests.is_empty()) {
            (self.error, self.error_at, self.changed) = (None, None, None);
            (self.may_work, self.is_broken) = (false, false);
            self.version.settings.output.empty = Empty::Allowed;
        }
    }

    /// Says why the folder of the Application, which stays, is not there any more.
    pub(super) fn lose_folder(&mut self, why: &str) {
        let had_manifests = self.base.as_ref().is_some_and(|base| !base.manifests.is_empty());
        self.error = Some(why.to_owned());
        self.is_broken = had_manifests;
        (self.has_lost_folder, self.is_old, self.may_work, self.changed) = (true, false, false, Some(true));
        (self.version, self.base) = (Box::default(), Some(Box::default()));
    }

    /// Whether Argo CD could sync the base and cannot sync the new version. Never for a folder that no Application names.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken && !self.is_unnamed
    }

    /// Lowers the level of a finding about a folder that Argo CD may not read, where an error that would keep Argo CD from rendering it becomes a
    /// warning, or may not read alone, where a finding about the lack of other objects becomes an info.
    pub(super) fn settle_level(&self, finding: &mut Finding) {
        if self.is_unnamed && finding.rule.ends_the_sync() {
            finding.level = finding.level.min(Level::Warning);
        }
        if (self.is_unnamed || self.may_be_a_part) && finding.rule.id == "hooks-only" {
            finding.level = Level::Info;
        }
    }

    /// Gives each finding without a place that of the Application or the folder, and each its level.
    pub(super) fn placed(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        findings.iter_mut().for_each(|finding| self.settle_level(finding));
        for finding in findings.iter_mut().filter(|finding| finding.place.is_none()) {
            finding.place = Some(match self.target.source() {
                Some(source) => source.place.clone(),
                None => Place::new(Origin::File(Path::new(&self.shown_as).into()), START),
            });
        }
        findings
    }

    /// A finding for each reason in `unseen`.
    pub(super) fn unseen(&self) -> impl Iterator<Item = Finding> {
        let place =
            self.target.file().map(|file| Place::new(Origin::File(Path::new(&self.shown_as).join(file).into()), START));
        self.unseen.iter().map(move |why| not_rendered(place.clone(), why))
    }

    /// The finding that it could not be read.
    pub(super) fn not_rendered(&self) -> Option<Finding> {
        let error = self.error.as_deref()?;
        if let Some(place) = &self.error_at {
            let prefix = format!("{place}: ");
            return Some(not_rendered(Some(place.clone()), error.strip_prefix(&prefix).unwrap_or(error)));
        }
        let file = match self.target.file() {
            Some(name) if self.shown_as == "." => Some(name),
            Some(name) => Some(Path::new(&self.shown_as).join(name)),
            None => Some(PathBuf::from(&self.shown_as)).filter(|path| path.is_file()),
        };
        let place = match self.target.source() {
            Some(source) => Some(source.place.clone()),
            None => file.map(|file| Place::new(Origin::File(file.into()), START)),
        };
        Some(not_rendered(place, error))
    }
}

const START: LineColumn = LineColumn { line: 1, column: 1 };
