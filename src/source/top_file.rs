//! Reads a small text file at the top of a source directory.

use std::io;
use std::path::Path;

use super::Error;
use super::encoding::{self, Utf16};
use super::vfs::{Kind, SourceTree};
use crate::text::{Origin, Place};

/// The text of the file, without a byte order mark; `None` when the directory has no file of this name. Fails for
/// more than `limit` bytes.
pub(super) fn read(tree: &mut dyn SourceTree, name: &str, limit: u64) -> Result<Option<String>, Error> {
    let Some(entry) = tree.find(Path::new(name))? else { return Ok(None) };
    let path = tree.name().file(&entry.path);
    let file = match entry.kind {
        Kind::File => Some(entry.place),
        Kind::Link => tree.follow(&entry)?,
        Kind::Other => None,
    };
    // Argo CD ignores a folder of this name, and a link to nothing.
    let Some(file) = file else { return Ok(None) };
    let bytes = match tree.read(&file, limit) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Error::unreadable(path, io::Error::other(format!("it is larger than {limit} bytes")))),
        Err(error) => return Err(Error::unreadable(path, error)),
    };
    match encoding::decode(bytes, Utf16::Refuse) {
        Ok(text) => Ok(Some(text)),
        Err(failure) => {
            let place = Place::new(Origin::File(path.into()), failure.at);
            Err(Error::Undecodable { place, why: failure.why })
        }
    }
}
