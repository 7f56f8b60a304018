//! Reads the config file at the top of the source directory. This module decodes its bytes; the settings parse the
//! text.

use std::io;
use std::path::Path;

use super::Error;
use super::encoding::{self, Utf16};
use super::vfs::{Kind, SourceTree};
use crate::settings::{CONFIG_FILE, ConfigText, MAX_CONFIG_FILE};
use crate::text::{Origin, Place};

/// A wrong name of the config file: such a file would be read as a manifest.
const MISNAMED: &str = ".argocd-jobs.yml";

/// The config file of a directory, without a byte order mark; `None` when the directory has none.
pub(super) fn read(tree: &mut dyn SourceTree) -> Result<Option<ConfigText>, Error> {
    let entry = tree.find(Path::new(CONFIG_FILE))?;
    if tree.find(Path::new(MISNAMED))?.is_some() {
        return Err(Error::MisnamedConfigFile(tree.name().file(Path::new(MISNAMED))));
    }
    let Some(entry) = entry else { return Ok(None) };
    let path = tree.name().file(&entry.path);
    let file = match entry.kind {
        Kind::File => Some(entry.place),
        Kind::Link => tree.follow(&entry)?,
        Kind::Other => None,
    };
    let Some(file) = file else { return Err(Error::unreadable(path, io::Error::other("not a file"))) };
    let bytes = match tree.read(&file, MAX_CONFIG_FILE) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Error::ConfigFileTooLarge(Origin::File(path.into()))),
        Err(error) => return Err(Error::unreadable(path, error)),
    };
    match encoding::decode(bytes, Utf16::Refuse) {
        Ok(text) => Ok(Some(ConfigText { path, text })),
        Err(failure) => {
            let place = Place::new(Origin::File(path.into()), failure.at);
            Err(Error::Undecodable { place, why: failure.why })
        }
    }
}
