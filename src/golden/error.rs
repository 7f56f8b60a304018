//! What keeps the cases from being run: a mistake in their files, or the system.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::settings;
use crate::text::visible;

/// The cases cannot be run.
#[derive(Debug)]
pub enum Error {
    /// There is no such directory.
    NoSuchDirectory(PathBuf),
    /// The directory is something else.
    NotADirectory(PathBuf),
    /// The directory has no case in it.
    NoCase(PathBuf),
    /// It has cases, but none whose name contains the text.
    NoCaseNamed {
        /// The directory.
        dir: PathBuf,
        /// The text.
        filter: String,
    },
    /// The system does not let a file or directory be read.
    Unreadable(PathBuf, io::Error),
    /// The system does not let a file be written or removed.
    Unwritable(PathBuf, io::Error),
    /// A symlink, a folder or a device stands where a case has a file.
    NotAFile(PathBuf),
    /// A symlink leads out of the repository.
    LeavesRepository(PathBuf),
    /// Two files of one case say what is printed.
    TwoOutputs(PathBuf, String),
    /// The folder of manifests is a file, or a link to nothing.
    NoManifests(PathBuf),
    /// An expected output, but no case.
    OutputWithoutCase(PathBuf),
    /// The manifest would not be read, because it is not in `in`.
    ManifestOutsideIn(PathBuf),
    /// A `case` file cannot be understood.
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line in it.
        line: usize,
        /// What is wrong there.
        why: Wrong,
    },
    /// The program cannot be started for a case.
    NotStarted(PathBuf, io::Error),
}

/// What is wrong in a line of a `case` file.
#[derive(Debug)]
pub enum Wrong {
    /// The line is not UTF-8.
    NotUtf8,
    /// A quote has no end.
    OpenQuote(char),
    /// A variable behind the arguments, which would be one of them.
    LateVariable(String),
    /// A variable is set again.
    SecondValue(String),
    /// A variable that a case cannot set.
    ForbiddenVariable(String),
    /// A part of an argument that is a path out of the repository.
    ArgumentElsewhere(String),
    /// A part of an argument that cannot be followed as a path.
    UnreadableArgument(String, io::Error),
    /// A second `<`.
    SecondInput,
    /// The file of standard input is not there.
    NoSuchInput(String),
    /// The file of standard input is outside the repository.
    InputElsewhere(String),
    /// `test` in a case that is run by a case.
    TestInTest,
    /// `test --update` in a case.
    UpdateInTest,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchDirectory(dir) => {
                write!(f, "{}: no such directory\nhelp: give the directory with the cases", dir.display())
            }
            Self::NotADirectory(path) => {
                write!(f, "{}: not a directory\nhelp: give the directory with the cases", path.display())
            }
            Self::NoCase(dir) => write!(
                f,
                "{0}: no case in this directory\nhelp: a case is a folder with a folder `in` or a file `case` in it: put manifests into `{1}`, and let `--update` write what is expected",
                dir.display(),
                dir.join("my-job/in").display(),
            ),
            Self::NoCaseNamed { dir, filter } => write!(
                f,
                "{}: no case has `{}` in its name\nhelp: the name of a case is its path below this directory",
                dir.display(),
                filter.escape_debug()
            ),
            Self::Unreadable(path, error) => write!(f, "{}: cannot be read: {error}", path.display()),
            Self::Unwritable(path, error) => write!(f, "{}: cannot be written: {error}", path.display()),
            Self::Wrong { path, line, why } => write!(f, "{}:{line}: {why}", path.display()),
            Self::NotStarted(dir, error) => write!(f, "{}: the program cannot be started: {error}", dir.display()),
            _ => self.of_a_file(f),
        }
    }
}

impl Error {
    /// What is wrong with the files that a case has, or has not.
    fn of_a_file(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFile(path) => {
                write!(f, "{}: not a regular file\nhelp: put a file in its place", path.display())
            }
            Self::LeavesRepository(path) => {
                write!(f, "{}: this symlink leads out of the repository\nhelp: put a copy in its place", path.display())
            }
            Self::TwoOutputs(path, other) => {
                write!(f, "{}: `{other}` says too what is printed\nhelp: remove one of them", path.display())
            }
            Self::NoManifests(path) => {
                write!(f, "{}: not a directory\nhelp: `in` is the folder with the manifests of a case", path.display())
            }
            Self::OutputWithoutCase(path) => write!(
                f,
                "{}: an expected output, but no case\nhelp: put the manifests into a folder `in` beside it",
                path.display()
            ),
            Self::ManifestOutsideIn(path) => write!(
                f,
                "{}: this manifest is beside `case`, where it is not read\nhelp: put it into a folder `in`, or make it standard input with a line `< {}`",
                path.display(),
                path.file_name().unwrap_or_default().display()
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::OpenQuote(quote) => write!(
                f,
                "the quote `{quote}` has no end\nhelp: what stands in one kind of quotes can hold the other kind; there are no escapes"
            ),
            Self::LateVariable(name) => {
                write!(f, "the variable `{name}` stands behind the arguments\nhelp: put it above them")
            }
            Self::SecondValue(name) => write!(f, "the variable `{name}` is there twice"),
            Self::ForbiddenVariable(name) => write!(
                f,
                "the variable `{name}` cannot be set in a case\nhelp: a case can set {}",
                settings::variables_of_cases()
            ),
            Self::ArgumentElsewhere(part) => write!(
                f,
                "`{}` is not a relative path inside the repository\nhelp: every argument of a case is checked as a path: it must not be absolute, and no `..` or symlink in it may lead out of the repository or into `.git`",
                visible(part)
            ),
            Self::UnreadableArgument(part, error) => write!(
                f,
                "`{}` cannot be followed as a path: {error}\nhelp: every argument of a case is checked as a path; use another value",
                visible(part)
            ),
            Self::SecondInput => f.write_str("a second `<`, where there is one standard input"),
            Self::NoSuchInput(file) => {
                write!(f, "`{file}`: no such file\nhelp: give its path from the folder that `case` is in")
            }
            Self::InputElsewhere(file) => {
                write!(f, "`{file}` is outside the repository\nhelp: put a copy into the folder that `case` is in")
            }
            Self::UpdateInTest => f.write_str("`test --update` in a case\nhelp: a case changes no files"),
            Self::TestInTest => {
                f.write_str("`test` in a case that is itself run by a case\nhelp: one in the other is enough")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) | Self::Unwritable(_, error) | Self::NotStarted(_, error) => Some(error),
            _ => None,
        }
    }
}
