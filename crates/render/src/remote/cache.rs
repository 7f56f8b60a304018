//! The cache: folders named by their content, and a file for each chart or repository, which names its folder.
//!
//! ```text
//! content/<commit of a repository, or SHA-256 of a packaged chart>/
//! names/<SHA-256 of the address and the version>
//! ```

use std::path::{Path, PathBuf};
use std::{fs, io};

use confined::unguessable;
use sha2::{Digest, Sha256};
use system::{PathText, canonical, check_owner, own_folder};
use text::{Message, hexadecimal};

use crate::remote::Remote;

/// The most bytes of a name: a digest in hexadecimal.
const MAX_NAME: u64 = 128;

/// A cache that only the user can write.
#[derive(Debug)]
pub(super) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache in a directory; none when there is nothing. An error if somebody else can write it.
    pub(super) fn open(dir: &Path) -> Result<Option<Self>, Message> {
        let failed = |why: String| {
            let message = Message::new(format!("the cache `{}` cannot be used: {why}", dir.shown()));
            message.help("remove it, or name another directory with `XDG_CACHE_HOME`")
        };
        match canonical(dir) {
            Ok(root) => {
                check_owner(&root).map_err(|why| failed(why.to_string()))?;
                Ok(Some(Self { root }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Opens the cache in a directory, and creates it if it does not exist.
    pub(super) fn make(dir: &Path) -> Result<Self, Message> {
        let failed = |error: io::Error| Message::new(format!("the cache `{}` cannot be made: {error}", dir.shown()));
        for folder in ["content", "names"] {
            private(&dir.join(folder)).map_err(failed)?;
        }
        Self::open(dir)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// The folder of a chart or repository that was fetched before; `None` for any other.
    pub(super) fn find(&self, what: &Remote) -> Option<PathBuf> {
        let name = checkout::read_small(&self.name_of(what), MAX_NAME).ok()?;
        self.content(&name)
    }

    /// Adds a folder that `fill` fills, unless there is one with this content.
    pub(super) fn add(
        &self,
        what: &Remote,
        content: &str,
        fill: impl FnOnce(&Path) -> Result<(), Message>,
    ) -> Result<PathBuf, Message> {
        if let Some(found) = self.content(content) {
            self.note(what, content).map_err(failed)?;
            return Ok(found);
        }
        // Only what is complete gets its name. Processes in two containers can have the same number.
        let beside = self.root.join(format!("content/.{content}.{}", unguessable()));
        let filled = private(&beside).map_err(failed).and_then(|()| fill(&beside));
        let path = self.root.join("content").join(content);
        let named = filled.and_then(|()| match fs::rename(&beside, &path) {
            // Another run was faster.
            Err(_) if path.is_dir() => Ok(()),
            named => named.map_err(failed),
        });
        drop(fs::remove_dir_all(&beside));
        named?;
        self.note(what, content).map_err(failed)?;
        Ok(path)
    }

    fn content(&self, name: &str) -> Option<PathBuf> {
        let is_digest = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(self.root.join("content").join(name)).filter(|path| is_digest && path.is_dir())
    }

    fn note(&self, what: &Remote, content: &str) -> io::Result<()> {
        let path = self.name_of(what);
        let beside = path.with_extension(unguessable());
        fs::write(&beside, content)?;
        fs::rename(&beside, &path)
    }

    fn name_of(&self, what: &Remote) -> PathBuf {
        let parts = match what {
            Remote::Chart { repository, name, version } => ["chart", repository, name, version],
            Remote::Repository { url, revision } => ["repository", url, revision, ""],
        };
        self.root.join("names").join(digest(&parts.map(str::as_bytes)))
    }
}

/// The SHA-256 of these parts, each with its length, in hexadecimal.
pub(super) fn digest(parts: &[&[u8]]) -> String {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_be_bytes());
        sha.update(part);
    }
    hexadecimal(&sha.finalize())
}

fn failed(error: io::Error) -> Message {
    Message::new(format!("the cache cannot be written: {error}"))
}

/// Makes a directory, and those above it, which only the user can read.
fn private(dir: &Path) -> io::Result<()> {
    own_folder().recursive(true).create(dir)
}
