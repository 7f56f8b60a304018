//! The one table of parameters. It is the source of the flags, the completions, the announcement to Argo CD,
//! `plugin.yaml`, the JSON schema of the config file and the table in docs/configuration.md; and of [`Id`] and
//! [`Settings`], see `declare.rs`.

use kube_jobs::argocd::{HookDeletePolicy, Phase, Version};
use text::capitalized;

use super::block_parameters::block_parameters;
use super::blocks::{Block, HelmBlock, KustomizeBlock};
use super::declare::parameters;
use super::parameter::{Position, Scope, ValueType};
use super::parse::{
    AbsolutePath, BaseName, CommaList, ConfigMapName, KustomizeOptions, List, Number, OneOf, PathGlob, RerunText, Text,
    TrueOrFalse,
};
use super::parse_source::{MapOfPaths, MapOfTexts, Texts};
use super::parse_version::VersionOfArgoCd;
use super::platform_parameters::platform_parameters;
use super::types::Type;
use super::value::{Baseline, Items, TextMap};
use super::words::Switch;
use super::{HelmDependencies, Network, SourceKind};
use crate::strategy::{Prune, Strategy, StrategyChoice};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The id of the row, for code.
    pub id: Id,
    /// The name that users write.
    pub name: &'static str,
    /// The heading in Argo CD's UI.
    pub title: &'static str,
    /// What the parameter does, on one line.
    pub summary: &'static str,
    /// The placeholder for the value in `--help`.
    pub value_name: &'static str,
    /// The values that it accepts, in words, for messages.
    pub expected: &'static str,
    /// The type of the value, for documents, completions and the JSON schema.
    pub value_type: ValueType,
    /// The value that applies when nobody sets the parameter; empty when there is none.
    pub default: &'static str,
    /// In which layers it can be set.
    pub scope: Scope,
    /// A value other than the default, written as in the environment and on the command line: what the tests set.
    pub example: &'static str,
}

impl Parameter {
    /// The parameter with this name; `None` when there is none.
    pub fn find(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// Finds a parameter by its name, and a field of a block by its path, such as `helm.kubeVersion`, or by the
    /// parameter for that field.
    pub(super) fn find_path(name: &str) -> Option<(Id, Option<&'static str>)> {
        let Some((block, field)) = name.split_once('.') else {
            let id = Self::find(name)?.id;
            return Some(id.field_of().map_or((id, None), |(block, field)| (block, Some(field))));
        };
        let row = Self::find(block)?;
        let (field, _) = row.fields().find(|(known, _)| *known == field)?;
        Some((row.id, Some(if *field == "valuesObject" { "values" } else { field })))
    }

    /// All names and paths that `find_path` finds.
    pub(super) fn paths() -> impl Iterator<Item = String> {
        let of = |row: &'static Self| row.fields().map(|(field, _)| format!("{}.{field}", row.name));
        PARAMETERS.iter().flat_map(move |row| [row.name.to_owned()].into_iter().chain(of(row)))
    }

    /// Whether it is the block `helm` or `kustomize`.
    pub(super) fn is_block(&self) -> bool {
        matches!(self.value_type, ValueType::Block(_))
    }

    /// The fields of a block that have an effect in a plugin.
    fn fields(&self) -> impl Iterator<Item = &'static (&'static str, Type)> + use<> {
        let fields = match self.value_type {
            ValueType::Block(block) => block.fields(),
            _ => &[],
        };
        fields.iter().filter(|(_, of)| !matches!(of, Type::HelmVersion | Type::PassCredentials))
    }

    /// The set of all parameters accepted by `is_kept`; a block is in it with all its fields.
    pub(super) fn names(is_kept: impl Fn(&Self) -> bool) -> Names {
        PARAMETERS.iter().filter(|row| is_kept(row)).map(|row| (row.id, Fields::new())).collect()
    }

    /// The parameters that can be set in this layer.
    pub fn at(position: Position) -> impl Iterator<Item = &'static Self> {
        PARAMETERS.iter().filter(move |parameter| parameter.scope.allows(position))
    }

    /// The tool that the parameter configures; `None` when it applies to other sources, too.
    pub fn tool(&self) -> Option<SourceKind> {
        let is_of = |tool: &str| self.name.split('-').next() == Some(tool);
        match self.scope {
            Scope::Platform => None,
            _ if is_of("helm") => Some(SourceKind::Helm),
            _ if is_of("kustomize") => Some(SourceKind::Kustomize),
            _ => None,
        }
    }

    /// Whether it decides what the plugin does with Jobs, and not how the manifests are rendered.
    pub fn is_about_jobs(&self) -> bool {
        match self.scope {
            Scope::Jobs | Scope::JobsAndOne | Scope::OneJob => true,
            Scope::Application => {
                matches!(self.id, Id::Trigger | Id::TriggerName | Id::HashReferences | Id::AllowRandom)
            }
            Scope::Platform => false,
        }
    }

    /// Whether it decides what the source is and which of its files are read. Such parameters apply to every kind of
    /// source.
    pub fn is_about_the_source(&self) -> bool {
        matches!(self.id, Id::Source | Id::Recurse | Id::Include | Id::Exclude | Id::AllowEmpty)
    }

    /// What it does and which values it accepts, as sentences: for `--help`, Argo CD's UI and editors.
    pub fn description(&self) -> String {
        format!("{}. Takes {}.", capitalized(self.summary), self.expected)
    }

    /// The name after the prefix in environment variables, such as `DELETE_POLICY`.
    pub fn variable(&self) -> String {
        self.name.to_uppercase().replace('-', "_")
    }

    /// The row of the parameter in docs/configuration.md.
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
const TRUE_OR_FALSE_NAME: &str = "true|false";
const MAP_OF_TEXTS: &str = "a map of strings, or a comma-separated list of `name=value`";
const ABSOLUTE_PATH: &str = "an absolute path";

// Each macro adds the rows of its file: the rows below, then those of the blocks, then those of the platform owner.
block_parameters! { [platform_parameters parameters] {
    Strategy, strategy: StrategyChoice = OneOf<StrategyChoice> {
        name: "strategy", title: "Strategy",
        summary: "how to rewrite Jobs so that every sync can apply them; `replace` does not work with server-side diff",
        value_name: "STRATEGY", expected: "`auto`, `hash-name`, `hook`, `generate-name`, `replace` or `keep`",
        default: "auto", scope: Scope::JobsAndOne, example: "hash-name",
    }
    Hook, hook: Vec<Phase> = CommaList<Phase> {
        name: "hook", title: "Hook phases",
        summary: "sync phases of the hooks that the strategies `hook` and `generate-name` create",
        value_name: "PHASES", expected: "a comma-separated list of `PreSync`, `Sync`, `PostSync`, `SyncFail`",
        default: "Sync", scope: Scope::JobsAndOne, example: "PreSync",
    }
    KeepName, keep_name: Switch = TrueOrFalse {
        name: "keep-name", title: "Keep the names of Sync hooks",
        summary: "keep the name of a Job that becomes a Sync hook; only for Applications that were never live",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "false", scope: Scope::Jobs, example: "true",
    }
    DeletePolicy, delete_policy: Vec<HookDeletePolicy> = CommaList<HookDeletePolicy> {
        name: "delete-policy", title: "Hook delete policies",
        summary: "hook delete policies of the hooks that are created; `BeforeHookCreation` is always added",
        value_name: "POLICIES", expected: "a comma-separated list of `HookSucceeded`, `HookFailed`, `BeforeHookCreation`",
        default: "BeforeHookCreation", scope: Scope::JobsAndOne, example: "HookSucceeded",
    }
    Wave, wave: i64 = Number<{ i32::MIN as i64 }> {
        name: "wave", title: "Sync wave",
        summary: "sync wave of the Jobs that have none",
        value_name: "N", expected: "a whole number from -2147483648 to 2147483647",
        default: "", scope: Scope::Jobs, example: "1",
    }
    Ttl, ttl: i64 = Number<0> {
        name: "ttl", title: "TTL of finished hooks",
        summary: "seconds after which a finished hook Job is deleted",
        value_name: "SECONDS", expected: "a whole number of seconds from 0 to 2147483647, for example 3600",
        default: "", scope: Scope::JobsAndOne, example: "3600",
    }
    Rerun, rerun: String = RerunText {
        name: "rerun", title: "Re-run",
        summary: "any text; change it to run the hash-named Jobs once more",
        value_name: "TEXT", expected: "a string of at most 1024 bytes",
        default: "", scope: Scope::JobsAndOne, example: "second-run",
    }
    Baseline, baseline: Baseline = Baseline {
        name: "baseline", title: "Baseline",
        summary: "content hashes of Jobs that have already run; such a Job stays as it is until its content changes",
        value_name: "HASHES", expected: "a map from `namespace/name` or `name` to content hashes, or a comma-separated list of `name=hash`; on a Job, its hash",
        default: "", scope: Scope::JobsAndOne, example: "migrate=b7f4k9d2h6",
    }
    BaseName, base_name: String = BaseName {
        name: "base-name", title: "Base name",
        summary: "name to which the hash is appended, for a Job whose name contains a revision or a date",
        value_name: "NAME", expected: "a name of at most 253 bytes with at least one letter or digit",
        default: "", scope: Scope::OneJob, example: "migrate",
    }
    Prune, prune: Prune = OneOf<Prune> {
        name: "prune", title: "Pruning of earlier Jobs",
        summary: "whether Jobs with earlier content are pruned; `keep` protects them, for Applications without automated prune",
        value_name: "default|keep", expected: "`default` or `keep`",
        default: "default", scope: Scope::Jobs, example: "keep",
    }
    Deadline, deadline: i64 = Number<1> {
        name: "deadline", title: "Deadline of hooks",
        summary: "set `activeDeadlineSeconds` on hooks that have none; without it a hook can block the sync forever",
        value_name: "SECONDS", expected: "a whole number of seconds from 1 to 2147483647, for example 1800",
        default: "", scope: Scope::Jobs, example: "600",
    }
    StripTemplateLabels, strip_template_labels: Items = List {
        name: "strip-template-labels", title: "Labels to remove from pod templates",
        summary: "remove these labels from pod templates: those that change although the Job does not, such as `helm.sh/chart`",
        value_name: "LABELS", expected: "a list of label keys",
        default: "", scope: Scope::Jobs, example: "helm.sh/chart",
    }
    Trigger, trigger: Switch = TrueOrFalse {
        name: "trigger", title: "Trigger ConfigMap",
        summary: "add a ConfigMap that changes whenever a hook changes, so that auto-sync notices the change",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "true", scope: Scope::Application, example: "false",
    }
    TriggerName, trigger_name: String = ConfigMapName {
        name: "trigger-name", title: "Name of the trigger ConfigMap",
        summary: "name of the trigger ConfigMap, instead of one derived from the Application's name",
        value_name: "NAME", expected: "a name of at most 253 lower-case letters, digits, `-` and `.`",
        default: "", scope: Scope::Application, example: "shop-hooks",
    }
    HashReferences, hash_references: Switch = TrueOrFalse {
        name: "hash-references", title: "Hash ConfigMaps and Secrets",
        summary: "also hash the content of the ConfigMaps and Secrets that a Job references, so that it runs again when they change",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "false", scope: Scope::Application, example: "true",
    }
    Source, source: SourceKind = OneOf<SourceKind> {
        name: "source", title: "Source",
        summary: "type of the source; `auto` detects it as Argo CD does",
        value_name: "TYPE", expected: "`auto`, `directory`, `kustomize` or `helm`",
        default: "auto", scope: Scope::Application, example: "helm",
    }
    Recurse, recurse: Switch = TrueOrFalse {
        name: "recurse", title: "Recurse",
        summary: "also read subdirectories",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "false", scope: Scope::Application, example: "true",
    }
    Include, include: String = PathGlob {
        name: "include", title: "Include",
        summary: "read only paths that match this glob; `*` also matches `/`",
        value_name: "GLOB", expected: "a glob of at most 4096 bytes",
        default: "", scope: Scope::Application, example: "jobs/*.yaml",
    }
    Exclude, exclude: String = PathGlob {
        name: "exclude", title: "Exclude",
        summary: "skip paths that match this glob, even if `include` matches them",
        value_name: "GLOB", expected: "a glob of at most 4096 bytes",
        default: "", scope: Scope::Application, example: "*-test.yaml",
    }
    AllowEmpty, allow_empty: Switch = TrueOrFalse {
        name: "allow-empty", title: "Allow an empty output",
        summary: "allow an empty output (Argo CD will then prune everything)",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "false", scope: Scope::Application, example: "true",
    }
    AllowRandom, allow_random: Switch = TrueOrFalse {
        name: "allow-random", title: "Allow random Jobs",
        summary: "allow Jobs that differ at every rendering of a chart; if not, the chart is rendered more than once, and such Jobs are refused",
        value_name: TRUE_OR_FALSE_NAME, expected: TRUE_OR_FALSE,
        default: "true", scope: Scope::Application, example: "false",
    }
    ArgoCdVersion, argocd_version: Version = VersionOfArgoCd {
        name: "argocd-version", title: "Version of Argo CD",
        summary: "the version of Argo CD that applies the manifests; findings and texts depend on it, the output never does",
        value_name: "VERSION", expected: "a version such as `3.4` or `3.4.13`",
        default: "3.6", scope: Scope::Application, example: "3.4",
    }
} }

impl Id {
    /// The strategies under which the parameter changes what is written; empty for a parameter that is not for Jobs.
    pub const fn strategies(self) -> &'static [Strategy] {
        use Strategy::{GenerateName, HashName, Hook, Replace};
        match self {
            Self::Hook | Self::DeletePolicy | Self::Ttl | Self::Deadline => &[Hook, GenerateName],
            Self::KeepName => &[Hook],
            Self::Wave | Self::StripTemplateLabels => &[HashName, Hook, GenerateName, Replace],
            Self::Rerun | Self::HashReferences => &[HashName, GenerateName],
            Self::BaseName => &[HashName, Hook, GenerateName],
            Self::Prune | Self::Baseline => &[HashName],
            _ => &[],
        }
    }

    /// For a parameter that sets one field of a block: the block and the name of the field.
    pub fn field_of(self) -> Option<(Self, &'static str)> {
        match self {
            Self::HelmValueFiles => Some((Self::Helm, "valueFiles")),
            Self::HelmValues => Some((Self::Helm, "values")),
            Self::HelmParameters => Some((Self::Helm, "parameters")),
            Self::KustomizeImages => Some((Self::Kustomize, "images")),
            _ => None,
        }
    }
}
