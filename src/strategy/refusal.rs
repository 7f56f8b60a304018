//! What a strategy cannot do, with what a user can do about it.

use std::fmt;

use super::{NAME, Strategy};
use crate::argocd::NoGeneratedName;
use crate::path;
use crate::yaml::Path;

/// Why a Job cannot be written. The user's manifest or setting is at fault in every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Neither `metadata.name` nor `metadata.generateName`.
    NoName,
    /// One of them is not a text.
    NameIsNoText {
        /// `name` or `generateName`.
        key: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A list or a scalar is where Kubernetes has a map.
    NoMap {
        /// The keys down to it.
        path: &'static [&'static str],
        /// What it is.
        found: &'static str,
    },
    /// Nothing is left of the name once dashes and dots at its end are gone.
    NoBase {
        /// The name as written.
        written: String,
    },
    /// The Job's pods append such a long index that no name fits before it.
    NoRoom {
        /// `spec.completions`
        completions: i64,
    },
    /// A hook that never completes.
    Suspended {
        /// The strategy that was asked for.
        strategy: Strategy,
    },
    /// No phase is known for a hook that runs when the Application is deleted.
    DeleteHookWithoutPhase {
        /// The strategy that was asked for.
        strategy: Strategy,
    },
    /// Argo CD would build an invalid name.
    NoGeneratedName {
        /// Why.
        why: NoGeneratedName,
    },
    /// An annotation of the Job itself that its strategy cannot honour.
    WithoutEffect {
        /// The parameter's name.
        parameter: &'static str,
        /// The Job's strategy.
        strategy: Strategy,
    },
}

impl Refusal {
    /// The keys from the Job down to what is at fault; the Job itself when they are not there.
    pub fn path(&self) -> Path {
        match self {
            Self::NoName | Self::NoGeneratedName { .. } | Self::NoBase { .. } => path!["metadata"],
            Self::NameIsNoText { key, .. } => path!["metadata", *key],
            Self::NoMap { path, .. } => Path::of_keys(path),
            Self::NoRoom { .. } => path!["spec", "completions"],
            Self::Suspended { .. } => path!["spec", "suspend"],
            Self::DeleteHookWithoutPhase { .. } => path!["metadata", "annotations"],
            Self::WithoutEffect { parameter, .. } => {
                path!["metadata", "annotations", format!("argocd-jobs/{parameter}").as_str()]
            }
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoName => "set `metadata.name` on the Job".to_owned(),
            Self::NameIsNoText { key, .. } => format!("write `metadata.{key}` as a string, in quotes if necessary"),
            Self::NoMap { .. } => "check the indentation: Kubernetes would reject this Job".to_owned(),
            Self::NoBase { .. } => {
                format!("set `metadata.name` or the annotation `{NAME}` of the Job to a name with a letter in it")
            }
            Self::NoRoom { .. } => "lower `spec.completions` of the Job".to_owned(),
            Self::Suspended { .. } => {
                "remove `suspend: true` from the Job, or set the annotation `argocd-jobs/strategy: hash-name` on it"
                    .to_owned()
            }
            Self::DeleteHookWithoutPhase { .. } => {
                "set the annotation `argocd-jobs/hook` on the Job to `PreSync`, `Sync`, `PostSync` or `SyncFail`"
                    .to_owned()
            }
            Self::NoGeneratedName { .. } => {
                "use the strategy `hash-name`, or `hook`, which has a fixed name".to_owned()
            }
            Self::WithoutEffect { parameter: "ttl", .. } => {
                "remove `argocd-jobs/ttl` from the Job: after the TTL deletes it, Argo CD creates and runs it again"
                    .to_owned()
            }
            Self::WithoutEffect { parameter, .. } => {
                format!(
                    "add the annotation `argocd-jobs/strategy: hook` to make the Job a hook, or remove `argocd-jobs/{parameter}`"
                )
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("the Job has neither `metadata.name` nor `metadata.generateName`"),
            Self::NameIsNoText { key, found } => write!(f, "`metadata.{key}` is {found}, expected a string"),
            Self::NoMap { path, found } => write!(f, "`{}` is {found}, expected a map", path.join(".")),
            Self::NoBase { written } => write!(f, "the name `{written}` consists only of dashes and dots"),
            Self::NoRoom { completions } => {
                write!(f, "with {completions} completions, the index of the pods leaves no room for the Job's name")
            }
            Self::Suspended { strategy } => {
                write!(f, "a suspended Job under strategy `{strategy}` never completes, and the sync waits forever")
            }
            Self::DeleteHookWithoutPhase { strategy } => {
                write!(f, "strategy `{strategy}` needs a phase, but this hook only runs when the Application is deleted")
            }
            Self::NoGeneratedName { why: NoGeneratedName::OciRepository } => {
                f.write_str("strategy `generate-name` does not work with an `oci://` repository: Argo CD puts `sha256:` into the name, which makes it invalid")
            }
            Self::NoGeneratedName { why: NoGeneratedName::Revision(revision) } => {
                write!(f, "strategy `generate-name` does not work with the revision `{revision}…`: Argo CD puts it into the name, which makes it invalid")
            }
            Self::WithoutEffect { parameter, strategy } => {
                write!(f, "annotation `argocd-jobs/{parameter}` has no effect under strategy `{strategy}`")
            }
        }
    }
}
