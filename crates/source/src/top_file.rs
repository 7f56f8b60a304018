//! Reads small text files at the top of a source directory, one of which is the config file.

use std::io;
use std::path::{Path, PathBuf};

use rewrite::settings::{CONFIG_FILE, ConfigText, MAX_CONFIG_FILE};
use text::Origin;

use super::vfs::{Kind, SourceTree};
use super::{Error, decoded};

/// A wrong name of the config file: such a file would be read as a manifest.
const MISNAMED: &str = ".argocd-jobs.yml";

/// The config file of a directory, without a byte order mark; `None` when the directory has none.
pub(super) fn config_file(tree: &mut dyn SourceTree) -> Result<Option<ConfigText>, Error> {
    if tree.find(Path::new(MISNAMED))?.is_some() {
        return Err(Error::MisnamedConfigFile(tree.name().file(Path::new(MISNAMED))));
    }
    match find(tree, CONFIG_FILE, MAX_CONFIG_FILE)? {
        None => Ok(None),
        Some((path, Content::Text(text))) => Ok(Some(ConfigText { path, text })),
        Some((path, Content::TooLarge)) => Err(Error::ConfigFileTooLarge(Origin::File(path.into()))),
        Some((path, Content::NoFile)) => Err(Error::unreadable(path, io::Error::other("not a file"))),
    }
}

/// The text of the file, without a byte order mark; `None` when the directory has no file of this name. Fails for
/// more than `limit` bytes.
pub(super) fn read(tree: &mut dyn SourceTree, name: &str, limit: u64) -> Result<Option<String>, Error> {
    match find(tree, name, limit)? {
        // Argo CD ignores a folder of this name, and a link to nothing.
        None | Some((_, Content::NoFile)) => Ok(None),
        Some((_, Content::Text(text))) => Ok(Some(text)),
        Some((path, Content::TooLarge)) => {
            Err(Error::unreadable(path, io::Error::other(format!("it is larger than {limit} bytes"))))
        }
    }
}

/// What a directory has under the name of a file.
enum Content {
    Text(String),
    TooLarge,
    /// A folder, or a link to nothing.
    NoFile,
}

/// The content under a name at the top of a directory, and its path in messages; `None` when nothing has this name.
fn find(tree: &mut dyn SourceTree, name: &str, limit: u64) -> Result<Option<(PathBuf, Content)>, Error> {
    let Some(entry) = tree.find(Path::new(name))? else { return Ok(None) };
    let path = tree.name().file(&entry.path);
    let file = match entry.kind {
        Kind::File => Some(entry.place),
        Kind::Link => tree.follow(&entry)?,
        Kind::Other => None,
    };
    let Some(file) = file else { return Ok(Some((path, Content::NoFile))) };
    let content = match tree.read(&file, limit) {
        Ok(Some(bytes)) => Content::Text(decoded(&Origin::File(path.clone().into()), bytes)?),
        Ok(None) => Content::TooLarge,
        Err(error) => return Err(Error::unreadable(path, error)),
    };
    Ok(Some((path, content)))
}
