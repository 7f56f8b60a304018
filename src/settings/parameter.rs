//! The properties of a parameter: where it can be set, and the type of its value.

/// The prefix of annotations that set a parameter for one Job.
pub(super) const ANNOTATION_PREFIX: &str = "argocd-jobs/";

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
    /// In the sidecar's environment, and on the command line of whoever starts the program.
    Platform,
}

/// Where a value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In the sidecar's environment, or on the command line: by the platform owner.
    Platform,
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
            Position::Platform => self != Self::OneJob,
            Position::Application => !matches!(self, Self::OneJob | Self::Platform),
            Position::Rule => !matches!(self, Self::Application | Self::Platform),
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
    /// Some of these, as a comma-separated list or a list.
    CommaList(&'static [&'static str]),
    /// A whole number from here to 2147483647.
    Number(i64),
    /// `true` or `false`.
    Switch,
    /// A list of texts.
    List,
    /// A list of any texts, with blanks in them too.
    Texts,
    /// A map to content hashes.
    Hashes,
    /// A map of texts.
    Map,
    /// A block of an Application.
    Block(BlockType),
}

/// Which block of an Application a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockType {
    /// `spec.source.helm`
    Helm,
    /// `spec.source.kustomize`
    Kustomize,
}
