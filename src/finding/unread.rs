//! The finding for a source that could not be read.

use super::rules::NOT_RENDERED;
use super::{Finding, State};
use crate::text::{Place, split_help};
use crate::yaml::Path;

/// The finding for a source that is not rendered. `place` is where the source is defined, and `reason` is the error with its help.
pub fn not_rendered(place: Option<Place>, reason: &str) -> Finding {
    let (reason, help) = split_help(reason);
    // Tools begin with where they were, and say the cause last.
    let reason: Vec<&str> = reason.lines().map(str::trim).collect();
    Finding {
        rule: &NOT_RENDERED,
        level: NOT_RENDERED.level,
        place,
        span: None,
        shows_source: false,
        object: None,
        path: Path::default(),
        changes: Vec::new(),
        message: format!("its Jobs were not checked: {}", reason.join(" ")),
        help: help.unwrap_or(NOT_RENDERED.fix).to_owned(),
        related: Vec::new(),
        state: State::Open,
        fix: None,
        value_sets: Vec::new(),
    }
}
