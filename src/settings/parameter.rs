//! What a parameter is: its names, where it can stand, and how what is written there becomes its value.

use super::error::nearest;
use super::read::{self, Bad};
use super::value::{Value, Written};
use super::{Error, SetBy, Settings, Wrong};

pub use super::table::PARAMETERS;

/// The prefix of annotations that set a parameter for one Job.
pub const ANNOTATION_PREFIX: &str = "argocd-jobs/";

/// What `strategy` takes.
pub const STRATEGY_IDS: [&str; 6] = ["auto", "hash-name", "hook", "generate-name", "replace", "keep"];
/// What `hook` takes.
pub const PHASES: [&str; 4] = ["PreSync", "Sync", "PostSync", "SyncFail"];
/// What `delete-policy` takes.
pub const DELETE_POLICIES: [&str; 3] = ["HookSucceeded", "HookFailed", "BeforeHookCreation"];
/// What `prune` takes.
pub const PRUNE: [&str; 2] = ["default", "keep"];
/// What `source` takes.
pub const SOURCES: [&str; 4] = ["auto", "directory", "kustomize", "helm"];

/// The parameters, in the order of [`PARAMETERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the table says what they are")]
pub enum Id {
    Strategy,
    Hook,
    KeepName,
    DeletePolicy,
    Wave,
    Ttl,
    Rerun,
    Baseline,
    BaseName,
    Prune,
    Deadline,
    StripTemplateLabels,
    Trigger,
    TriggerName,
    HashReferences,
    Source,
    Recurse,
    Include,
    Exclude,
    AllowEmpty,
}

/// Where a parameter can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In every layer of the Application, and not in rules.
    Application,
    /// In every layer of the Application, and in rules.
    Jobs,
    /// The same, and as an annotation of a Job.
    JobsAndOne,
    /// In rules, and as an annotation of a Job.
    OneJob,
}

/// The place of a value that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// In a layer that is for the whole Application.
    ForTheApplication,
    /// In a rule of the config file.
    InARule,
    /// On a Job.
    OnAJob,
}

impl Scope {
    /// Whether a parameter of this scope can stand there.
    pub fn allows(self, stands: Stands) -> bool {
        match stands {
            Stands::ForTheApplication => self != Self::OneJob,
            Stands::InARule => self != Self::Application,
            Stands::OnAJob => matches!(self, Self::JobsAndOne | Self::OneJob),
        }
    }
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any text.
    Text,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Some of these, as a comma list or a list.
    CommaList(&'static [&'static str]),
    /// A whole number from here to 2147483647.
    Number(i64),
    /// `true` or `false`.
    Switch,
    /// A list of texts.
    List,
    /// A map of texts.
    Map,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Which one it is.
    pub id: Id,
    /// What users write.
    pub name: &'static str,
    /// A heading for Argo CD's UI.
    pub title: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// What it takes, for a message.
    pub expected: &'static str,
    /// The type of that.
    pub takes: Takes,
    /// What it is when nobody sets it; empty for nothing.
    pub default: &'static str,
    /// Where it can stand.
    pub scope: Scope,
    pub(super) read: fn(&Written) -> Result<Value, Bad>,
}

const ONE_HASH: &str = "a content hash: ten of the characters `2456789bcdfghkmt`";

impl Id {
    /// Its row in the table.
    pub fn parameter(self) -> &'static Parameter {
        &PARAMETERS[self as usize]
    }
}

impl Parameter {
    /// The parameter with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// Those that can stand there.
    pub fn standing(stands: Stands) -> impl Iterator<Item = &'static Self> {
        PARAMETERS.iter().filter(move |parameter| parameter.scope.allows(stands))
    }

    /// Its part of the name of an environment variable.
    pub fn variable(&self) -> String {
        self.name.to_uppercase().replace('-', "_")
    }

    /// Its row of the table in docs/parameters.md.
    pub fn markdown(&self) -> String {
        let default = if self.default.is_empty() { "–".to_owned() } else { format!("`{}`", self.default) };
        let places = match self.scope {
            Scope::Application => "Application",
            Scope::Jobs => "Application, rule",
            Scope::JobsAndOne => "Application, rule, annotation",
            Scope::OneJob => "rule, annotation",
        };
        format!("| `{}` | {} | {} | {default} | {places} |", self.name, self.summary, self.expected)
    }
}

/// Sets the parameter `name` to what is written; `spell` gives a name the form it has in this layer.
pub(super) fn set(
    settings: &mut Settings,
    name: &str,
    stands: Stands,
    written: &Written,
    by: SetBy,
    spell: impl Fn(&Parameter) -> String,
) -> Result<(), Error> {
    let parameter = find(name, stands, by.clone(), spell)?;
    let on_a_job = parameter.id == Id::Baseline && stands == Stands::OnAJob;
    let (read, expected) =
        if on_a_job { (read::one_hash as fn(&Written) -> _, ONE_HASH) } else { (parameter.read, parameter.expected) };
    match read(written) {
        Ok(value) => {
            settings.set(parameter.id, value, by);
            Ok(())
        }
        Err(bad) => Err(Error::new(by, wrong(bad, written, expected))),
    }
}

/// The parameter `name`, if it can stand there.
fn find(
    name: &str,
    stands: Stands,
    by: SetBy,
    spell: impl Fn(&Parameter) -> String,
) -> Result<&'static Parameter, Error> {
    match Parameter::find(name) {
        Some(parameter) if parameter.scope.allows(stands) => Ok(parameter),
        Some(parameter) => Err(Error::new(by, Wrong::Misplaced(parameter.id))),
        None => Err(unknown(name, stands, by, spell)),
    }
}

/// There is no parameter `name`; perhaps one of a similar name.
pub(super) fn unknown(name: &str, stands: Stands, by: SetBy, spell: impl Fn(&Parameter) -> String) -> Error {
    let known = Parameter::standing(stands).map(|parameter| parameter.name);
    let nearest = nearest(name, known).and_then(|name| Parameter::find(&name));
    Error::new(by, Wrong::UnknownName { nearest: nearest.map(spell) })
}

fn wrong(bad: Bad, written: &Written, expected: &'static str) -> Wrong {
    match bad {
        Bad::Type(expected) => Wrong::Type { found: written.kind(), expected },
        Bad::Value { value, nearest } => Wrong::Value { value, expected, nearest },
        Bad::Twice(value) => Wrong::Value { value, expected: "each name once", nearest: None },
    }
}
