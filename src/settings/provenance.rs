//! Where a value comes from: enough to name it in a message.

use std::fmt;
use std::path::Path;

use crate::text::{LineColumn, Origin, Place};

/// The name of the config file.
pub const CONFIG_FILE: &str = ".argocd-jobs.yaml";

/// Where a value comes from, lowest precedence first: a later layer in this list wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// A variable of the sidecar's environment: the platform owner.
    Sidecar(String),
    /// The config file, at its top or in a rule.
    ConfigFile {
        /// The place of the value, or of the key when that is wrong.
        at: LineColumn,
        /// The key.
        key: String,
    },
    /// An environment variable that the Application sets: one of its `plugin.env`, with the prefix that Argo CD gives
    /// it, or `ARGOCD_APP_PARAMETERS` as a whole.
    ApplicationEnvironment(String),
    /// One of the Application's `plugin.parameters`.
    ApplicationParameter(String),
    /// The Application, which Argo CD renders itself: what the plugin could do does not happen.
    Native,
    /// A flag or `--set`; both take the place of Application parameters.
    CommandLine(String),
    /// An `argocd-jobs/*` annotation of the Job.
    Annotation(String),
    /// A variable of the sidecar's environment whose value is locked.
    Locked(String),
}

impl Provenance {
    /// The noun before the name in messages.
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

    /// The place in the config file. None for an annotation: only the caller knows the manifest.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::ConfigFile { at, .. } => Some(Place::new(Origin::File(Path::new(CONFIG_FILE).into()), *at)),
            _ => None,
        }
    }
}

/// For people: `` environment variable `ARGOCD_JOBS_TTL` ``, `` key `ttl` at .argocd-jobs.yaml:3:6 ``.
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
