//! Why a strategy cannot change a Job, and what the user can do about it.

use std::fmt;

use goyaml::{Path, path};
use kube_jobs::argocd::NoGeneratedName;

use super::{NAME, Strategy};

/// Why a Job is refused. The cause is always the user's manifest or setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The Job has neither `metadata.name` nor `metadata.generateName`.
    NoName,
    /// The `name` or `generateName` is not a text.
    NameIsNoText {
        /// `name` or `generateName`.
        key: &'static str,
        /// The type of its value.
        found: &'static str,
    },
    /// The Job has a list or a scalar where Kubernetes has a map.
    NoMap {
        /// The path of the value.
        path: &'static [&'static str],
        /// The type of the value.
        found: &'static str,
    },
    /// The name consists only of dashes and dots.
    NoBase {
        /// The name as written.
        written: String,
    },
    /// The pods append an index that is so long that no name fits before it.
    NoRoom {
        /// `spec.completions`
        completions: i64,
    },
    /// The Job would be a suspended hook, which never completes.
    Suspended {
        /// The chosen strategy.
        strategy: Strategy,
    },
    /// The Job is a hook that runs when the Application is deleted, and no phase is set for it.
    DeleteHookWithoutPhase {
        /// The chosen strategy.
        strategy: Strategy,
    },
    /// Argo CD would build an invalid name from a `generateName`.
    NoGeneratedName {
        /// Why the name is invalid.
        why: NoGeneratedName,
    },
    /// An annotation of the Job has no effect under its strategy.
    WithoutEffect {
        /// The name of the parameter.
        parameter: &'static str,
        /// The strategy of the Job.
        strategy: Strategy,
    },
}

impl Refusal {
    /// The path of the wrong value in the Job. If there is no such value, the path of its parent.
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
            Self::WithoutEffect { parameter: "ttl", strategy: Strategy::HashName | Strategy::Replace } => {
                "remove `argocd-jobs/ttl` from the Job: after the TTL deletes it, Argo CD creates and runs it again"
                    .to_owned()
            }
            Self::WithoutEffect { parameter, strategy: Strategy::Hook | Strategy::GenerateName | Strategy::Keep } => {
                format!("remove `argocd-jobs/{parameter}`, or choose another strategy with `argocd-jobs/strategy`")
            }
            Self::WithoutEffect { parameter: "rerun" | "base-name" | "baseline", .. } => {
                "remove the annotation, or choose the strategy `hash-name`".to_owned()
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
