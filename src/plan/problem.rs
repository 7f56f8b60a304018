//! Why there is no output: the errors of all layers, joined with their places.

use std::fmt;

use crate::manifest::Manifest;
use crate::settings;
use crate::strategy::Refusal;
use crate::text::{Message, Origin, Place, visible};
use crate::yaml::SyntaxError;

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A document that Argo CD cannot read.
    Unreadable,
    /// A Job that its strategy cannot write.
    Refused,
    /// An annotation of a Job with an invalid value.
    Setting,
    /// Two Jobs that would become one.
    DuplicateJob,
    /// Two hooks of one phase with one `generateName`.
    GenerateNameCollision,
    /// No object in the whole output.
    Empty,
}

/// One thing that is wrong with the input. Displays as `path:line:column: message` and a `help:` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of thing it is.
    pub kind: ProblemKind,
    /// Where, when it is at one place.
    pub place: Option<Place>,
    /// What, lower case, the user's words in backticks.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A document that Argo CD cannot read.
    pub(super) fn syntax(manifest: &Manifest, error: &SyntaxError) -> Self {
        let place = Some(manifest.place(error.offset));
        Self {
            kind: ProblemKind::Unreadable,
            place,
            message: error.message.clone(),
            help: error.help.map(ToOwned::to_owned),
        }
    }

    /// A Job that its strategy cannot write.
    pub(super) fn refusal(place: Place, refusal: &Refusal) -> Self {
        Self {
            kind: ProblemKind::Refused,
            place: Some(place),
            message: refusal.to_string(),
            help: Some(refusal.help()),
        }
    }

    /// An annotation of a Job with an invalid value.
    pub(super) fn annotation(place: Place, error: &settings::Error) -> Self {
        let Message { text, help } = error.message();
        Self { kind: ProblemKind::Setting, place: Some(place), message: text, help }
    }

    /// Nothing to print, which Argo CD would take for "delete everything".
    pub(super) fn no_object(manifests: &[Manifest]) -> Self {
        if let [Manifest { origin: Origin::Rendered(command), .. }] = manifests {
            let message = format!("`{command}` printed no object");
            let help = "an empty output would delete what is live; correct the settings, or set `allow-empty` (`--allow-empty`)";
            return Self { kind: ProblemKind::Empty, place: None, message, help: Some(help.to_owned()) };
        }
        let (message, folders) = match manifests {
            [] => ("no file here is a manifest, named `*.yaml`, `*.yml` or `*.json`".to_owned(), true),
            [one] => (format!("{}: no object in it", one.origin), one.origin != Origin::StandardInput),
            more => (format!("no object in any of {} manifests", more.len()), true),
        };
        let recurse = if folders { ", and folders are read with `--recurse`" } else { "" };
        let help = format!("an empty output would delete what is live; it is allowed with `--allow-empty`{recurse}");
        Self { kind: ProblemKind::Empty, place: None, message, help: Some(help) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", visible(&place.to_string()))?;
        }
        f.write_str(&visible(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {}", visible(help)),
            None => Ok(()),
        }
    }
}
