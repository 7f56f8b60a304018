//! Sets one parameter of a layer, found by its name.

use super::parameter::{Parameter, Position};
use super::parse::ParseError;
use super::value::RawValue;
use super::{Error, SetBy, Settings, Wrong};
use crate::text::spelling::nearest;

/// Sets the parameter `name` to a value; `spell` gives a name the form it has in this layer.
pub(super) fn set(
    settings: &mut Settings,
    name: &str,
    position: Position,
    raw: &RawValue,
    by: SetBy,
    spell: impl Fn(&Parameter) -> String,
) -> Result<(), Error> {
    let parameter = match Parameter::find(name) {
        Some(parameter) if parameter.scope.allows(position) => parameter,
        Some(parameter) => return Err(Error::new(by, Wrong::Misplaced(parameter.id))),
        None => return Err(unknown(name, position, by, spell)),
    };
    settings
        .set(parameter.id, raw, position, &by)
        .map_err(|error| Error::new(by, wrong(error, raw, parameter.expected)))
}

/// There is no parameter `name`; perhaps one with a similar name.
pub(super) fn unknown(name: &str, position: Position, by: SetBy, spell: impl Fn(&Parameter) -> String) -> Error {
    let known = Parameter::at(position).map(|parameter| parameter.name);
    let nearest = nearest(name, known).and_then(|name| Parameter::find(&name));
    Error::new(by, Wrong::UnknownName { nearest: nearest.map(spell) })
}

/// What is wrong with a value that is not understood, where a parameter takes `expected`.
pub(super) fn wrong(error: ParseError, raw: &RawValue, expected: &'static str) -> Wrong {
    match error {
        ParseError::Type(expected) => Wrong::Type { found: raw.kind(), expected },
        ParseError::Value { value, expected: own, nearest } => {
            Wrong::Value { value, expected: own.unwrap_or(expected), nearest }
        }
    }
}
