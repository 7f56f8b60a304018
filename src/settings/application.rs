//! The settings of the Application as a whole: which files are read, how they are rendered, and what is added to the output.

use super::rendering::{HelmSettings, KustomizeSettings, PlatformSettings};
use super::words::SourceKind;
use crate::argocd;

/// The settings of one Application, with the defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApplicationSettings {
    /// `source`
    pub source: SourceKind,
    /// `recurse`
    pub recurse: Recurse,
    /// `include`
    pub include: Option<String>,
    /// `exclude`
    pub exclude: Option<String>,
    /// `helm`
    pub helm: HelmSettings,
    /// `kustomize`
    pub kustomize: KustomizeSettings,
    /// What only the platform owner sets.
    pub platform: PlatformSettings,
    /// Settings of the output as a whole.
    pub output: Output,
    /// True for an Application that Argo CD renders itself.
    pub is_native: bool,
}

/// Settings of the output as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `allow-empty`
    pub empty: Empty,
    /// `allow-random`
    pub random: Random,
    /// `trigger`
    pub trigger: Trigger,
    /// `trigger-name`: replaces the name that is derived from the Application's.
    pub trigger_name: Option<String>,
    /// `hash-references`
    pub hash_references: HashReferences,
    /// `argocd-version`: changes texts and findings, never the output.
    pub argocd_version: argocd::Version,
}

/// Whether a ConfigMap that changes with the hooks is appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// Appended when the Application's name is known.
    #[default]
    Yes,
    /// Not appended.
    No,
}

/// Whether the data of ConfigMaps and Secrets is part of the hash of the Jobs that refer to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashReferences {
    /// Their data is part of the hash.
    Yes,
    /// Their data is not part of the hash.
    #[default]
    No,
}

/// Whether subdirectories are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recurse {
    /// All directories below, at any depth.
    Yes,
    /// The directory's own files only, Argo CD's default.
    #[default]
    No,
}

/// Whether an output without any object is allowed; Argo CD would delete everything that is live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Empty {
    /// It is an error.
    #[default]
    Refused,
    /// It is allowed.
    Allowed,
}

/// Whether Jobs that differ at every rendering are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Random {
    /// `generate` warns of them.
    #[default]
    Allowed,
    /// They are an error.
    Refused,
}
