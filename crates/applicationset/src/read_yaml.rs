//! Reads YAML that a set has or names, as `sigs.k8s.io/yaml` does.

use goyaml::RefusedBy;
use goyaml::json::{self, Form};
use serde_json::Value;

use super::Problem;

/// Why a text has no value here. The message does not begin with a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// Argo CD refuses the text, too.
    Refused(String),
    /// This program does not know such a text, or it is beyond a limit of this program. Argo CD may read it.
    NotKnown(String),
}

impl Unread {
    /// The problem of a set that needs the value. In front of the message it says which text it is: `refused` in the
    /// words of Argo CD, or `not_known`.
    pub(super) fn of(self, refused: &str, not_known: &str) -> Problem {
        match self {
            Self::Refused(message) => Problem::Failed(format!("{refused}: {message}")),
            Self::NotKnown(message) => Problem::NotKnown(format!("{not_known}: {message}")),
        }
    }
}

/// The value of the first document.
pub fn read_yaml(text: &str) -> Result<Value, Unread> {
    let value = goyaml::Value::read(text).map_err(|error| match error.by {
        RefusedBy::ArgoCd => Unread::Refused(error.message),
        RefusedBy::Limit | RefusedBy::Us => Unread::NotKnown(error.message),
    })?;
    // The reader of JSON has a limit of its own for the depth, and does not say that it was this.
    serde_json::from_str(&json::print(&value, Form::Stream)).map_err(|error| Unread::NotKnown(error.to_string()))
}
