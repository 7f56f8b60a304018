//! The provenance of a value: the layer and the name under which it was set, for messages.

use std::fmt;
use std::path::Path;

use text::{LineColumn, Origin, Place};

/// The name of the config file.
pub const CONFIG_FILE: &str = ".argocd-jobs.yaml";

/// Where a value was set. The order is that of precedence: a later variant wins. (`Native` never meets another one.)
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// A variable of the sidecar's own environment, set by the platform owner.
    Sidecar(String),
    /// A key of the config file, at its top level or in a rule.
    ConfigFile {
        /// The place of the value, or of the key when the key is wrong.
        at: LineColumn,
        /// The key as written.
        key: String,
    },
    /// An environment variable that the Application sets: one of its `plugin.env`, with the prefix that Argo CD adds,
    /// or `ARGOCD_APP_PARAMETERS` as a whole.
    ApplicationEnvironment(String),
    /// One of the Application's `plugin.parameters`.
    ApplicationParameter(String),
    /// No layer: Argo CD renders the Application itself, so the plugin does nothing.
    Native,
    /// A flag or `--set`; both rank above the parameters of the Application.
    CommandLine(String),
    /// An `argocd-jobs/*` annotation of the Job.
    Annotation(String),
    /// A variable of the sidecar's environment that sets a locked parameter.
    Locked(String),
}

impl Provenance {
    /// The noun that messages put before the name.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Sidecar(_) | Self::ApplicationEnvironment(_) | Self::Locked(_) => "environment variable",
            Self::ConfigFile { .. } => "key",
            Self::CommandLine(written) if written.starts_with("--") => "flag",
            Self::ApplicationParameter(_) | Self::CommandLine(_) => "parameter",
            Self::Annotation(_) => "annotation",
            Self::Native => "Application",
        }
    }

    /// The name as the user wrote it.
    pub fn name(&self) -> &str {
        match self {
            Self::ConfigFile { key, .. } => key,
            Self::Sidecar(name)
            | Self::ApplicationEnvironment(name)
            | Self::ApplicationParameter(name)
            | Self::CommandLine(name)
            | Self::Annotation(name)
            | Self::Locked(name) => name,
            Self::Native => "",
        }
    }

    /// Line and column in the config file; `None` for other layers. Only the caller knows the manifest of an
    /// annotation.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::ConfigFile { at, .. } => Some(Place::new(Origin::File(Path::new(CONFIG_FILE).into()), *at)),
            _ => None,
        }
    }
}

/// Noun and name, such as `` environment variable `ARGOCD_JOBS_TTL` `` or `` key `ttl` at .argocd-jobs.yaml:3:6 ``.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::Native {
            return f.write_str("the Application, which uses no plugin");
        }
        write!(f, "{} `{}`", self.noun(), self.name())?;
        match self {
            Self::ConfigFile { at, .. } => write!(f, " at {CONFIG_FILE}:{at}"),
            Self::Locked(_) => f.write_str(", locked"),
            _ => Ok(()),
        }
    }
}
