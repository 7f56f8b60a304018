//! What kind of object runs, and how several of them are called together.

use std::fmt;

use kube_jobs::kubernetes::{Object, Runs};
use serde::{Serialize, Serializer};
use text::plural;

use super::snapshot::Key;

/// A kind of objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Kind {
    /// `kind`
    #[serde(rename = "kind")]
    pub name: String,
    /// The API group; empty for the core group.
    pub group: String,
}

impl Kind {
    /// The kind of an object.
    pub(super) fn of(object: &Object) -> Self {
        Self { name: object.kind().to_owned(), group: object.group().to_owned() }
    }

    /// Whether it is that of a Job.
    pub fn is_job(&self) -> bool {
        self.name == "Job" && self.group == "batch"
    }

    /// Whether a sync only applies objects of it: they keep running, such as a Deployment, start something later, such as a CronJob, or hold data.
    pub fn is_only_applied(&self) -> bool {
        matches!(Runs::of_kind(&self.group, &self.name), Runs::OnAndOn | Runs::Nothing)
    }

    /// Serializes the name without the group, where the name alone says which kind it is.
    pub fn without_group<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }

    /// What an object of it is called: `prod/migrate`; with the kind if it is not a Job: `Workflow prod/migrate`.
    pub fn named(&self, namespace: Option<&str>, name: &str) -> String {
        let kind = if self.is_job() { String::new() } else { format!("{} ", self.name) };
        let namespace = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
        format!("{kind}{namespace}{name}")
    }
}

/// The kind, the namespace and the name of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectName {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace, if it is known.
    pub namespace: Option<String>,
    /// Its name, with `…` at the end for a `generateName`; empty without both.
    pub name: String,
}

impl ObjectName {
    /// Returns what the object of a key is called.
    pub(super) fn of((kind, namespace, name): &Key) -> Self {
        let namespace = Some(namespace.clone()).filter(|namespace| !namespace.is_empty());
        Self { kind: kind.clone(), namespace, name: name.clone() }
    }

    /// Adds `…` to a `generateName`, which the API server completes.
    pub(super) fn generated(self) -> Self {
        Self { name: format!("{}…", self.name), ..self }
    }

    /// Serializes the name as one text.
    pub(super) fn in_words<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Displays as `Deployment shop/api`; an object without a name, such as the file of a tool, as `Kind without a name`.
impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind: Kind { name: kind, .. }, namespace, name } = self;
        match namespace {
            _ if name.is_empty() => write!(f, "{kind} without a name"),
            Some(namespace) => write!(f, "{kind} {namespace}/{name}"),
            None => write!(f, "{kind} {name}"),
        }
    }
}

/// `1 Job`, `2 Workflows`, `3 hooks`; `2 Jobs and hooks` if the kinds differ and not all are hooks. Takes the kind of each, and whether it is a
/// hook. `which` comes before the noun: `new `.
pub fn counted<'k>(all: impl IntoIterator<Item = (&'k Kind, bool)>, which: &str) -> String {
    let all: Vec<(&Kind, bool)> = all.into_iter().collect();
    let noun = match all.as_slice() {
        [] => "Job",
        [(first, _), rest @ ..] if rest.iter().all(|(kind, _)| kind == first) => &first.name,
        all if all.iter().all(|(_, is_hook)| *is_hook) => "hook",
        all if all.iter().all(|(kind, is_hook)| *is_hook || kind.is_job()) => {
            return format!("{} {which}Jobs and hooks", all.len());
        }
        _ => "object",
    };
    plural(all.len(), &format!("{which}{noun}"))
}
