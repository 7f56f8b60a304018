#![doc = include_str!("../README.md")]
//!
//! A rule checks the objects of one side ([`survey::Side`]) and runs twice: on the manifests as written, and on the output of `generate`.
//! A finding that only the written manifests have is solved by the strategy.

mod analysis;
mod analyze;
pub mod count;
pub mod survey;
mod find;
pub mod fix;
pub mod suppression;
mod object_index;
mod context;
mod job_references;
mod migration;
mod migration_tool;
mod workloads;
mod services;
mod dependencies;
mod claims;
mod baseline;
mod notes;
mod place;
mod diagnostic;
pub mod examples;
mod rules;
mod theme;
mod unread;

use std::fmt;

use goyaml::{Change, Document, Path};
use rewrite::plan::ProblemKind;
use text::{Help, Place, Span, without_passwords};

pub use analysis::{Analysis, compared_with};
pub use analyze::analyze;
pub use baseline::{Known, only_new};
pub use context::Context;
pub use diagnostic::{Diagnostic, TextDiagnostic};
use examples::Example;
pub use rules::RULES;
pub use theme::Theme;
pub use unread::not_rendered;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It works, but perhaps not as expected.
    Info,
    /// It fails under some conditions.
    Warning,
    /// It does not work.
    Error,
}

impl Level {
    /// All levels, from the lowest to the highest.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The word that users write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The meaning of the level, for the legend, in whole sentences.
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

    /// The exit status of `check` if this is the highest level of an open finding, for the legend.
    pub fn exit_status(self) -> &'static str {
        match self {
            Self::Error => "1",
            Self::Warning => "0; 1 with `--deny warning` or `--deny info`",
            Self::Info => "0; 1 with `--deny info`",
        }
    }

    /// The level with this name. None for any other text.
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
    /// The id of the rule and its findings, which users write.
    pub id: &'static str,
    /// The theme under which documents list the rule.
    pub theme: Theme,
    /// The first version of this program that has the rule.
    pub since: &'static str,
    /// The severity of its findings.
    pub level: Level,
    /// The mistake that the rule finds, on one line.
    pub summary: &'static str,
    /// Why it matters: what Argo CD or Kubernetes does, with the source of the fact. Whole sentences; an empty line separates paragraphs.
    pub why: &'static str,
    /// How to fix it, in whole sentences.
    pub fix: &'static str,
    /// The URL of a page with more information.
    pub link: &'static str,
    /// A manifest with the finding, and a similar one without it.
    pub example: Example,
    /// The function that finds it.
    pub check: Check,
}

impl Rule {
    /// Whether a finding of the rule prevents Argo CD or the plugin from rendering any manifest of the source.
    pub fn ends_the_sync(&self) -> bool {
        matches!(self.check, Check::Problem(_)) || self.id == "non-string-annotation"
    }
}

/// The part of the input that a rule checks, and the function that does it.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// The objects of one side.
    Objects(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// The objects of one side, for a mistake in the manifest of the Application, where its place is.
    Application(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// The text of one document, as written. The function returns about as many diagnostics as its second argument says, at most.
    Document(fn(Document<'_>, usize) -> Vec<TextDiagnostic>),
    /// The problems that make `generate` fail.
    Problem(&'static [ProblemKind]),
    /// The objects of one side. If the mistake also makes `generate` fail, the message of the plan is used.
    ObjectsOrProblem(fn(&Context<'_>) -> Vec<Diagnostic>, &'static [ProblemKind]),
    /// Nothing: the reader of suppressions reports it.
    Ignores,
    /// Nothing: a caller that reads several sources reports one that cannot be read.
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
    /// The output of `generate` has the mistake.
    Open,
    /// The output of `generate` does not have the mistake any more. Holds what solved it, in words.
    Solved(String),
    /// The user suppressed it.
    Ignored(Ignored),
}

/// The suppression of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The kind of place where it is written.
    pub by: IgnoredBy,
    /// The reason, if one is given.
    pub reason: Option<String>,
}

/// Where a suppression can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredBy {
    /// `ignore` in the config file.
    ConfigFile,
    /// An annotation of the object.
    Annotation,
    /// A comment on the line of the finding, or above it.
    Comment,
}

impl IgnoredBy {
    /// The word for it in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConfigFile => "config file",
            Self::Annotation => "annotation",
            Self::Comment => "comment",
        }
    }
}

/// A mistake in an output or its manifests, with its place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The severity: that of the rule, unless the diagnostic has its own.
    pub level: Level,
    /// The place. None for a finding about the whole output.
    pub place: Option<Place>,
    /// The index of the manifest, and the bytes in it. None without a place in a manifest.
    pub span: Option<(usize, Span)>,
    /// Whether the line may be shown. False for a line of a Secret.
    pub shows_source: bool,
    /// The index of the object in the survey. None if the finding is not about an object.
    pub object: Option<usize>,
    /// The path of the value in the object. Empty if the finding is not about a value, and for a rule without a fix.
    pub path: Path,
    /// The changes of the object that remove the mistake, if the rule knows them. Empty without a fix, and for a fix that finds them by itself.
    pub changes: Vec<Change>,
    /// The message: lower case, the user's words in backticks.
    pub message: String,
    /// What to do about this finding.
    pub help: Help,
    /// Related places.
    pub related: Vec<Place>,
    /// Whether it is open, solved or ignored.
    pub state: State,
    /// The possible fix in its file. None until [`fix::offer`] has set it.
    pub fix: Option<Box<fix::Offer>>,
    /// Whether the plugin removes it, where the Jobs are as they are written. Only of an open error, and only once [`Analysis::ask_the_plugin`] has been called.
    pub goes_with_the_plugin: bool,
    /// The names of the value sets of a chart in which it is true. Empty if it is true in all that were rendered, and for other sources.
    pub value_sets: Vec<String>,
}

impl Finding {
    /// An open finding with the level of its rule, and nothing else that is known about it.
    fn new(rule: &'static Rule, place: Option<Place>, message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self {
            rule,
            level: rule.level,
            place,
            span: None,
            shows_source: false,
            object: None,
            path: Path::default(),
            changes: Vec::new(),
            message: without_passwords(&message.into()).into_owned(),
            help: help.into(),
            related: Vec::new(),
            state: State::Open,
            fix: None,
            goes_with_the_plugin: false,
            value_sets: Vec::new(),
        }
    }
}

impl Rule {
    /// The rule with this id. None if there is none.
    pub fn find(id: &str) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.id == id)
    }
}
