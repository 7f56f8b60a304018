//! Sets one parameter of a layer, which is found by its name.

use text::spelling::nearest;

use super::blocks::Block;
use super::parameter::Position;
use super::parameters::{Id, PARAMETERS, Parameter};
use super::parse::ParseError;
use super::value::{Fields, RawValue};
use super::{Error, ErrorKind, Provenance, Settings};

/// Parses a raw value and sets the parameter `name` to it. `spell` writes a name in the form that this layer uses,
/// for messages.
pub(super) fn set(
    settings: &mut Settings,
    name: &str,
    position: Position,
    raw: &RawValue,
    by: Provenance,
    spell: impl Fn(&Parameter) -> String,
) -> Result<(), Error> {
    let parameter = match Parameter::find(name) {
        Some(parameter) if parameter.scope.allows(position) => parameter,
        Some(parameter) => return Err(Error::new(by, ErrorKind::Misplaced(parameter.id))),
        None => return Err(unknown(name, position, by, spell)),
    };
    settings
        .set(parameter.id, raw, position, &by)
        .map_err(|error| Error::new(by, error_kind(error, raw, parameter.expected)))
}

/// The error for a name that is not a parameter; suggests a similar name if there is one.
pub(super) fn unknown(name: &str, position: Position, by: Provenance, spell: impl Fn(&Parameter) -> String) -> Error {
    let known = Parameter::at(position).map(|parameter| parameter.name);
    let nearest = nearest(name, known).and_then(|name| Parameter::find(&name));
    // Fields of a block are no parameters: suggest the block.
    let block = || Parameter::find(name.split_once(['-', '.'])?.0).filter(|row| row.is_block());
    Error::new(by, ErrorKind::UnknownName { nearest: nearest.or_else(block).map(spell) })
}

/// The kind of the error for a value that cannot be parsed; `expected` names the values that the parameter accepts.
pub(super) fn error_kind(error: ParseError, raw: &RawValue, expected: &'static str) -> ErrorKind {
    match error {
        ParseError::Type(expected) => ErrorKind::Type { found: raw.kind(), expected },
        ParseError::Value { value, expected: own, nearest } => {
            ErrorKind::Value { value, expected: own.unwrap_or(expected), nearest }
        }
        ParseError::Block(inside) => ErrorKind::InBlock(inside),
    }
}

impl Settings {
    /// Moves the values of parameters for one field into the blocks. Within a layer they win over the block's own
    /// value.
    pub(super) fn with_fields(mut self) -> Self {
        for id in PARAMETERS.iter().map(|row| row.id) {
            let Some((block, field)) = id.field_of() else { continue };
            for (_, setting) in self.lock(id, &Fields::new(), &Self::default()) {
                let slot = if block == Id::Helm { &mut self.helm } else { &mut self.kustomize };
                Block::put(slot, field, &setting);
            }
        }
        self
    }
}
