//! Windows, and systems without files (WebAssembly), on which all of this fails.
//!
//! Nothing here calls Windows itself: the standard library has what is needed.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::{regular, replaced};

/// The system opens no longer path, in bytes.
pub const MAX_PATH: usize = 1 << 15;

/// The path of a folder in which no part below the first was a symlink or a junction. The standard library cannot keep a folder open, so that somebody
/// who can write the checkout while it is read can still put one in its place.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Names a folder; symlinks in its path are followed.
    pub fn open(dir: &Path) -> io::Result<Self> {
        if fs::metadata(dir)?.is_dir() { Ok(Self(dir.to_owned())) } else { Err(replaced()) }
    }

    /// A folder in it; fails for a symlink or a junction.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.below(name)?;
        // A symlink is not a folder here, and a junction counts as one.
        if fs::symlink_metadata(&path)?.is_dir() { Ok(Self(path)) } else { Err(replaced()) }
    }

    /// Opens a regular file in it; fails for a symlink and for anything else.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        let path = self.below(name)?;
        if !fs::symlink_metadata(&path)?.is_file() {
            return Err(replaced());
        }
        let file = regular(opened_itself(OpenOptions::new().read(true)).open(path)?)?;
        if file.metadata()?.is_symlink() { Err(replaced()) } else { Ok(file) }
    }

    fn below(&self, name: &OsStr) -> io::Result<PathBuf> {
        if is_misread(name) { Err(replaced()) } else { Ok(self.0.join(name)) }
    }
}

/// Makes a symlink be opened itself, and not what it leads to (`FILE_FLAG_OPEN_REPARSE_POINT`).
fn opened_itself(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(options, 0x0020_0000);
    options
}

/// Opening never waits here: a named pipe has no place in a folder.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A new file has the rights of its folder.
pub fn own_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A new folder has the rights of the folder above it; that for temporary files is the user's own.
pub fn own_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Takes away the mark that a file is read-only, with which Windows does not remove it.
#[expect(clippy::permissions_set_readonly_false, reason = "this is not Unix, where everybody could write it")]
pub fn allow_owner(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)
}

/// Always an error: the standard library does not say who can write a folder.
pub fn check_owner(_: &Path) -> io::Result<()> {
    Err(io::Error::other("on Windows nobody can tell who else can write it"))
}

/// A new file has the owner that its folder gives it.
pub fn keep_owner(_: &File, _: &Metadata) {}

/// Whether this is a file. What can be executed ends in `.exe`, and only such names are looked for.
pub fn is_executable(found: &Metadata) -> bool {
    found.is_file()
}

/// The standard library does not say how many names a file has.
pub fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Whether two findings are about the same file, as far as the standard library says: it was made and written at the same times, and is as long.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let about = |found: &Metadata| (found.len(), found.created().ok(), found.modified().ok());
    about(one) == about(other)
}

/// The state of a file, which is unknown here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(());

impl Stamp {
    /// The stamp of what was found; `None` where the system has none.
    pub fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

/// A named pipe has no place in a folder.
pub fn is_pipe(_: FileType) -> bool {
    false
}

/// The devices that Windows before 11 finds in every folder, with any extension.
const DEVICES: [&str; 6] = ["AUX", "CON", "CONIN$", "CONOUT$", "NUL", "PRN"];

/// Whether Windows may take a name for that of a device in every folder (`NUL`, `con.yaml`), or for a part of a file (`a.yaml:b`), or as another name
/// (`a.yaml.`, `git~1` for `.git`).
pub fn is_misread(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = |port: &str| {
        let number = stem.strip_prefix(port).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    name.eq_ignore_ascii_case("git~1")
        || name.contains([':', '\\'])
        || DEVICES.contains(&&*stem)
        || is_port("COM")
        || is_port("LPT")
        || name.ends_with(['.', ' '])
}

/// Whether a variable of the environment has the name `wanted`: Windows calls `PATH` `Path`.
pub fn is_variable(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

/// A file name from git in the spelling of the operating system.
pub fn file_name(name: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(name) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Makes a symlink, which Windows follows only when its target is written with `\`. Windows must know whether it leads to a folder, and whether
/// the user may make any.
#[cfg(windows)]
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (target, link): (PathBuf, _) = (target.as_ref().components().collect(), link.as_ref());
    let leads_to = link.parent().map(|parent| parent.join(&target));
    if leads_to.is_some_and(|target| target.is_dir()) {
        std::os::windows::fs::symlink_dir(target, link)
    } else {
        std::os::windows::fs::symlink_file(target, link)
    }
}

/// There are no symlinks.
#[cfg(not(windows))]
pub fn symlink(_: impl AsRef<Path>, _: impl AsRef<Path>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The absolute path without symlinks, and without the prefix `\\?\` where Windows finds the same file without it: programs such as git do not
/// understand that prefix.
#[expect(clippy::disallowed_methods, reason = "this is what all others call")]
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let real = fs::canonicalize(path)?;
    let plain = real.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    // 260 characters, with the zero at their end, are what most programs allow.
    let plain = plain.filter(|text| text.len() < 260 && text.as_bytes().get(1) == Some(&b':')).map(PathBuf::from);
    Ok(plain.filter(|path| !path.iter().skip(1).any(is_misread)).unwrap_or(real))
}

/// Processes are not ended by signals.
pub fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Whether the main thread has at least this many bytes of stack: Windows gives it 1 MiB.
pub fn has_enough_stack(bytes: u64) -> bool {
    bytes <= 1 << 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known() {
        for name in
            ["NUL", "con.yaml", "Com1", "lpt².txt", "aux .yaml", "a.yaml:b", "a.yaml.", "a ", "CONIN$", "GIT~1", "a\\b"]
        {
            assert!(is_misread(OsStr::new(name)), "{name}");
        }
        for name in ["null", "console.yaml", "com", "com10", "a.con", "job.yaml", ".yaml"] {
            assert!(!is_misread(OsStr::new(name)), "{name}");
        }
    }
}
