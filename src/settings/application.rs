//! What settings say about the Application as a whole: what is read, and what is added to its output.

/// The settings of one Application, with the defaults filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplicationSettings {
    /// `source`
    pub source: SourceKind,
    /// `recurse`
    pub recurse: Recurse,
    /// `include`
    pub include: Option<String>,
    /// `exclude`
    pub exclude: Option<String>,
    /// What is done with the output as a whole.
    pub output: Output,
}

/// What is done with the output as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `allow-empty`
    pub empty: Empty,
    /// `trigger`
    pub trigger: Trigger,
    /// `trigger-name`: in the place of the name that is made of the Application's.
    pub trigger_name: Option<String>,
    /// `hash-references`
    pub hash_references: HashReferences,
}

/// Whether a ConfigMap that changes with the hooks is appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// It is, when the Application's name is known.
    #[default]
    Yes,
    /// It is not.
    No,
}

/// Whether the data of ConfigMaps and Secrets counts for the hash of the Jobs that refer to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashReferences {
    /// It does.
    Yes,
    /// It does not.
    #[default]
    No,
}

/// How a directory becomes manifests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// What Argo CD would take the directory for.
    #[default]
    Auto,
    /// Its files as they are.
    Directory,
    /// `kustomize build`.
    Kustomize,
    /// `helm template`.
    Helm,
}

impl SourceKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Directory, Self::Kustomize, Self::Helm];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Directory => "directory",
            Self::Kustomize => "kustomize",
            Self::Helm => "helm",
        }
    }
}

/// Whether to go into the directories below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recurse {
    /// All the way down.
    Yes,
    /// The directory's own files only, Argo CD's default.
    #[default]
    No,
}

/// Whether an output without any object is meant; Argo CD would delete what is live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Empty {
    /// It is an error.
    #[default]
    Refused,
    /// It is meant.
    Allowed,
}
