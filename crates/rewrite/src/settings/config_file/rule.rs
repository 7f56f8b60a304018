//! Rules of the config file: which Jobs a rule matches, and which parameters it sets for them.

use goyaml::value::Map;
use kube_jobs::argocd::{Glob, Phase};
use kube_jobs::kubernetes::Job;
use text::LineColumn;

use crate::settings::Settings;
use crate::strategy::manifest_name;

/// The key of the conditions of a rule.
pub(super) const MATCH: &str = "match";

/// The key of the ids of findings that are ignored: at the top level for all resources, in a rule for the Jobs that it matches.
pub(super) const IGNORED: &str = "ignore";

/// The prefix of annotations that ignore a finding; the rest of the key is the id of the finding.
pub const IGNORE: &str = "argocd-jobs/ignore.";

/// One entry of `ignore`. Only `check` uses it. The id is a plain text here, because the list of findings is in the crate `lint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The id of the finding, as written: it may not exist.
    pub id: String,
    /// The place of the entry in the config file.
    pub at: LineColumn,
}

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
    /// All keys, in the order of the documents.
    pub const ALL: [Self; 5] = [Self::Name, Self::Namespace, Self::Labels, Self::Annotations, Self::Hook];

    /// The key as users write it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Namespace => "namespace",
            Self::Labels => "labels",
            Self::Annotations => "annotations",
            Self::Hook => "hook",
        }
    }

    /// What the value of the key is compared with, for the documents and the JSON schema.
    pub fn about(self) -> &'static str {
        match self {
            Self::Name => "glob for the Job's `name` as written, or for its `generateName`",
            Self::Namespace => "glob for the Job's namespace, or for the Application's if the Job has none",
            Self::Labels => "labels that the Job must have, with these values",
            Self::Annotations => "annotations that the Job must have, with these values",
            Self::Hook => "phases; the Job must be a hook in one of them",
        }
    }

    /// The matcher with this key; `None` for an unknown key.
    pub(super) fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|matcher| matcher.key() == key)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) matches: Matches,
    pub(crate) settings: Settings,
    /// Ids of the findings that are ignored for these Jobs.
    pub(crate) ignore: Vec<Ignore>,
}

/// The conditions of a rule: a Job must meet all of them. A condition that is not set is met by every Job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matches {
    pub(super) name: Option<Glob>,
    pub(super) namespace: Option<Glob>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) annotations: Vec<(String, String)>,
    pub(super) hook: Vec<Phase>,
}

impl Matches {
    /// Whether the rule matches `job`, which is in `namespace`.
    pub(crate) fn holds(&self, job: &Job, namespace: &str) -> bool {
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
