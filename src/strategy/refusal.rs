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
            Self::NoName => "give the Job a `metadata.name`".to_owned(),
            Self::NameIsNoText { key, .. } => format!("write `{key}` as a string, in quotes if it looks like something else"),
            Self::NoMap { .. } => "Kubernetes would refuse it; check the indentation".to_owned(),
            Self::NoBase { .. } => format!("set the annotation `{NAME}` or `metadata.name` to a name with a letter in it"),
            Self::NoRoom { .. } => "lower `spec.completions`".to_owned(),
            Self::Suspended { .. } => {
                "remove `suspend: true`, or set the annotation `argocd-jobs/strategy: hash-name` on this Job".to_owned()
            }
            Self::DeleteHookWithoutPhase { .. } => {
                "say in which phase it runs with the annotation `argocd-jobs/hook: PreSync`, `Sync`, `PostSync` or `SyncFail`"
                    .to_owned()
            }
            Self::NoGeneratedName { .. } => {
                "set the strategy `hash-name`, or `hook`, which has a fixed name".to_owned()
            }
            Self::WithoutEffect { parameter: "ttl", .. } => {
                "remove the annotation: once the Job is deleted by its TTL, Argo CD creates and runs it again".to_owned()
            }
            Self::WithoutEffect { .. } => {
                "add the annotation `argocd-jobs/strategy: hook` to make the Job a hook, or remove this one".to_owned()
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
            Self::NoBase { written } => write!(f, "nothing is left of the name `{written}` before the hash"),
            Self::NoRoom { completions } => {
                write!(f, "the pods of {completions} completions leave no room for the Job's name")
            }
            Self::Suspended { strategy } => {
                write!(f, "a suspended Job under strategy `{strategy}` never completes, and the sync waits for ever")
            }
            Self::DeleteHookWithoutPhase { strategy } => {
                write!(f, "strategy `{strategy}` for a hook that runs when the Application is deleted, and no phase for it")
            }
            Self::NoGeneratedName { why: NoGeneratedName::OciRepository } => {
                f.write_str("strategy `generate-name` with an `oci://` repository: Argo CD puts `sha256:` into the name, which is invalid")
            }
            Self::NoGeneratedName { why: NoGeneratedName::Revision(revision) } => {
                write!(f, "strategy `generate-name` with the revision `{revision}…`: Argo CD puts it into the name, which is invalid")
            }
            Self::WithoutEffect { parameter, strategy } => {
                write!(f, "annotation `argocd-jobs/{parameter}` has no effect under strategy `{strategy}`")
            }
        }
    }
}
