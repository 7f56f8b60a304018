//! What reading one source gives: its versions or why there are none, its row in the table, and the places of its findings.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kube_jobs::argocd::Gone;
use lint::{Finding, Level, not_rendered};
use preview::GoneApplication;
use render::Lack;
use rewrite::manifest::LeftOut;
use rewrite::settings::Empty;
use rewrite::version::Version;
use text::{LineColumn, Message, Origin, Place};

use crate::applications::ApplicationSource;
use crate::row::{Further, NotChecked, Outcome, RequiredValue, Row};
use crate::target::Target;

/// A source, and what reading it gave.
#[derive(Clone)]
pub struct Read {
    /// The path of the source, as messages call it.
    pub shown_as: String,
    /// The source.
    pub target: Target,
    /// The names of the value sets of a chart that render to the same; empty for another source, and for a chart without other values.
    pub value_sets: Vec<String>,
    /// The names of the Applications that render its Application, from the root down.
    pub from: Vec<String>,
    /// Whether Argo CD applies it.
    pub standing: Standing,
    /// Whether nothing declares it: a chart that is read with one of its value files.
    pub is_assumed_root: bool,
    /// Who is known to sync it.
    pub owner: Owner,
    /// What the change makes of its Application.
    pub fate: Fate,
    /// The further sources of its Application that are joined with it.
    pub further: Vec<Further>,
    /// The new version, or the only one.
    pub new: Rendered,
    /// The version of `--base`; `None` without the flag.
    pub old: Option<Rendered>,
    /// Whether the change has to do with it, if it cannot be read; `None` if that is unknown.
    pub changed: Option<bool>,
    /// Whether the change may be in a part that was left out when a version was rendered.
    pub may_change_unseen: bool,
    /// Why the source may have Jobs that were not found, although it was read.
    pub unseen: Vec<String>,
    /// Whether the change has to do with these Jobs; `None` if that is unknown, and if nothing is compared.
    pub unseen_changed: Option<bool>,
}

/// One version of a source, or why it cannot be read. In boxes because a list of thousands of sources is moved while it grows.
pub type Rendered = Result<Box<Version>, Box<Failure>>;

/// Why a version of a source cannot be read.
#[derive(Clone)]
pub struct Failure {
    /// The message, without the path of the source and the place.
    pub message: Message,
    /// The place of the mistake, if it is in a config file.
    pub at: Option<Place>,
    /// What the source lacks here; none if only the message says it.
    pub lack: Option<Lack>,
    /// The help for any source in the place of this one.
    pub help_for_any: Option<String>,
    /// The values that the templates of a chart require, and that it lacks here.
    pub requires: Vec<RequiredValue>,
    /// Whether Argo CD may be able to read the source.
    pub may_work: bool,
    /// Whether there is a text that this program does not read. Its Jobs are unknown, so the run fails.
    pub is_unread: bool,
}

/// What a change makes of the Application of a source.
#[derive(Clone)]
pub enum Fate {
    /// It is there, or nothing is known.
    Stays,
    /// It stays and is broken: its folder is missing, for this reason.
    LosesFolder(&'static str),
    /// It stays, without this source.
    LosesSource,
    /// The change removes it.
    Gone(Gone),
}

/// Whether Argo CD applies a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Argo CD applies it, or nothing says that it does not.
    Applied,
    /// A folder in a checkout with Applications that are unknown: one of them may have the folder among several sources.
    MayBeAPart,
    /// A folder that no Application names, in a checkout with Applications: it may be a test, an example or unused.
    Unnamed,
}

/// Who is known to sync a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// An Application.
    Application,
    /// An Application of the change, and none before: the change decides nothing about the folder, which is a source of its own.
    ApplicationOfTheChange,
    /// Nobody: other Applications are known, and none for it, or only one that this program made up for a root.
    Unknown,
    /// An Application elsewhere: none is known for any source.
    Elsewhere,
}

/// The version of a source that cannot be read: no manifests.
static NOTHING: LazyLock<Version> = LazyLock::new(Version::default);

impl Read {
    /// A source that Argo CD applies.
    pub fn new(shown_as: String, target: Target, new: Rendered, old: Option<Rendered>) -> Self {
        Self {
            shown_as,
            value_sets: Vec::new(),
            from: Vec::new(),
            standing: Standing::Applied,
            is_assumed_root: false,
            owner: if target.source().is_some() { Owner::Application } else { Owner::Unknown },
            target,
            fate: Fate::Stays,
            new,
            old,
            changed: None,
            may_change_unseen: false,
            unseen: Vec::new(),
            unseen_changed: None,
            further: Vec::new(),
        }
    }

    /// Why the source cannot be read; `None` if it was read.
    pub fn failure(&self) -> Option<&Failure> {
        self.new.as_ref().err().map(Box::as_ref)
    }

    /// The new version, or the only one; a version without manifests if it cannot be read.
    pub fn version(&self) -> &Version {
        self.new.as_ref().map_or(&NOTHING, Box::as_ref)
    }

    /// The version of `--base`; `None` without the flag, if it is unknown, and if there is nothing to compare it with.
    pub fn base(&self) -> Option<&Version> {
        let old = self.old.as_ref()?.as_ref().ok()?;
        // The Jobs that the change removes are known from the base alone.
        let may_be_removed = || self.target.old_source().is_some() && !self.has_lost_folder();
        (self.new.is_ok() || may_be_removed() && !old.manifests.is_empty()).then_some(old)
    }

    /// The new version and that of `--base`, as far as they could be read.
    pub fn versions_mut(&mut self) -> [Option<&mut Version>; 2] {
        let new = self.new.as_mut().ok();
        let old = self.old.as_mut().filter(|_| new.is_some()).and_then(|old| old.as_mut().ok());
        [new, old].map(|version| version.map(Box::as_mut))
    }

    /// Why only its base cannot be read; `None` if it can, and if the new version cannot.
    pub fn unread_base(&self) -> Option<&Failure> {
        self.old.as_ref().filter(|_| self.new.is_ok())?.as_ref().err().map(Box::as_ref)
    }

    /// The row of the table. `is_new` says that it has a finding or a change that its base does not have.
    pub fn row(&self, outcome: Outcome, is_new: bool) -> Row {
        let failure = self.failure();
        let set = self.target.source().and_then(|source| source.set.as_ref());
        Row {
            path: self.shown_as.clone(),
            further: self.further.clone(),
            value_sets: self.value_sets.clone(),
            application: self.target.application().map(ToOwned::to_owned),
            from: self.from.clone(),
            origin: self.target.source().map(|source| source.place.origin.to_string()).unwrap_or_default(),
            is_manual: self
                .target
                .source()
                .and_then(ApplicationSource::sync)
                .is_some_and(|sync| sync.automated.is_none()),
            clusters: self.target.source().map(|source| source.chosen_by.clusters.clone()).unwrap_or_default(),
            is_of_base: self.target.old_source().is_some(),
            is_assumed: set.is_some_and(|(_, is_assumed)| *is_assumed),
            kind: self.target.kind(),
            outcome,
            is_new,
            may_work: failure.is_some_and(|failure| failure.may_work),
            is_broken: self.is_broken(),
            is_unread: failure.is_some_and(|failure| failure.is_unread),
            changed: self.changed,
            gone: self.gone().map(|gone| GoneApplication { gone: gone.clone(), hooks: Vec::new() }),
            unread_base: self.unread_base().map(ToString::to_string),
            may_change_unseen: self.may_change_unseen,
            unseen: self.unseen.clone(),
            may_change_more: self.may_change_more(),
            without: self.without().map(ToString::to_string).collect(),
            requires: failure.map(|failure| failure.requires.clone()).unwrap_or_default(),
        }
    }

    /// Whether it may have Jobs that were not found, and the change may be about them. Without a version to compare with, any may be.
    pub fn may_change_more(&self) -> bool {
        !self.unseen.is_empty() && self.unseen_changed != Some(false)
    }

    /// The parts that were left out when it was rendered, because they are not there.
    pub fn without(&self) -> impl Iterator<Item = &LeftOut> {
        self.version().manifests.iter().flat_map(|manifest| &manifest.without)
    }

    /// What happens to its Application, if the change removes it.
    pub fn gone(&self) -> Option<&Gone> {
        match &self.fate {
            Fate::Gone(gone) => Some(gone),
            Fate::Stays | Fate::LosesFolder(_) | Fate::LosesSource => None,
        }
    }

    /// Whether its Application stays, and the change deletes the folder.
    pub fn has_lost_folder(&self) -> bool {
        matches!(self.fate, Fate::LosesFolder(_))
    }

    /// Whether the Application stays without this source.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.fate, Fate::LosesSource)
    }

    /// Notes what the change makes of its Application, and takes away what the new version does not have then.
    pub(crate) fn settle(&mut self, fate: Fate) {
        let had_manifests = matches!(&self.old, Some(Ok(old)) if !old.manifests.is_empty());
        match &fate {
            Fate::Stays => {}
            Fate::LosesFolder(why) => {
                self.new = Err(Box::new(Failure::of(Message::new(*why))));
                self.changed = Some(true);
                if !had_manifests {
                    self.old = Some(Ok(Box::default()));
                }
            }
            // Only the base has to be readable then.
            Fate::Gone(_) | Fate::LosesSource => {
                if had_manifests && self.new.is_err() {
                    (self.new, self.changed) = (Ok(Box::default()), None);
                }
                if let Ok(new) = &mut self.new {
                    new.manifests.clear();
                    if had_manifests {
                        new.settings.output.empty = Empty::Allowed;
                    }
                }
            }
        }
        self.fate = fate;
    }

    /// Whether the change breaks the sync: Argo CD could sync the base and cannot sync the new version. Never for a folder that no Application names.
    pub fn is_broken(&self) -> bool {
        self.standing != Standing::Unnamed && self.breaks()
    }

    /// As [`Self::is_broken`], but for any folder.
    pub(crate) fn breaks(&self) -> bool {
        self.failure().is_some_and(|failure| !failure.may_work)
            && matches!(&self.old, Some(Ok(old)) if !old.manifests.is_empty())
    }

    /// Whether neither version can be read.
    pub fn was_broken(&self) -> bool {
        self.new.is_err() && matches!(self.old, Some(Err(_)))
    }

    /// Lowers the level of a finding. In a folder that Argo CD may not read, an error that would keep Argo CD from rendering it becomes a warning. In
    /// a folder that Argo CD may not read alone, a finding about the lack of other objects becomes an info.
    pub fn settle_level(&self, finding: &mut Finding) {
        if self.standing == Standing::Unnamed && finding.rule.ends_the_sync() {
            finding.level = finding.level.min(Level::Warning);
        }
        if self.standing != Standing::Applied && finding.rule.id == "hooks-only" {
            finding.level = Level::Info;
        }
    }

    /// Gives each finding its level, and a finding without a place the place of the Application or of the folder.
    pub fn placed(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        for finding in &mut findings {
            self.settle_level(finding);
            finding.place.get_or_insert_with(|| match self.target.source() {
                Some(source) => source.place.clone(),
                None => start_of(Path::new(&self.shown_as)),
            });
        }
        findings
    }

    /// A finding for each reason why it may have Jobs that were not found and that the change may be about, or why it is unknown which are new.
    pub fn unseen_findings(&self) -> impl Iterator<Item = Finding> {
        let place = self.target.file().map(|file| start_of(&Path::new(&self.shown_as).join(file)));
        let unread_base = self.unread_base().map(|why| format!("only the base is broken: {why}"));
        let unseen = self.unseen.iter().filter(|_| self.may_change_more()).cloned();
        unseen.chain(unread_base).map(move |why| not_rendered(place.clone(), &why))
    }

    /// The finding that it cannot be read; `None` if it was read, and if the base cannot be read either.
    pub fn not_rendered(&self) -> Option<Finding> {
        let failure = self.failure().filter(|_| !self.was_broken())?;
        let place = failure.at.clone().or_else(|| self.place());
        let finding = not_rendered(place, &failure.message.to_string());
        // The change breaks it, or Argo CD can read what this program cannot.
        let level = if self.is_broken() || failure.is_unread { Level::Error } else { finding.level };
        Some(Finding { level, ..finding })
    }

    /// The place of its Application, or the beginning of its main file.
    fn place(&self) -> Option<Place> {
        if let Some(source) = self.target.source() {
            return Some(source.place.clone());
        }
        let file = match self.target.file() {
            Some(name) if self.shown_as == "." => Some(name),
            Some(name) => Some(Path::new(&self.shown_as).join(name)),
            None => Some(PathBuf::from(&self.shown_as)).filter(|path| path.is_file()),
        };
        file.map(|file| start_of(&file))
    }
}

impl Failure {
    /// A failure of which only the message is known.
    pub(crate) fn of(message: Message) -> Self {
        Self {
            message,
            at: None,
            lack: None,
            help_for_any: None,
            requires: Vec::new(),
            may_work: false,
            is_unread: false,
        }
    }
}

impl From<&Failure> for NotChecked {
    fn from(failure: &Failure) -> Self {
        let Failure { message, at, lack, help_for_any, .. } = failure.clone();
        Self { at, message, lack, help_for_any }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.at {
            write!(f, "{place}: ")?;
        }
        self.message.fmt(f)
    }
}

fn start_of(file: &Path) -> Place {
    Place::new(Origin::File(file.into()), LineColumn { line: 1, column: 1 })
}
