//! The one table of parameters. Flags, completions, the announcement to Argo CD, `plugin.yaml`, the JSON schema of the config
//! file and the table in docs/parameters.md are generated from it; so are [`Id`] and [`Settings`], see `declare.rs`.

use super::blocks::{Block, HelmBlock, KustomizeBlock};
use super::declare::parameters;
use super::helm_parameters::helm_parameters;
use super::kustomize_parameters::kustomize_parameters;
use super::parameter::{Position, Scope, ValueType};
use super::parse::{BaseName, CommaList, ConfigMapName, List, Number, OneOf, RerunText, Text, TrueOrFalse};
use super::parse_source::{AbsolutePath, KustomizeOptions, MapOfCounts, MapOfPaths, MapOfTexts, Patches, Texts};
use super::platform_parameters::platform_parameters;
use super::value::{Baseline, Counts, Items, TextMap};
use super::words::Switch;
use super::{HelmDependencies, Network, SourceKind};
use crate::argocd::{HookDeletePolicy, Phase};
use crate::strategy::{Prune, StrategyChoice};

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
    /// The type of its value.
    pub value_type: ValueType,
    /// What it is when nobody sets it; empty for nothing.
    pub default: &'static str,
    /// Where it can be set.
    pub scope: Scope,
}

impl Parameter {
    /// The parameter with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// Those that can be set there.
    pub fn at(position: Position) -> impl Iterator<Item = &'static Self> {
        PARAMETERS.iter().filter(move |parameter| parameter.scope.allows(position))
    }

    /// The tool that it is for, and no other kind of source.
    pub fn tool(&self) -> Option<SourceKind> {
        let is_of = |tool: &str| self.name.split('-').next() == Some(tool);
        match self.scope {
            Scope::Platform => None,
            _ if is_of("helm") => Some(SourceKind::Helm),
            _ if is_of("kustomize") => Some(SourceKind::Kustomize),
            _ => None,
        }
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
            Scope::Platform => "platform owner",
        };
        format!("| `{}` | {} | {} | {default} | {places} |", self.name, self.summary, self.expected)
    }
}

const TRUE_OR_FALSE: &str = "`true` or `false`";
const MAP_OF_TEXTS: &str = "a map of texts, or `name=value` in a comma list";
const ABSOLUTE_PATH: &str = "an absolute path";

// The rows of one file after the other: those below, then those of Helm, kustomize and the platform owner.
helm_parameters! { [kustomize_parameters platform_parameters parameters] {
    Strategy, strategy: StrategyChoice = OneOf<StrategyChoice> {
        name: "strategy",
        title: "Strategy",
        summary: "how Jobs are made re-appliable",
        expected: "`auto`, `hash-name`, `hook`, `generate-name`, `replace` or `keep`",
        default: "auto",
        scope: Scope::JobsAndOne,
    }
    Hook, hook: Vec<Phase> = CommaList<Phase> {
        name: "hook",
        title: "Hook phases",
        summary: "the phases of the hooks that are made, as a comma list",
        expected: "a comma list of `PreSync`, `Sync`, `PostSync`, `SyncFail`",
        default: "Sync",
        scope: Scope::JobsAndOne,
    }
    KeepName, keep_name: Switch = TrueOrFalse {
        name: "keep-name",
        title: "Keep the names of Sync hooks",
        summary: "a Sync hook keeps the name of the Job it is made of; for Applications that were never live",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Jobs,
    }
    DeletePolicy, delete_policy: Vec<HookDeletePolicy> = CommaList<HookDeletePolicy> {
        name: "delete-policy",
        title: "Hook delete policies",
        summary: "delete policies of the hooks that are made, as a comma list; BeforeHookCreation is always among them",
        expected: "a comma list of `HookSucceeded`, `HookFailed`, `BeforeHookCreation`",
        default: "BeforeHookCreation",
        scope: Scope::JobsAndOne,
    }
    Wave, wave: i64 = Number<{ i32::MIN as i64 }> {
        name: "wave",
        title: "Sync wave",
        summary: "the sync wave of the Jobs that have none",
        expected: "a whole number from -2147483648 to 2147483647",
        default: "",
        scope: Scope::Jobs,
    }
    Ttl, ttl: i64 = Number<0> {
        name: "ttl",
        title: "TTL of finished hooks",
        summary: "seconds after which a finished hook Job is deleted",
        expected: "a whole number of seconds from 0 to 2147483647",
        default: "",
        scope: Scope::JobsAndOne,
    }
    Rerun, rerun: String = RerunText {
        name: "rerun",
        title: "Run again",
        summary: "a text; change it to run the Jobs with a hash in their name once more",
        expected: "a text of at most 1024 bytes",
        default: "",
        scope: Scope::JobsAndOne,
    }
    Baseline, baseline: Baseline = Baseline {
        name: "baseline",
        title: "Baseline",
        summary: "the hashes of Jobs that have run already: while its content has that hash, a Job is left as it is",
        expected: "a map from `namespace/name` or `name` to content hashes, or `name=hash` in a comma list; on a Job its hash",
        default: "",
        scope: Scope::JobsAndOne,
    }
    BaseName, base_name: String = BaseName {
        name: "base-name",
        title: "Base name",
        summary: "the name to which the hash is appended, for a name that carries a revision or a date",
        expected: "a name of at most 253 bytes, with a letter or digit in it",
        default: "",
        scope: Scope::OneJob,
    }
    Prune, prune: Prune = OneOf<Prune> {
        name: "prune",
        title: "Earlier Jobs",
        summary: "`keep` spares the Jobs of earlier content from pruning; for Applications without automated prune",
        expected: "`default` or `keep`",
        default: "default",
        scope: Scope::Jobs,
    }
    Deadline, deadline: i64 = Number<1> {
        name: "deadline",
        title: "Deadline of hooks",
        summary: "`activeDeadlineSeconds` of the hooks that have none; without one a hook can hold the sync for ever",
        expected: "a whole number of seconds from 1 to 2147483647",
        default: "",
        scope: Scope::Jobs,
    }
    StripTemplateLabels, strip_template_labels: Items = List {
        name: "strip-template-labels",
        title: "Labels without meaning",
        summary: "labels that are taken off the pod template, because they change without meaning, such as `helm.sh/chart`",
        expected: "a list of label keys",
        default: "",
        scope: Scope::Jobs,
    }
    Trigger, trigger: Switch = TrueOrFalse {
        name: "trigger",
        title: "Trigger ConfigMap",
        summary: "a ConfigMap that changes with the hooks is added, so that auto-sync sees them",
        expected: TRUE_OR_FALSE,
        default: "true",
        scope: Scope::Application,
    }
    TriggerName, trigger_name: String = ConfigMapName {
        name: "trigger-name",
        title: "Name of the trigger ConfigMap",
        summary: "the name of that ConfigMap, when the one made of the Application's name does not suit",
        expected: "a name of lower case letters, digits, `-` and `.`, at most 253 of them",
        default: "",
        scope: Scope::Application,
    }
    HashReferences, hash_references: Switch = TrueOrFalse {
        name: "hash-references",
        title: "Hash ConfigMaps and Secrets",
        summary: "the content of the ConfigMaps and Secrets that a Job names counts as its own",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    Source, source: SourceKind = OneOf<SourceKind> {
        name: "source",
        title: "Source",
        summary: "what the directory is; `auto` detects it as Argo CD does",
        expected: "`auto`, `directory`, `kustomize` or `helm`",
        default: "auto",
        scope: Scope::Application,
    }
    Recurse, recurse: Switch = TrueOrFalse {
        name: "recurse",
        title: "Recurse",
        summary: "read the directories below too",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
    Include, include: String = Text {
        name: "include",
        title: "Include",
        summary: "read only the paths that match this glob; `*` also crosses `/`",
        expected: "a glob",
        default: "",
        scope: Scope::Application,
    }
    Exclude, exclude: String = Text {
        name: "exclude",
        title: "Exclude",
        summary: "leave out the paths that match this glob, also when they are included",
        expected: "a glob",
        default: "",
        scope: Scope::Application,
    }
    AllowEmpty, allow_empty: Switch = TrueOrFalse {
        name: "allow-empty",
        title: "Allow an empty output",
        summary: "an output without any object is meant, although it deletes what is live",
        expected: TRUE_OR_FALSE,
        default: "false",
        scope: Scope::Application,
    }
} }
