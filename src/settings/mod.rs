//! Settings: what users say, in layers, and what comes of them for one Job.
//!
//! Each layer is a [`Settings`] in which everything may be absent; [`Settings::over`] lays one over another, [`resolve`]
//! fills in the defaults. Every value knows who set it. What is not understood is an error with a suggestion, never a default.

pub mod annotation;
pub mod parameter;

use std::fmt;

use crate::argocd::{HookDeletePolicy, Phase};
use crate::strategy::{Asked, AskedBy, KeepName, Options, Prune, Wanted};

/// Who set a value, lowest rank first: a layer further down in this list wins against one further up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetBy {
    /// A flag of the command line, which stands for an Application parameter.
    CommandLine,
    /// An `argocd-jobs/*` annotation of the Job.
    Annotation,
}

/// A value and who set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Who set it.
    pub by: SetBy,
}

impl<T: Clone> Setting<T> {
    fn asked(&self) -> Asked<T> {
        let by = if self.by == SetBy::Annotation { AskedBy::Job } else { AskedBy::Layer };
        Asked { value: self.value.clone(), by }
    }
}

/// One layer, or several on top of each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `strategy`
    pub strategy: Option<Setting<Wanted>>,
    /// `hook`
    pub hook: Option<Setting<Vec<Phase>>>,
    /// `keep-name`
    pub keep_name: Option<Setting<KeepName>>,
    /// `delete-policy`
    pub delete_policy: Option<Setting<Vec<HookDeletePolicy>>>,
    /// `ttl`, in seconds
    pub ttl: Option<Setting<i64>>,
    /// `rerun`
    pub rerun: Option<Setting<String>>,
    /// `base-name`
    pub base_name: Option<Setting<String>>,
    /// `baseline`
    pub baseline: Option<Setting<String>>,
}

impl Settings {
    /// This layer on top of a lower one.
    pub fn over(self, lower: Self) -> Self {
        Self {
            strategy: self.strategy.or(lower.strategy),
            hook: self.hook.or(lower.hook),
            keep_name: self.keep_name.or(lower.keep_name),
            delete_policy: self.delete_policy.or(lower.delete_policy),
            ttl: self.ttl.or(lower.ttl),
            rerun: self.rerun.or(lower.rerun),
            base_name: self.base_name.or(lower.base_name),
            baseline: self.baseline.or(lower.baseline),
        }
    }
}

/// What a strategy is told: the settings with the defaults filled in.
pub fn resolve(settings: &Settings) -> Options {
    let auto = Asked { value: Wanted::Auto, by: AskedBy::Layer };
    Options {
        strategy: settings.strategy.as_ref().map_or(auto, Setting::asked),
        hook: settings.hook.as_ref().map(Setting::asked),
        keep_name: settings.keep_name.as_ref().map(|setting| setting.value).unwrap_or_default(),
        delete_policy: settings.delete_policy.as_ref().map(Setting::asked),
        ttl: settings.ttl.as_ref().map(Setting::asked),
        rerun: settings.rerun.as_ref().map(|setting| setting.value.clone()).unwrap_or_default(),
        base_name: settings.base_name.as_ref().map(|setting| setting.value.clone()),
        references: String::new(),
        wave: None,
        deadline: None,
        prune: Prune::default(),
        strip_template_labels: Vec::new(),
        baseline: settings.baseline.as_ref().map(|setting| setting.value.clone()),
    }
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No such parameter.
    UnknownName {
        /// As the user wrote it, with its prefix.
        name: String,
        /// The nearest name there is, with the prefix.
        nearest: Option<String>,
    },
    /// A value that the parameter does not take.
    UnknownValue {
        /// The parameter as the user wrote it, with its prefix.
        name: String,
        /// The value, or the item of the list.
        value: String,
        /// What it takes.
        expected: &'static str,
        /// The nearest value there is.
        nearest: Option<String>,
    },
    /// A value of another type than a text.
    WrongType {
        /// The parameter as the user wrote it, with its prefix.
        name: String,
        /// What it is.
        found: &'static str,
    },
}

impl Error {
    /// A value that none of the `known` ones is; `name` is how the user named the parameter.
    pub fn unknown_value(
        name: &str,
        value: &str,
        expected: &'static str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let nearest = nearest(value, known);
        Self::UnknownValue { name: name.to_owned(), value: value.to_owned(), expected, nearest }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownName { nearest, .. } | Self::UnknownValue { nearest, .. } => {
                nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::WrongType { .. } => Some("put the value in quotes: Kubernetes takes only strings there".to_owned()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { name, .. } => write!(f, "unknown {} `{name}`", noun(name)),
            Self::UnknownValue { name, value, expected, .. } => {
                write!(f, "{} `{name}`: invalid value `{value}`, expected {expected}", noun(name))
            }
            Self::WrongType { name, found } => write!(f, "{} `{name}` is {found}, expected a string", noun(name)),
        }
    }
}

impl std::error::Error for Error {}

/// What people call a setting that is named so.
fn noun(name: &str) -> &'static str {
    if name.starts_with(parameter::ANNOTATION_PREFIX) { "annotation" } else { "parameter" }
}

/// The candidate that a user most likely meant.
fn nearest<'c>(found: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let distance = |candidate: &str| strsim::damerau_levenshtein(&found.to_lowercase(), &candidate.to_lowercase());
    let (distance, candidate) = candidates.into_iter().map(|candidate| (distance(candidate), candidate)).min()?;
    (distance <= 1 + candidate.len() / 4).then(|| candidate.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_layer_wins_value_by_value() {
        let layer = |ttl: Option<i64>, rerun: Option<&str>, by| Settings {
            ttl: ttl.map(|value| Setting { value, by }),
            rerun: rerun.map(|value| Setting { value: value.to_owned(), by }),
            ..Settings::default()
        };
        let both = layer(Some(1), None, SetBy::Annotation).over(layer(Some(2), Some("x"), SetBy::CommandLine));
        assert_eq!(both.ttl, Some(Setting { value: 1, by: SetBy::Annotation }));
        assert_eq!(both.rerun.map(|setting| setting.by), Some(SetBy::CommandLine));
    }

    #[test]
    fn suggestions_are_near() {
        assert_eq!(nearest("replce", ["replace", "keep"]).as_deref(), Some("replace"));
        assert_eq!(nearest("presync", ["PreSync", "Sync"]).as_deref(), Some("PreSync"));
        assert_eq!(nearest("nonsense", ["replace", "keep"]), None);
    }
}
