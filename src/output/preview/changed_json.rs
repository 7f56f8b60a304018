//! What changed in a Job, and why the sync fails without this program, for programs.

use serde::Serialize;

use crate::kubernetes::Difference;
use crate::preview::{Because, Failure};
use crate::yaml::Value;
use crate::yaml::json::{self, Form};

#[derive(Serialize)]
pub(super) struct AsWritten {
    fails: &'static str,
    fields: Vec<Changed>,
}

/// A field that changed, or another reason, which has only a text.
#[derive(Serialize)]
pub(super) struct Changed {
    field: Option<String>,
    old: Option<serde_json::Value>,
    new: Option<serde_json::Value>,
    text: String,
}

impl AsWritten {
    pub(super) fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Immutable(found) => Self { fails: "immutable", fields: found.iter().map(field).collect() },
            Failure::GenerateName => Self { fails: "generate-name", fields: Vec::new() },
            Failure::ReplaceAlone => Self { fails: "replace-without-force", fields: Vec::new() },
        }
    }
}

pub(super) fn reason(because: &Because) -> Changed {
    match because {
        Because::Field(difference) => field(difference),
        other => Changed { field: None, old: None, new: None, text: other.to_string() },
    }
}

pub(super) fn field(difference: &Difference) -> Changed {
    let value = |value: &Option<Value>| {
        value.as_ref().and_then(|value| serde_json::from_str(&json::print(value, Form::Stream)).ok())
    };
    Changed {
        field: Some(difference.path.to_string()),
        old: value(&difference.old),
        new: value(&difference.new),
        text: difference.to_string(),
    }
}
