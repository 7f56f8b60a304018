//! The config file, `.argocd-jobs.yaml` in the source directory: parameters at the top, and rules for some Jobs.
//!
//! ```yaml
//! strategy: hash-name
//! rules:
//!   - match: {name: "*-seed", labels: {tier: demo}}
//!     strategy: keep
//! ```
//! Types count here: `ttl: "60"` is wrong, `ttl: 60` is right.
//!
//! This file, `rule.rs` and `ignore.rs` are the data and know no reader; `reader.rs` makes them, with `located.rs`.

pub mod baseline;
mod ignore;
mod located;
mod reader;
mod rule;

use std::path::PathBuf;

use super::{Parameter, Settings};

pub use ignore::{IGNORE, Ignore};
pub use rule::Matcher;
pub(super) use rule::Rule;

/// Its maximum size in bytes.
pub const MAX_CONFIG_FILE: u64 = 1 << 18;

/// The config file before it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigText {
    /// Its path in messages.
    pub path: PathBuf,
    /// Its text, without a byte order mark.
    pub text: String,
}

/// The contents of the config file.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    /// For all Jobs.
    pub(super) top: Settings,
    /// For some Jobs; of the rules that match, the first that sets a value counts.
    pub(super) rules: Vec<Rule>,
    /// Ids of findings, for all resources.
    pub(super) ignore: Vec<Ignore>,
}

impl ConfigFile {
    /// Takes all settings away, so that only what `check` reads is left.
    pub(super) fn unset(&mut self) {
        self.top = Settings::default();
        self.rules.iter_mut().for_each(|rule| rule.settings = Settings::default());
    }

    /// Removes all settings at the top level except those of the kept parameters.
    pub(super) fn keep_only(&mut self, is_kept: impl Fn(&Parameter) -> bool) {
        self.top = self.top.only(&Parameter::names(is_kept), &Clone::clone);
    }

    /// All ids of findings, at the top and in rules.
    pub(super) fn all_ignored(&self) -> impl Iterator<Item = &Ignore> {
        self.ignore.iter().chain(self.rules.iter().flat_map(|rule| &rule.ignore))
    }
}
