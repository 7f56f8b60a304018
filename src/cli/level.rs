//! The level of a finding as a value of a flag.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use lint::Level;

/// Parses the level of a finding.
pub(super) fn parser() -> ValueParser {
    let words = PossibleValuesParser::new(Level::ALL.map(|level| PossibleValue::new(level.as_str())));
    words.try_map(|word| Level::parse(&word).ok_or("no such level")).into()
}
