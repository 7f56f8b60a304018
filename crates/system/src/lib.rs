#![doc = include_str!("../README.md")]
//!
//! `unix.rs` is for Linux and macOS, `other.rs` for Windows and for systems without files (WebAssembly). Both have the same functions.

#[cfg(not(unix))]
mod other;
pub mod threads;
#[cfg(unix)]
mod unix;

use std::borrow::Cow;
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::{fmt, io};

#[cfg(not(unix))]
use other as here;
#[cfg(unix)]
use unix as here;

pub use here::{
    Folder, MAX_PATH, Stamp, allow_owner, canonical, check_owner, file_name, has_enough_stack, has_other_names,
    is_executable, is_misread, is_pipe, is_same, is_variable, keep_owner, own_file, own_folder, signal, symlink,
    without_waiting,
};

/// Why helm, kustomize and what fetches charts are not started on this system; `None` where they are.
pub const NO_TOOLS: Option<&str> =
    if cfg!(unix) { None } else { Some("on Windows nothing keeps it inside the repository") };

/// The error when a part of a path is not what it was when the path was found, or is a symlink.
pub fn replaced() -> io::Error {
    io::Error::other("it is no longer a regular file")
}

/// Whether an error says that nothing has this path: in Windows no name has a `*`.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename)
}

/// `path` as it is written in the directory `from`; both are absolute. `None` if they have nothing in common but the root of the file system.
pub fn relative(from: &Path, path: &Path) -> Option<PathBuf> {
    let common = from.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    path.components().take(common).find(|part| matches!(part, Component::Normal(_)))?;
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}

/// The file if it is a regular one; otherwise an error. Devices and pipes have no length, and reading them may never end.
fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(replaced()) }
}

/// Paths as Argo CD, Git and SARIF want them on every system: with `/`, and without the prefix `\\?\` of Windows.
pub trait PathText {
    /// The path as a text.
    fn in_slashes(&self) -> Cow<'_, str>;

    /// The path in a message.
    fn shown(&self) -> impl fmt::Display + use<'_, Self>;
}

#[expect(clippy::disallowed_methods, reason = "this is what all others call")]
impl PathText for Path {
    fn in_slashes(&self) -> Cow<'_, str> {
        let text = self.to_string_lossy();
        if cfg!(unix) { text } else { text.strip_prefix(r"\\?\").unwrap_or(&text).replace('\\', "/").into() }
    }

    fn shown(&self) -> impl fmt::Display + use<'_> {
        self.in_slashes()
    }
}
