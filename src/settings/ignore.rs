//! `ignore` in the config file: ids of findings, at the top for all objects, in a rule for the Jobs that match.
//!
//! It is for `check` alone. Which ids there are is known further up; here they are words.

use serde_yaml::Value as Yaml;

use super::config_file::{Reader, written};
use super::places::Step;
use super::value::RawValue;
use super::{ConfigFile, Error, Layers, Wrong};
use crate::kubernetes::Job;
use crate::text::LineColumn;

/// What annotations that ignore a finding begin with; the rest of the key is the id of the finding.
pub const IGNORE: &str = "argocd-jobs/ignore.";

/// The key in the config file.
pub(super) const KEY: &str = "ignore";

/// The id of a finding that the config file wants ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The id.
    pub id: String,
    /// Where it stands in the config file.
    pub at: LineColumn,
}

impl Reader<'_> {
    /// Reads an `ignore`.
    pub(super) fn ignore(&self, value: &Yaml, path: &[Step<'_>]) -> Result<Vec<Ignore>, Error> {
        let ids = match written(value) {
            RawValue::List(ids) => ids,
            RawValue::Other("null") => return Ok(Vec::new()),
            other => {
                let wrong = Wrong::Type { found: other.kind(), expected: "a list of ids of findings" };
                return Err(self.error(KEY, path, wrong));
            }
        };
        let place = |index| self.place(&[path, &[Step::Item(index)]].concat());
        Ok(ids.into_iter().enumerate().map(|(index, id)| Ignore { id, at: place(index) }).collect())
    }
}

impl ConfigFile {
    fn all_ignored(&self) -> impl Iterator<Item = &Ignore> {
        self.ignore.iter().chain(self.rules.iter().flat_map(|rule| &rule.ignore))
    }
}

impl Layers {
    /// All ids that the config file wants ignored somewhere.
    pub fn all_ignored(&self) -> impl Iterator<Item = &Ignore> {
        self.file.all_ignored()
    }

    /// Whether the config file wants the findings with this id ignored: everywhere, or about this Job. `namespace` is the one
    /// into which the Application's objects go that name none.
    pub fn ignores(&self, id: &str, job: Option<&Job>, namespace: Option<&str>) -> bool {
        let has = |ids: &[Ignore]| ids.iter().any(|ignore| ignore.id == id);
        has(&self.file.ignore)
            || job.is_some_and(|job| {
                let namespace = job.namespace().or(namespace).unwrap_or("");
                self.file.rules.iter().any(|rule| has(&rule.ignore) && rule.matches.holds(job, namespace))
            })
    }
}
