//! The settings of the Application as a whole: which files are read, how they are rendered, and what is added to the output.

use kube_jobs::argocd;

use super::rendering::{HelmSettings, KustomizeSettings, PlatformSettings};
use super::words::SourceKind;

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
    /// The parameters that only the platform owner can set.
    pub platform: PlatformSettings,
    /// The parameters that apply to the output as a whole, not to single Jobs.
    pub output: Output,
    /// True when Argo CD renders the Application itself, without the plugin.
    pub is_native: bool,
}

/// The parameters that apply to the output as a whole, not to single Jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `allow-empty`
    pub empty: Empty,
    /// `allow-random`
    pub random: Random,
    /// `trigger`
    pub trigger: Trigger,
    /// `trigger-name`: replaces the name that is otherwise derived from the name of the Application.
    pub trigger_name: Option<String>,
    /// `hash-references`
    pub hash_references: HashReferences,
    /// `argocd-version`: changes texts and findings, never the output.
    pub argocd_version: argocd::Version,
}

/// Whether a ConfigMap that changes with the hooks is appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// The ConfigMap is appended when the name of the Application is known.
    #[default]
    Yes,
    /// No ConfigMap is appended.
    No,
}

/// Whether the hash of a Job includes the data of the ConfigMaps and Secrets that the Job refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashReferences {
    /// The hash includes their data.
    Yes,
    /// The hash ignores their data.
    #[default]
    No,
}

/// Whether subdirectories are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recurse {
    /// The directory and all its subdirectories, at any depth.
    Yes,
    /// Only the files in the directory itself: Argo CD's default.
    #[default]
    No,
}

/// Whether an output without objects is allowed. Argo CD would delete every live object of the Application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Empty {
    /// An output without objects is an error.
    #[default]
    Refused,
    /// An output without objects is printed.
    Allowed,
}

/// Whether Jobs are allowed that get another name or content at every rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Random {
    /// `generate` prints a warning for such Jobs.
    #[default]
    Allowed,
    /// `generate` fails because of such Jobs.
    Refused,
}
