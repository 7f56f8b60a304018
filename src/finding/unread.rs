//! The finding about a source that could not be read.

use super::rules::NOT_RENDERED;
use super::{Finding, State};
use crate::text::{Place, split_help};
use crate::yaml::Path;

/// The finding that a source is not rendered; `place` is the file for which it is a source, and `reason` the error, with its help.
pub fn not_rendered(place: Option<Place>, reason: &str) -> Finding {
    let (reason, help) = split_help(reason);
    Finding {
        rule: &NOT_RENDERED,
        level: NOT_RENDERED.level,
        place,
        span: None,
        shows_source: false,
        object: None,
        path: Path::default(),
        message: format!("its Jobs were not checked: {}", reason.lines().next().unwrap_or_default()),
        help: help.unwrap_or(NOT_RENDERED.fix).to_owned(),
        related: Vec::new(),
        state: State::Open,
        fix: None,
    }
}
