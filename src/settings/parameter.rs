//! What a parameter is: its names, where it can be set, and what type it has.

pub use super::parameters::{Id, PARAMETERS};

/// The prefix of annotations that set a parameter for one Job.
pub const ANNOTATION_PREFIX: &str = "argocd-jobs/";

/// Where a parameter can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In every layer of the Application, and not in rules.
    Application,
    /// In every layer of the Application, and in rules.
    Jobs,
    /// The same, and as an annotation of a Job.
    JobsAndOne,
    /// In rules, and as an annotation of a Job.
    OneJob,
}

/// Where a value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In a layer for the whole Application.
    Application,
    /// In a rule of the config file.
    Rule,
    /// In an annotation of a Job.
    Job,
}

impl Scope {
    /// Whether a parameter of this scope can be set there.
    pub fn allows(self, position: Position) -> bool {
        match position {
            Position::Application => self != Self::OneJob,
            Position::Rule => self != Self::Application,
            Position::Job => matches!(self, Self::JobsAndOne | Self::OneJob),
        }
    }
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A text.
    Text {
        /// A regular expression for the JSON schema that matches every text the parameter takes.
        pattern: Option<&'static str>,
    },
    /// One of these.
    Choice(&'static [&'static str]),
    /// Some of these, as a comma list or a list.
    CommaList(&'static [&'static str]),
    /// A whole number from here to 2147483647.
    Number(i64),
    /// `true` or `false`.
    Switch,
    /// A list of texts.
    List,
    /// A map of texts.
    Map,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Which one it is.
    pub id: Id,
    /// What users write.
    pub name: &'static str,
    /// A heading for Argo CD's UI.
    pub title: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// What it takes, for a message.
    pub expected: &'static str,
    /// The type of its value.
    pub value_type: ValueType,
    /// What it is when nobody sets it; empty for nothing.
    pub default: &'static str,
    /// Where it can be set.
    pub scope: Scope,
}

impl Parameter {
    /// The parameter with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// Those that can be set there.
    pub fn at(position: Position) -> impl Iterator<Item = &'static Self> {
        PARAMETERS.iter().filter(move |parameter| parameter.scope.allows(position))
    }

    /// Its part of the name of an environment variable.
    pub fn variable(&self) -> String {
        self.name.to_uppercase().replace('-', "_")
    }

    /// Its row of the table in docs/parameters.md.
    pub fn markdown(&self) -> String {
        let default = if self.default.is_empty() { "–".to_owned() } else { format!("`{}`", self.default) };
        let places = match self.scope {
            Scope::Application => "Application",
            Scope::Jobs => "Application, rule",
            Scope::JobsAndOne => "Application, rule, annotation",
            Scope::OneJob => "rule, annotation",
        };
        format!("| `{}` | {} | {} | {default} | {places} |", self.name, self.summary, self.expected)
    }
}
