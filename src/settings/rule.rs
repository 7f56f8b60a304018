//! Rules of the config file: for which Jobs they are.

use serde_yaml::Value as Yaml;

use super::config_file::{Reader, written};
use super::parse::{CommaList, ParameterType};
use super::places::Step;
use super::set::wrong;
use super::value::RawValue;
use super::{Error, Ignore, SetBy, Settings, Wrong};
use crate::argocd::Glob;
use crate::argocd::Phase;
use crate::kubernetes::Job;
use crate::strategy::NAME;
use crate::text::spelling::nearest;
use crate::yaml::value::Map;

/// The key that says for which Jobs a rule is.
pub(super) const MATCH: &str = "match";

/// What can be said there, with what each takes.
pub const MATCHERS: [(&str, &str); 5] = [
    ("name", "a glob of the name that the user wrote, or of the generateName"),
    ("namespace", "a glob of the namespace, which is the Application's when the Job names none"),
    ("labels", "labels that the Job has, with these values"),
    ("annotations", "annotations that the Job has, with these values"),
    ("hook", "phases, of which the Job is a hook in one"),
];

/// Settings for the Jobs that match.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) matches: Matches,
    pub(super) settings: Settings,
    /// Ids of findings.
    pub(super) ignore: Vec<Ignore>,
}

/// All of these must hold; what is absent holds for every Job.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    name: Option<Glob>,
    namespace: Option<Glob>,
    labels: Vec<(String, String)>,
    annotations: Vec<(String, String)>,
    hook: Vec<Phase>,
}

impl Matches {
    /// Whether the rule is for `job`, which Argo CD puts into `namespace`.
    pub(super) fn holds(&self, job: &Job, namespace: &str) -> bool {
        let glob = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        let phases = if job.is_hook() { job.phases() } else { Vec::new() };
        let labels = job.value().at(&["metadata", "labels"]).and_then(|labels| labels.as_map());
        glob(&self.name, written_name(job))
            && glob(&self.namespace, namespace)
            && has_all(labels, &self.labels)
            && has_all(job.annotations(), &self.annotations)
            && (self.hook.is_empty() || self.hook.iter().any(|phase| phases.contains(phase)))
    }
}

/// The name that the user wrote, however often the program has run over it.
pub(super) fn written_name(job: &Job) -> &str {
    let remembered = job.annotation(NAME).filter(|name| !name.is_empty());
    remembered.or_else(|| job.name()).or_else(|| job.generate_name()).unwrap_or("")
}

fn has_all(found: Option<&Map>, wanted: &[(String, String)]) -> bool {
    wanted.iter().all(|(key, value)| {
        found.and_then(|found| found.get(key)).and_then(|found| found.as_text()) == Some(value.as_str())
    })
}

impl Reader<'_> {
    /// Reads a `match`.
    pub(super) fn matches(&self, value: &Yaml, path: &[Step<'_>]) -> Result<Matches, Error> {
        let Yaml::Mapping(map) = value else { return Err(self.wrong_type(MATCH, value, "a map", path)) };
        let mut matches = Matches::default();
        for (key, value) in self.entries(map, path)? {
            let path = [path, &[Step::Key(key)]].concat();
            match key {
                "name" => matches.name = Some(self.glob(key, value, &path)?),
                "namespace" => matches.namespace = Some(self.glob(key, value, &path)?),
                "labels" => matches.labels = self.pairs(key, value, &path)?,
                "annotations" => matches.annotations = self.pairs(key, value, &path)?,
                "hook" => matches.hook = self.phases(key, value, &path)?,
                _ => {
                    let nearest = nearest(key, MATCHERS.iter().map(|(name, _)| *name));
                    let by = SetBy::ConfigFile { at: self.place_of_key(key, &path), key: key.to_owned() };
                    return Err(Error::new(by, Wrong::UnknownName { nearest }));
                }
            }
        }
        Ok(matches)
    }

    fn glob(&self, key: &str, value: &Yaml, path: &[Step<'_>]) -> Result<Glob, Error> {
        let Yaml::String(pattern) = value else { return Err(self.wrong_type(key, value, "a string", path)) };
        let glob = Glob::new(pattern);
        if glob.is_understood() && !pattern.is_empty() {
            return Ok(glob);
        }
        Err(self.error(key, path, Wrong::Value { value: pattern.clone(), expected: "a glob", nearest: None }))
    }

    fn pairs(&self, key: &str, value: &Yaml, path: &[Step<'_>]) -> Result<Vec<(String, String)>, Error> {
        match written(value) {
            RawValue::Map(map) => Ok(map.into_iter().collect()),
            other => {
                let wrong = Wrong::Type { found: other.kind(), expected: "a map of strings" };
                Err(self.error(key, path, wrong))
            }
        }
    }

    fn phases(&self, key: &str, value: &Yaml, path: &[Step<'_>]) -> Result<Vec<Phase>, Error> {
        let raw = written(value);
        CommaList::<Phase>::parse(&raw).map_err(|error| {
            let expected = "a comma list of `PreSync`, `Sync`, `PostSync`, `SyncFail`";
            self.error(key, path, wrong(error, &raw, expected))
        })
    }
}
