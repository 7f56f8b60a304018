//! One of several sources after it was read: its row, and its findings with their places.

use std::path::{Path, PathBuf};

use argocd_jobs::finding::{Finding, Level, not_rendered};
use argocd_jobs::output::sources::{Outcome, Row};
use argocd_jobs::text::{LineColumn, Origin, Place};
use argocd_jobs::version::Version;

use super::target::Target;

/// A source that was read, or why it was not.
pub(super) struct Read {
    /// Its path, as messages call it.
    pub(super) shown_as: String,
    /// Where it is, and what says how it is rendered.
    pub(super) target: Target,
    /// The source.
    pub(super) version: Box<Version>,
    /// What it is compared with, when `--base` is there.
    pub(super) base: Option<Box<Version>>,
    /// Why it could not be read; then the versions are empty.
    pub(super) error: Option<String>,
    /// Where the error is, when it is in a config file.
    pub(super) error_at: Option<Place>,
    /// True when what it is compared with cannot be read either.
    pub(super) is_old: bool,
    /// True when it could not be read, and Argo CD may be able to.
    pub(super) may_work: bool,
    /// True when it has manifests in what it is compared with, cannot be read any more, and Argo CD could not read it either.
    pub(super) is_broken: bool,
    /// True for a folder that no Application names, in a checkout with Applications: perhaps a test, an example, or left over.
    pub(super) is_unnamed: bool,
    /// Why it may have Jobs that are not seen, although it was read.
    pub(super) unseen: Vec<String>,
    /// True when neither version can be read, and both have the same files.
    pub(super) is_untouched: bool,
}

impl Read {
    /// Nothing is known about it yet.
    pub(super) fn of(shown_as: String, target: Target) -> Self {
        Self {
            shown_as,
            target,
            version: Box::default(),
            base: None,
            error: None,
            error_at: None,
            is_old: false,
            may_work: false,
            is_broken: false,
            is_unnamed: false,
            unseen: Vec::new(),
            is_untouched: false,
        }
    }

    /// The row of the table; `is_new` says that there is something that its base does not have.
    pub(super) fn row(&self, outcome: Outcome, is_new: bool) -> Row {
        let application = self.target.application().map(ToOwned::to_owned);
        Row {
            path: self.shown_as.clone(),
            application,
            kind: self.target.kind(),
            outcome,
            is_new,
            may_work: self.may_work,
            is_broken: self.is_broken(),
            unseen: self.unseen.clone(),
        }
    }

    /// Whether Argo CD could sync what it is compared with, and cannot sync it any more.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken && !self.is_unnamed
    }

    /// The findings. A finding about the whole source is at its Application, else at its folder. Where no Application names the folder,
    /// nothing says that Argo CD reads it, so what would keep it from that is a warning.
    pub(super) fn placed(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        for finding in findings.iter_mut().filter(|finding| self.is_unnamed && finding.rule.ends_the_sync()) {
            finding.level = finding.level.min(Level::Warning);
        }
        for finding in findings.iter_mut().filter(|finding| finding.place.is_none()) {
            finding.place = Some(match self.target.source() {
                Some(source) => source.place.clone(),
                None => Place::new(Origin::File(Path::new(&self.shown_as).into()), START),
            });
        }
        findings
    }

    /// The findings that Jobs may be not seen.
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
