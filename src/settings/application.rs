//! What settings say about the Application as a whole: what is read, and what is added to its output.

use super::Settings;
use super::parameter::Id;
use super::value::{Switch, Value};

/// The settings of one Application, with the defaults filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplicationSettings {
    /// `trigger`
    pub trigger: Trigger,
    /// `trigger-name`; none means that it follows from the Application
    pub trigger_name: Option<String>,
    /// `hash-references`
    pub hash_references: HashReferences,
    /// `source`
    pub source: SourceKind,
    /// `recurse`
    pub recurse: Recurse,
    /// `include`
    pub include: Option<String>,
    /// `exclude`
    pub exclude: Option<String>,
    /// `allow-empty`
    pub empty: Empty,
}

/// Whether a ConfigMap is added that changes with the hooks, so that auto-sync sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// It is added where there are hooks.
    #[default]
    Yes,
    /// It is not.
    No,
}

/// Whether the hash covers the ConfigMaps and Secrets that a Job names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashReferences {
    /// It does.
    Yes,
    /// It covers the Job alone.
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
    /// What users write.
    pub const IDS: [&str; 4] = ["auto", "directory", "kustomize", "helm"];

    const ALL: [Self; 4] = [Self::Auto, Self::Directory, Self::Kustomize, Self::Helm];

    /// The kind with this id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::IDS.iter().zip(Self::ALL).find(|(known, _)| **known == id).map(|(_, kind)| kind)
    }

    /// What users write for it.
    pub fn id(self) -> &'static str {
        Self::IDS[self as usize]
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

impl ApplicationSettings {
    /// Fills in the defaults.
    pub(super) fn of(settings: &Settings) -> Self {
        let default = Self::default();
        let switch = |id| settings.switch(id);
        Self {
            trigger: switch(Id::Trigger).map_or(default.trigger, |found| found.choose(Trigger::Yes, Trigger::No)),
            trigger_name: settings.text(Id::TriggerName),
            hash_references: switch(Id::HashReferences)
                .map_or(default.hash_references, |found| found.choose(HashReferences::Yes, HashReferences::No)),
            source: match settings.value(Id::Source) {
                Some(Value::Source(source)) => *source,
                _ => default.source,
            },
            recurse: switch(Id::Recurse).map_or(default.recurse, |found| found.choose(Recurse::Yes, Recurse::No)),
            include: settings.text(Id::Include),
            exclude: settings.text(Id::Exclude),
            empty: switch(Id::AllowEmpty).map_or(default.empty, |found| found.choose(Empty::Allowed, Empty::Refused)),
        }
    }
}

impl Switch {
    fn choose<T>(self, on: T, off: T) -> T {
        if self == Self::On { on } else { off }
    }
}
