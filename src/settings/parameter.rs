//! The one table of parameters. Flags, completions, the announcement to Argo CD, `plugin.yaml`, the JSON schema of the config
//! file and the README's table are made of it.

use super::error::nearest;
use super::read::{self, Bad};
use super::value::{Value, Written};
use super::{Error, SetBy, Settings, Wrong};

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
    read: fn(&Written) -> Result<Value, Bad>,
}

const TRUE_OR_FALSE: &str = "`true` or `false`";
const ONE_HASH: &str = "a content hash: ten of the characters `2456789bcdfghkmt`";

/// All parameters.
pub const PARAMETERS: [Parameter; 20] = [
    Parameter {
        id: Id::Strategy,
        name: "strategy",
        title: "Strategy",
        summary: "how Jobs are made re-appliable",
        expected: "`auto`, `hash-name`, `hook`, `generate-name`, `replace` or `keep`",
        takes: Takes::Choice(&STRATEGY_IDS),
        default: "auto",
        scope: Scope::JobsAndOne,
        read: read::strategy,
    },
    Parameter {
        id: Id::Hook,
        name: "hook",
        title: "Hook phases",
        summary: "the phases of the hooks that are made, as a comma list",
        expected: "a comma list of `PreSync`, `Sync`, `PostSync`, `SyncFail`",
        takes: Takes::CommaList(&PHASES),
        default: "Sync",
        scope: Scope::JobsAndOne,
        read: read::phases,
    },
    Parameter {
        id: Id::KeepName,
        name: "keep-name",
        title: "Keep the names of Sync hooks",
        summary: "a Sync hook keeps the name of the Job it is made of; for Applications that were never live",
        expected: TRUE_OR_FALSE,
        takes: Takes::Switch,
        default: "false",
        scope: Scope::Jobs,
        read: read::switch,
    },
    Parameter {
        id: Id::DeletePolicy,
        name: "delete-policy",
        title: "Hook delete policies",
        summary: "delete policies of the hooks that are made, as a comma list; BeforeHookCreation is always among them",
        expected: "a comma list of `HookSucceeded`, `HookFailed`, `BeforeHookCreation`",
        takes: Takes::CommaList(&DELETE_POLICIES),
        default: "BeforeHookCreation",
        scope: Scope::JobsAndOne,
        read: read::delete_policies,
    },
    Parameter {
        id: Id::Wave,
        name: "wave",
        title: "Sync wave",
        summary: "the sync wave of the Jobs that have none",
        expected: "a whole number from -2147483648 to 2147483647",
        takes: Takes::Number(i32::MIN as i64),
        default: "",
        scope: Scope::Jobs,
        read: read::wave,
    },
    Parameter {
        id: Id::Ttl,
        name: "ttl",
        title: "TTL of finished hooks",
        summary: "seconds after which a finished hook Job is deleted",
        expected: "a whole number of seconds from 0 to 2147483647",
        takes: Takes::Number(0),
        default: "",
        scope: Scope::JobsAndOne,
        read: read::ttl,
    },
    Parameter {
        id: Id::Rerun,
        name: "rerun",
        title: "Run again",
        summary: "any text; another one runs the Jobs with a hash in their name once more",
        expected: "any text",
        takes: Takes::Text,
        default: "",
        scope: Scope::JobsAndOne,
        read: read::text,
    },
    Parameter {
        id: Id::Baseline,
        name: "baseline",
        title: "Baseline",
        summary: "the hashes of Jobs that have run already: while its content has that hash, a Job is left as it is",
        expected: "a map from `namespace/name` or `name` to content hashes, or `name=hash` in a comma list; on a Job its hash",
        takes: Takes::Map,
        default: "",
        scope: Scope::JobsAndOne,
        read: read::hashes,
    },
    Parameter {
        id: Id::BaseName,
        name: "base-name",
        title: "Base name",
        summary: "the name to which the hash is appended, for a name that carries a revision or a date",
        expected: "a name with a letter or digit in it",
        takes: Takes::Text,
        default: "",
        scope: Scope::OneJob,
        read: read::base_name,
    },
    Parameter {
        id: Id::Prune,
        name: "prune",
        title: "Earlier Jobs",
        summary: "`keep` spares the Jobs of earlier content from pruning; for Applications without automated prune",
        expected: "`default` or `keep`",
        takes: Takes::Choice(&PRUNE),
        default: "default",
        scope: Scope::Jobs,
        read: read::prune,
    },
    Parameter {
        id: Id::Deadline,
        name: "deadline",
        title: "Deadline of hooks",
        summary: "`activeDeadlineSeconds` of the hooks that have none; without one a hook can hold the sync for ever",
        expected: "a whole number of seconds from 1 to 2147483647",
        takes: Takes::Number(1),
        default: "",
        scope: Scope::Jobs,
        read: read::deadline,
    },
    Parameter {
        id: Id::StripTemplateLabels,
        name: "strip-template-labels",
        title: "Labels without meaning",
        summary: "labels that are taken off the pod template, because they change without meaning, such as `helm.sh/chart`",
        expected: "a list of label keys",
        takes: Takes::List,
        default: "",
        scope: Scope::Jobs,
        read: read::list,
    },
    Parameter {
        id: Id::Trigger,
        name: "trigger",
        title: "Trigger ConfigMap",
        summary: "a ConfigMap that changes with the hooks is added, so that auto-sync sees them",
        expected: TRUE_OR_FALSE,
        takes: Takes::Switch,
        default: "true",
        scope: Scope::Application,
        read: read::switch,
    },
    Parameter {
        id: Id::TriggerName,
        name: "trigger-name",
        title: "Name of the trigger ConfigMap",
        summary: "the name of that ConfigMap, when the one made of the Application's name does not suit",
        expected: "a name of lower case letters, digits, `-` and `.`, at most 253 of them",
        takes: Takes::Text,
        default: "",
        scope: Scope::Application,
        read: read::config_map_name,
    },
    Parameter {
        id: Id::HashReferences,
        name: "hash-references",
        title: "Hash ConfigMaps and Secrets",
        summary: "the content of the ConfigMaps and Secrets that a Job names counts as its own",
        expected: TRUE_OR_FALSE,
        takes: Takes::Switch,
        default: "false",
        scope: Scope::Application,
        read: read::switch,
    },
    Parameter {
        id: Id::Source,
        name: "source",
        title: "Source",
        summary: "what the directory is; `auto` detects it as Argo CD does",
        expected: "`auto`, `directory`, `kustomize` or `helm`",
        takes: Takes::Choice(&SOURCES),
        default: "auto",
        scope: Scope::Application,
        read: read::source,
    },
    Parameter {
        id: Id::Recurse,
        name: "recurse",
        title: "Recurse",
        summary: "read the directories below too",
        expected: TRUE_OR_FALSE,
        takes: Takes::Switch,
        default: "false",
        scope: Scope::Application,
        read: read::switch,
    },
    Parameter {
        id: Id::Include,
        name: "include",
        title: "Include",
        summary: "read only the paths that match this glob; `*` also crosses `/`",
        expected: "a glob",
        takes: Takes::Text,
        default: "",
        scope: Scope::Application,
        read: read::text,
    },
    Parameter {
        id: Id::Exclude,
        name: "exclude",
        title: "Exclude",
        summary: "leave out the paths that match this glob, also when they are included",
        expected: "a glob",
        takes: Takes::Text,
        default: "",
        scope: Scope::Application,
        read: read::text,
    },
    Parameter {
        id: Id::AllowEmpty,
        name: "allow-empty",
        title: "Allow an empty output",
        summary: "an output without any object is meant, although it deletes what is live",
        expected: TRUE_OR_FALSE,
        takes: Takes::Switch,
        default: "false",
        scope: Scope::Application,
        read: read::switch,
    },
];

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

    /// Its row of the README's table.
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
