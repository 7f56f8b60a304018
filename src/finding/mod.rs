//! Findings: what is wrong, dangerous or surprising about the Jobs of an output under Argo CD.
//!
//! [`FINDINGS`] is the one table; each row has a file. A row judges the objects of one side, and is asked twice: about the
//! manifests as written, and about what `generate` makes of them. What it says only of the first is solved by the strategy.

mod analysis;
mod changing;
mod find;
pub mod ignore;
mod known;
mod look;
mod mention;
mod need;
mod new;
mod notes;
mod place;
mod remark;
mod table;

use std::fmt;

use crate::plan::ProblemKind;
use crate::text::{Place, Span};
use crate::yaml::Document;

pub use analysis::{Analysis, analyze};
pub use find::Findings;
pub use look::Look;
pub use new::only_new;
pub use remark::{Remark, Spot};
pub use table::FINDINGS;

/// How much a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Will hurt some day.
    Warning,
    /// Does not work.
    Error,
}

impl Level {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// As users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The level with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A row of the table of findings, from which documents are made.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What users write.
    pub id: &'static str,
    /// How much it counts.
    pub level: Level,
    /// One line: what is found.
    pub summary: &'static str,
    /// What Argo CD or Kubernetes does with it, with the source of the fact. Whole sentences; paragraphs are parted by an empty line.
    pub why: &'static str,
    /// What to do about it. Whole sentences.
    pub fix: &'static str,
    /// Where to read on.
    pub link: &'static str,
    /// How it is found.
    pub judge: Judge,
}

/// How a finding is found.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// In the objects of one side.
    Objects(fn(&Look<'_>) -> Vec<Remark>),
    /// In the text of one document, as written.
    Document(fn(Document<'_>) -> Vec<Spot>),
    /// It is a reason for which `generate` prints nothing.
    Problem(&'static [ProblemKind]),
    /// In the objects of one side; where `generate` prints nothing for it, that is told in its words.
    ObjectsOrProblem(fn(&Look<'_>) -> Vec<Remark>, &'static [ProblemKind]),
    /// It is told by what reads the words to ignore findings.
    Ignores,
}

/// What has become of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It stands.
    Open,
    /// What generate makes of the manifests has it no more; by what, in words.
    Solved(String),
    /// The user wants it ignored.
    Ignored(Ignored),
}

/// Who wants a finding ignored, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Where it says so.
    pub by: IgnoredBy,
    /// The reason, where one is given.
    pub reason: Option<String>,
}

/// Where it can be said that a finding is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredBy {
    /// `ignore` in the config file.
    ConfigFile,
    /// An annotation of the object.
    Annotation,
    /// A comment on the line, or above it.
    Comment,
}

impl IgnoredBy {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConfigFile => "config file",
            Self::Annotation => "annotation",
            Self::Comment => "comment",
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind of thing.
    pub row: &'static Row,
    /// Where; none for what is about the whole output.
    pub place: Option<Place>,
    /// The index of the manifest and the bytes in it, where there is a place.
    pub span: Option<(usize, Span)>,
    /// Whether the line may be shown: never of a Secret.
    pub shows_source: bool,
    /// The index of the object in the survey, when it is about one.
    pub object: Option<usize>,
    /// What, lower case, the user's words in backticks.
    pub message: String,
    /// What to do about this one.
    pub help: String,
    /// Other places that have to do with it.
    pub related: Vec<Place>,
    /// What has become of it.
    pub state: State,
}

impl Row {
    /// The row with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        FINDINGS.iter().find(|row| row.id == id)
    }
}
