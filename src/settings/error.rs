//! What is wrong with a setting: where it stands, what it is, what to do about it.

use std::fmt;
use std::path::Path;

use super::SetBy;
use super::parameter::{ANNOTATION_PREFIX, Id, Parameter, Scope};
use crate::text::{Origin, Place};

/// One thing that is wrong with a setting. Displays as `PLACE: what is wrong`; [`Error::help`] is the line after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What was to be set, by whom.
    pub by: SetBy,
    /// What is wrong.
    pub wrong: Wrong,
    /// The path of the config file, for an error in it.
    config_file: Option<Box<Path>>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No such parameter.
    UnknownName {
        /// The nearest name there is, written as here.
        nearest: Option<String>,
    },
    /// The parameter cannot stand here.
    Misplaced(Id),
    /// Argo CD's prefix is there twice: the user wrote it, and Argo CD put it before it.
    PrefixedTwice {
        /// What to write in the Application.
        meant: String,
    },
    /// Only the platform owner locks.
    LockFromTheApplication,
    /// A value that the parameter does not take.
    Value {
        /// The value, or the item of the list.
        value: String,
        /// What it takes.
        expected: &'static str,
        /// The nearest value there is.
        nearest: Option<String>,
    },
    /// A value of another type.
    Type {
        /// What it is.
        found: &'static str,
        /// What it takes.
        expected: &'static str,
    },
    /// No value at all.
    NoValue,
    /// More than one value.
    TwoValues,
    /// The same name a second time.
    Twice,
    /// A rule that does not say which Jobs it is for.
    NoMatch,
    /// A text that cannot be read at all.
    Malformed(String),
}

impl Error {
    /// The error `wrong` of what `by` was to set.
    pub fn new(by: SetBy, wrong: Wrong) -> Self {
        Self { by, wrong, config_file: None }
    }

    /// The same error, in the config file that is called `path`.
    #[must_use]
    pub fn in_config_file(self, path: &Path) -> Self {
        Self { config_file: Some(path.into()), ..self }
    }

    /// The place in the config file, for an error in it.
    fn place(&self) -> Option<Place> {
        let place = self.by.place()?;
        Some(match &self.config_file {
            Some(path) => Place { origin: Origin::File(path.to_path_buf()), ..place },
            None => place,
        })
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match &self.wrong {
            Wrong::UnknownName { nearest } | Wrong::Value { nearest, .. } => {
                nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Wrong::Misplaced(id) => Some(scope_help(id.parameter())),
            Wrong::PrefixedTwice { meant } => Some(format!(
                "Argo CD puts `ARGOCD_ENV_` before every name in `plugin.env` by itself; write `{meant}` there"
            )),
            Wrong::LockFromTheApplication => {
                Some("parameters are locked by the variable `ARGOCD_JOBS_LOCK` of the sidecar itself".to_owned())
            }
            Wrong::Type { .. } if matches!(self.by, SetBy::Annotation(_)) => {
                Some("put the value in quotes: Kubernetes takes only strings there".to_owned())
            }
            Wrong::Type { expected: "a string", found } if matches!(self.by, SetBy::ConfigFile { .. }) => {
                ["a number", "a boolean"].contains(found).then(|| "put the value in quotes".to_owned())
            }
            Wrong::NoValue => Some("give it a `string`, an `array` or a `map`".to_owned()),
            Wrong::TwoValues => Some("give it one of `string`, `array` and `map`".to_owned()),
            Wrong::NoMatch => Some("`match: {}` is for every Job".to_owned()),
            _ => None,
        }
    }
}

/// Where a parameter can stand that stands in the wrong place.
fn scope_help(parameter: &Parameter) -> String {
    let name = parameter.name;
    match parameter.scope {
        Scope::Application => {
            format!("`{name}` is for a whole Application: set it at the top of `.argocd-jobs.yaml` or as a parameter")
        }
        Scope::Jobs => {
            format!("set `{name}` for the Application, or in a rule of `.argocd-jobs.yaml` for some of its Jobs")
        }
        Scope::JobsAndOne | Scope::OneJob => format!(
            "`{name}` is for single Jobs: set it in a rule of `.argocd-jobs.yaml`, or as the annotation `{ANNOTATION_PREFIX}{name}`"
        ),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (noun, name) = (self.by.noun(), self.by.name());
        if let Some(place) = self.place() {
            write!(f, "{place}: ")?;
        }
        match &self.wrong {
            Wrong::UnknownName { .. } | Wrong::PrefixedTwice { .. } => write!(f, "unknown {noun} `{name}`"),
            Wrong::Misplaced(_) => write!(f, "{noun} `{name}` cannot stand here"),
            Wrong::LockFromTheApplication => write!(f, "{noun} `{name}`: an Application cannot lock parameters"),
            Wrong::Value { value, expected, .. } => {
                write!(f, "{noun} `{name}`: invalid value `{value}`, expected {expected}")
            }
            Wrong::Type { found, expected } => write!(f, "{noun} `{name}` is {found}, expected {expected}"),
            Wrong::NoValue => write!(f, "{noun} `{name}` has no value"),
            Wrong::TwoValues => write!(f, "{noun} `{name}` has more than one value"),
            Wrong::Twice => write!(f, "{noun} `{name}` is there twice"),
            Wrong::NoMatch => f.write_str("the rule has no `match`"),
            Wrong::Malformed(message) if self.by.place().is_some() => f.write_str(message),
            Wrong::Malformed(message) => write!(f, "{noun} `{name}`: {message}"),
        }
    }
}

impl std::error::Error for Error {}
