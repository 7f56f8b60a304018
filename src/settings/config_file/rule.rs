//! Rules of the config file: which Jobs each rule is for, and what it sets.

use super::ignore::Ignore;
use crate::argocd::{Glob, Phase};
use crate::kubernetes::Job;
use crate::settings::Settings;
use crate::strategy::manifest_name;
use crate::yaml::value::Map;

/// The key that says which Jobs a rule is for.
pub(super) const MATCH: &str = "match";

/// A key of `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`about` says what they are")]
pub enum Matcher {
    Name,
    Namespace,
    Labels,
    Annotations,
    Hook,
}

impl Matcher {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Name, Self::Namespace, Self::Labels, Self::Annotations, Self::Hook];

    /// What users write.
    pub fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Namespace => "namespace",
            Self::Labels => "labels",
            Self::Annotations => "annotations",
            Self::Hook => "hook",
        }
    }

    /// What it takes.
    pub fn about(self) -> &'static str {
        match self {
            Self::Name => "glob for the Job's `name` as written, or for its `generateName`",
            Self::Namespace => "glob for the Job's namespace, or for the Application's if the Job has none",
            Self::Labels => "labels that the Job must have, with these values",
            Self::Annotations => "annotations that the Job must have, with these values",
            Self::Hook => "phases; the Job must be a hook in one of them",
        }
    }

    /// The matcher with this key.
    pub(super) fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|matcher| matcher.key() == key)
    }
}

/// Settings for the Jobs that match.
#[derive(Clone, Debug)]
pub(in crate::settings) struct Rule {
    pub(in crate::settings) matches: Matches,
    pub(in crate::settings) settings: Settings,
    /// Ids of findings.
    pub(in crate::settings) ignore: Vec<Ignore>,
}

/// All of these must hold; what is absent holds for every Job.
#[derive(Clone, Debug, Default)]
pub(in crate::settings) struct Matches {
    pub(super) name: Option<Glob>,
    pub(super) namespace: Option<Glob>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) annotations: Vec<(String, String)>,
    pub(super) hook: Vec<Phase>,
}

impl Matches {
    /// Whether the rule is for `job`, which is in `namespace`.
    pub(in crate::settings) fn holds(&self, job: &Job, namespace: &str) -> bool {
        let glob = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        let phases = if job.is_hook() { job.phases() } else { Vec::new() };
        let labels = job.value().at(&["metadata", "labels"]).and_then(|labels| labels.as_map());
        glob(&self.name, manifest_name(job).unwrap_or(""))
            && glob(&self.namespace, namespace)
            && has_all(labels, &self.labels)
            && has_all(job.annotations(), &self.annotations)
            && (self.hook.is_empty() || self.hook.iter().any(|phase| phases.contains(phase)))
    }
}

fn has_all(found: Option<&Map>, wanted: &[(String, String)]) -> bool {
    wanted.iter().all(|(key, value)| {
        found.and_then(|found| found.get(key.as_str())).and_then(|found| found.as_text()) == Some(value.as_str())
    })
}
