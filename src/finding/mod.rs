//! Findings: what is wrong, dangerous or surprising about the Jobs of an output under Argo CD.
//!
//! [`RULES`] is the one table; each rule has a file. A rule checks the objects of one side, and
//! runs twice: on the manifests as written, and on the output of `generate`. A finding that only
//! the written manifests have is solved by the strategy.

mod analyze;
mod volatile;
mod find;
pub mod fix;
pub mod suppression;
mod object_index;
mod context;
mod job_references;
mod migration;
mod workloads;
mod dependencies;
mod baseline;
mod notes;
mod place;
mod diagnostic;
pub mod examples;
mod rules;
mod theme;
mod unread;

use std::fmt;

use crate::plan::ProblemKind;
use crate::text::{Place, Span};
use crate::yaml::{Document, Path};

pub use analyze::analyze;
pub use baseline::{Known, only_new};
pub use context::Context;
pub use diagnostic::{Diagnostic, TextDiagnostic};
use examples::Example;
pub use find::Findings;
pub use rules::RULES;
pub use theme::Theme;
pub use unread::not_rendered;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Causes a failure under some conditions.
    Warning,
    /// Does not work.
    Error,
}

impl Level {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The level as users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// What findings of this level mean, for the legend: whole sentences.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Error => {
                "It does not work: a sync fails or never ends, a Job never runs, or its first change is rejected."
            }
            Self::Warning => {
                "It works until something happens: a failed run, a retry, a later change, or a new cluster."
            }
            Self::Info => "It works, but perhaps not as you expect.",
        }
    }

    /// The exit status of `check` when there is an open finding of this level and none above it, for the legend.
    pub fn exit_status(self) -> &'static str {
        match self {
            Self::Error => "1",
            Self::Warning => "0; 1 with `--deny warning` or `--deny info`",
            Self::Info => "0; 1 with `--deny info`",
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

/// A row of the table of rules, from which the documents are generated.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The id that users write.
    pub id: &'static str,
    /// What it is about.
    pub theme: Theme,
    /// The first version of this program that has it.
    pub since: &'static str,
    /// The severity of its findings.
    pub level: Level,
    /// What the rule finds, on one line.
    pub summary: &'static str,
    /// Why it matters: what Argo CD or Kubernetes does, with the source of the fact. Whole
    /// sentences; an empty line separates paragraphs.
    pub why: &'static str,
    /// How to fix it. Whole sentences.
    pub fix: &'static str,
    /// A page with more about it.
    pub link: &'static str,
    /// A manifest with the finding, and one like it without.
    pub example: Example,
    /// The function that finds it.
    pub check: Check,
}

impl Rule {
    /// Whether its findings keep Argo CD or the plugin from rendering anything of the source.
    pub fn ends_the_sync(&self) -> bool {
        matches!(self.check, Check::Problem(_)) || self.id == "non-string-annotation"
    }
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// The objects of one side.
    Objects(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// The text of one document, as written. Returns about as many diagnostics as it is told, at most.
    Document(fn(Document<'_>, usize) -> Vec<TextDiagnostic>),
    /// The problems that make `generate` fail.
    Problem(&'static [ProblemKind]),
    /// The objects of one side. If the problem also makes `generate` fail, the message of the plan is used.
    ObjectsOrProblem(fn(&Context<'_>) -> Vec<Diagnostic>, &'static [ProblemKind]),
    /// Reported by the reader of suppressions, not by a rule.
    Ignores,
    /// Reported by a caller that looks at several sources, about one that cannot be read.
    Sources,
}

impl Check {
    /// Whether its findings are about sources that could not be read.
    pub fn is_about_sources(&self) -> bool {
        matches!(self, Self::Sources)
    }
}

/// The state of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The output of `generate` has it.
    Open,
    /// The output of `generate` no longer has it. Holds what solved it, in words.
    Solved(String),
    /// The user suppressed it.
    Ignored(Ignored),
}

/// The suppression of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Where the suppression is written.
    pub by: IgnoredBy,
    /// The reason, where one is given.
    pub reason: Option<String>,
}

/// Where a suppression can be written.
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
    /// The word for messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConfigFile => "config file",
            Self::Annotation => "annotation",
            Self::Comment => "comment",
        }
    }
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The severity: that of the rule, unless more is known about this one.
    pub level: Level,
    /// The place; none for a finding about the whole output.
    pub place: Option<Place>,
    /// The index of the manifest and the bytes in it, where there is a place.
    pub span: Option<(usize, Span)>,
    /// True when the source line may be shown; false for a line of a Secret.
    pub shows_source: bool,
    /// The index of the object in the survey, when it is about one.
    pub object: Option<usize>,
    /// The path in that object that it is about; empty when it is about no value, and for a rule without a fix.
    pub path: Path,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// The help line: what to do about this one.
    pub help: String,
    /// Related places.
    pub related: Vec<Place>,
    /// Open, solved or ignored.
    pub state: State,
    /// How it can be fixed in its file. Always none before [`fix::offer`] has looked.
    pub fix: Option<Box<fix::Offer>>,
}

impl Rule {
    /// The rule with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.id == id)
    }
}
