//! The config file, `.argocd-jobs.yaml` in the source directory: parameters at the top level, and rules for some
//! Jobs.
//!
//! ```yaml
//! strategy: hash-name
//! rules:
//!   - match: {name: "*-seed", labels: {tier: demo}}
//!     strategy: keep
//! ```
//! The type of a value matters: `ttl: "60"` is an error, `ttl: 60` is right.
//!
//! This file and `rule.rs` hold the data; `reader.rs` fills it from YAML, with `located.rs`.

mod located;
mod reader;
mod rule;

use std::path::PathBuf;

use super::{Id, Parameter, Settings};
pub(super) use rule::Rule;
pub use rule::{IGNORE, Ignore, Matcher};

/// The maximum size of a config file, in bytes.
pub const MAX_CONFIG_FILE: u64 = 1 << 18;

/// The config file as text, before it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigText {
    /// The path that messages show.
    pub path: PathBuf,
    /// The text, without a byte order mark.
    pub text: String,
}

/// The contents of a parsed config file.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    /// The parameters at the top level, which apply to all Jobs.
    pub(super) top: Settings,
    /// The rules in the order of the file. When several rules match a Job, the first one that sets a parameter wins.
    pub(super) rules: Vec<Rule>,
    /// Ids of findings that are ignored for all resources.
    pub(super) ignore: Vec<Ignore>,
}

impl ConfigFile {
    /// Whether the file is for the plugin: it sets something, or is empty, as a marker for Argo CD's discovery. A file that only ignores findings or names the
    /// version of Argo CD is for `check`.
    pub(super) fn is_for_the_plugin(&self) -> bool {
        let is_set = self.top.iter().any(|(id, _)| id != Id::ArgoCdVersion);
        let is_set_by_a_rule = self.rules.iter().any(|rule| rule.settings.iter().next().is_some());
        let is_for_check = self.all_ignored().next().is_some() || self.top.iter().next().is_some();
        is_set || is_set_by_a_rule || !is_for_check
    }

    /// Removes all settings, so that only the ignored findings are left.
    pub(super) fn unset(&mut self) {
        self.top = Settings::default();
        self.rules.iter_mut().for_each(|rule| rule.settings = Settings::default());
    }

    /// Removes all settings at the top level except those of the parameters accepted by `is_kept`.
    pub(super) fn keep_only(&mut self, is_kept: impl Fn(&Parameter) -> bool) {
        self.top = self.top.only(&Parameter::names(is_kept), &Clone::clone);
    }

    /// All ignored findings, at the top level and in rules.
    pub(super) fn all_ignored(&self) -> impl Iterator<Item = &Ignore> {
        self.ignore.iter().chain(self.rules.iter().flat_map(|rule| &rule.ignore))
    }
}
