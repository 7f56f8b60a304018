//! The program's own config file, at the top of the source directory. Its bytes become text here; what it says is for the settings.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::encoding::{self, Utf16};
use super::files::{Files, Kind};
use super::revision::Revision;
use super::tools::Tools;
use super::{Error, repository};
use crate::settings::{CONFIG_FILE, MAX_CONFIG_FILE};
use crate::text::{Origin, Place};

/// What people call it by mistake. It would be read as a manifest.
const MISNAMED: &str = ".argocd-jobs.yml";

/// The text of the config file of `dir`, without a byte order mark; nothing when there is none.
pub fn config_file(dir: &Path, source_path: Option<&str>) -> Result<Option<String>, Error> {
    if fs::symlink_metadata(dir.join(MISNAMED)).is_ok() {
        return Err(Error::MisnamedConfigFile(PathBuf::from(MISNAMED)));
    }
    let path = dir.join(CONFIG_FILE);
    let name = || PathBuf::from(CONFIG_FILE);
    let unreadable = |error: io::Error| Error::unreadable(name(), error);
    match fs::symlink_metadata(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
        Ok(_) => {}
    }
    let real = fs::canonicalize(&path).map_err(unreadable)?;
    let root = repository::root_of(dir, source_path).map_err(unreadable)?;
    if !repository::is_inbound(&real, &root) {
        return Err(Error::LeavesRepository(name()));
    }
    // A pipe would never end, and opening one would wait.
    if !fs::metadata(&real).map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::other("not a file")));
    }
    let mut bytes = Vec::new();
    File::open(&real).and_then(|file| file.take(MAX_CONFIG_FILE + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_CONFIG_FILE {
        return Err(too_large());
    }
    text_of(bytes).map(Some)
}

/// The text of the config file that `revision` has in `dir`, as [`config_file`] has it for the directory as it is now. It is read with the
/// `git` among the programs `tools`.
pub fn config_file_at(dir: &Path, revision: &str, tools: &Tools) -> Result<Option<String>, Error> {
    let mut revision = Revision::open(dir, revision, tools)?;
    if revision.find(MISNAMED)?.is_some() {
        return Err(Error::MisnamedConfigFile(PathBuf::from(MISNAMED)));
    }
    let Some(entry) = revision.find(CONFIG_FILE)? else { return Ok(None) };
    let file = match entry.kind {
        Kind::File => Some(entry.place),
        Kind::Link => revision.follow(&entry)?,
        Kind::Other => None,
    };
    let file = file.ok_or_else(|| Error::unreadable(CONFIG_FILE, io::Error::other("not a file")))?;
    match revision.read(&file, MAX_CONFIG_FILE).map_err(|error| Error::unreadable(CONFIG_FILE, error))? {
        None => Err(too_large()),
        Some(bytes) => text_of(bytes).map(Some),
    }
}

fn too_large() -> Error {
    Error::ConfigFileTooLarge(Origin::File(PathBuf::from(CONFIG_FILE)))
}

fn text_of(bytes: Vec<u8>) -> Result<String, Error> {
    encoding::decode(bytes, Utf16::Refuse).map_err(|failure| {
        let origin = Origin::File(PathBuf::from(CONFIG_FILE));
        Error::Undecodable { place: Place { origin, at: failure.at }, why: failure.why }
    })
}

/// The name of the config file, when there is one in `dir`: the marker by which an Application is known to want this plugin.
pub fn marker(dir: &Path) -> Option<&'static str> {
    fs::symlink_metadata(dir.join(CONFIG_FILE)).is_ok().then_some(CONFIG_FILE)
}
