//! What the page asks, and what it gets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What would be typed on the command line, with the manifests themselves in place of their paths.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Request {
    /// The command that runs.
    pub command: Command,
    /// The format of the output.
    pub format: Format,
    /// The files of the source, by their paths.
    pub files: BTreeMap<String, String>,
    /// True when the only file is standard input, which is read as a stream.
    pub is_stream: bool,
    /// The directory of the files, as messages name it.
    pub shown_as: String,
    /// The version to compare with; only `preview` has one.
    pub base: Option<Base>,
    /// Parameters and their values, in the order in which they were typed: `--ttl` as by its flag, `ttl` as by `--set`.
    pub settings: Vec<(String, String)>,
    /// `--plugin`; `None` without the flag.
    pub plugin: Option<bool>,
    /// `--all`
    pub all: bool,
    /// Whether findings of the level info are shown like others.
    pub info: bool,
    /// When the diff of the rewrite is shown.
    pub diff: Diff,
    /// The width of the output in columns; `None` for any.
    pub width: Option<usize>,
    /// Whether the text has colours.
    pub color: bool,
    /// The variables of the program.
    pub environment: BTreeMap<String, String>,
}

/// The version to compare with.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Base {
    /// The files, by their paths.
    pub files: BTreeMap<String, String>,
    /// The directory of the files, as messages name it.
    pub shown_as: String,
    /// What this version is called.
    pub called: String,
}

/// A command.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// The findings.
    #[default]
    Check,
    /// What a sync does.
    Preview,
    /// What the plugin writes.
    Generate,
    /// What the plugin writes, as a diff.
    Diff,
    /// What can be chosen: the versions of Argo CD and the strategies.
    Choices,
}

/// A format of the output.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs; only `check`.
    Json,
    /// For a comment on a pull request; only `preview`.
    Markdown,
}

/// When the diff of the rewrite is shown.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Diff {
    /// If it is short.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What the program prints.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Standard output, or the error.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}
