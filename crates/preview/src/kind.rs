//! What kind of object runs, and how several of them are called together.

use kube_jobs::kubernetes::{Object, Runs};
use serde::{Serialize, Serializer};
use text::plural;

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

    /// Whether a sync only applies objects of it: they keep running, such as a Deployment, or start something later, such as a CronJob.
    pub fn is_only_applied(&self) -> bool {
        Runs::of_kind(&self.group, &self.name) == Runs::OnAndOn
    }

    /// What objects of it do when a sync comes to them, one or several.
    pub fn verb(&self, is_one: bool) -> &'static str {
        match (self.is_only_applied(), is_one) {
            (true, true) => "is applied",
            (true, false) => "are applied",
            (false, true) => "runs",
            (false, false) => "run",
        }
    }

    /// For programs, where the name alone says which kind it is.
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

/// `1 Job`, `2 Workflows`, `3 hooks`; `2 Jobs and hooks` if the kinds differ and not all are hooks. Takes the kind of each, and whether it is a
/// hook. `which` stands before the noun: `new `.
pub fn counted<'k>(all: impl IntoIterator<Item = (&'k Kind, bool)>, which: &str) -> String {
    let all: Vec<(&Kind, bool)> = all.into_iter().collect();
    let noun = match all.as_slice() {
        [] => "Job",
        [(first, _), rest @ ..] if rest.iter().all(|(kind, _)| kind == first) => &first.name,
        all if all.iter().all(|(_, is_hook)| *is_hook) => "hook",
        all => return format!("{} {which}Jobs and hooks", all.len()),
    };
    plural(all.len(), &format!("{which}{noun}"))
}
