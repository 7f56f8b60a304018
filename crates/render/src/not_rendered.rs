//! Why a directory could not be rendered.

use std::io;

use checkout::Undecodable;
use text::Place;

use crate::RenderError;

/// Why a directory could not be rendered.
#[derive(Debug)]
pub enum NotRendered {
    /// The directory cannot be opened.
    Unreadable(io::Error),
    /// The tool was not started, or it failed.
    Tool(Box<RenderError>),
    /// What the tool has printed is not text.
    Undecodable {
        /// The place of the first bad byte.
        place: Place,
        /// Why the bytes are not text.
        why: Undecodable,
    },
}

impl From<RenderError> for NotRendered {
    fn from(error: RenderError) -> Self {
        Self::Tool(Box::new(error))
    }
}
