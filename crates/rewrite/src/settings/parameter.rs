//! The properties of a parameter: in which layers it can be set, and the type of its value.

/// The prefix of the annotations that set a parameter for one Job.
pub(super) const ANNOTATION_PREFIX: &str = "argocd-jobs/";

/// In which layers a parameter can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For the whole Application, in any layer and in the sidecar, but not in rules.
    Application,
    /// For the whole Application, in any layer and in the sidecar, and in rules of the config file.
    Jobs,
    /// For the whole Application, in any layer and in the sidecar, in rules, and as an annotation of a Job.
    JobsAndOne,
    /// In rules, and as an annotation of a Job, but not for the whole Application.
    OneJob,
    /// In the sidecar's environment, and on the command line when the platform owner starts the program.
    Platform,
}

/// The layer in which a value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The sidecar's environment, or the command line when the platform owner starts the program.
    Platform,
    /// A layer for the whole Application.
    Application,
    /// A rule of the config file.
    Rule,
    /// An annotation of a Job.
    Job,
}

impl Scope {
    /// Whether a parameter of this scope can be set in this layer.
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
        /// A regular expression for the JSON schema; it matches every text that the parameter accepts.
        pattern: Option<&'static str>,
    },
    /// Exactly one of these words.
    Choice(&'static [&'static str]),
    /// One or more of these words, as a list or separated by commas.
    CommaList(&'static [&'static str]),
    /// A whole number from this minimum to 2147483647.
    Number(i64),
    /// `true` or `false`.
    Switch,
    /// A list of texts that contain no blanks.
    List,
    /// A list of texts, which may contain blanks.
    Texts,
    /// A map from names of Jobs to content hashes.
    Hashes,
    /// A map with texts as values.
    Map,
    /// The block `helm` or `kustomize` of an Application.
    Block(BlockType),
}

/// A block of an Application's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockType {
    /// The block `spec.source.helm`.
    Helm,
    /// The block `spec.source.kustomize`.
    Kustomize,
}
