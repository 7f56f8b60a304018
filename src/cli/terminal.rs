//! What the terminal of standard output can show.

use std::io::{self, IsTerminal};

use deployment::Environment;
use report::paint::Paint;

use super::flags::When;

/// The least width that a text is made to fit into: below it a line is better wrapped by the terminal.
const LEAST_WIDTH: usize = 40;

/// The width of the terminal in columns: `COLUMNS`, or that of the terminal that standard output is; none for a file or a pipe.
pub(super) fn width(environment: &Environment) -> Option<usize> {
    let set = environment.get("COLUMNS").and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    set.or_else(terminal).map(|width| width.max(LEAST_WIDTH))
}

/// Whether standard output is coloured.
pub(super) fn paint(environment: &Environment, color: When) -> Paint {
    let is_coloured = match color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            io::stdout().is_terminal()
                && environment.get("NO_COLOR").is_none()
                && environment.get("TERM").as_deref() != Some("dumb")
        }
    };
    if is_coloured { Paint::Coloured } else { Paint::Plain }
}
