//! Errors that prevent cases from running: mistakes in their files, or errors of the operating system.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::root::Root;
use super::shown;
use crate::settings;
use crate::text::{LineColumn, Message};

/// The help for a user who wants to test the message about a wrong command line.
const ON_PURPOSE: &str = "fix the case; if it is wrong on purpose, put `! ` before its command";

/// Why cases cannot run.
#[derive(Debug)]
pub enum Error {
    /// The directory of the cases does not exist.
    NoSuchDirectory(PathBuf),
    /// The path of the cases is not a directory.
    NotADirectory(PathBuf),
    /// The directory contains no cases.
    NoCase(PathBuf),
    /// The directory contains cases, but no name contains the filter.
    NoCaseNamed {
        /// The directory of the cases.
        dir: PathBuf,
        /// The filter of the user.
        filter: String,
    },
    /// Reading a file or directory failed.
    Unreadable(PathBuf, io::Error),
    /// Writing or removing a file failed.
    Unwritable(PathBuf, io::Error),
    /// A file of a case is a symlink, a folder or a device.
    NotAFile(PathBuf),
    /// A symlink in a case leads out of the repository.
    LeavesRepository(PathBuf, Root),
    /// A case has two files with an expected standard output.
    TwoOutputs(PathBuf, String),
    /// `in` is a file, or a symlink to nothing.
    NoManifests(PathBuf),
    /// A folder has an expected output but is not a case.
    OutputWithoutCase(PathBuf),
    /// A manifest is outside of the folder `in` and would not be read.
    ManifestOutsideIn(PathBuf),
    /// A line of a `case` file is wrong.
    InCaseFile {
        /// The path of the `case` file.
        path: PathBuf,
        /// The line and column of the mistake.
        at: LineColumn,
        /// The mistake.
        why: LineError,
    },
    /// The case needs a program that is missing on this machine.
    NotHere(PathBuf, Message),
    /// The program could not be started for a case.
    NotStarted(PathBuf, io::Error),
}

/// A mistake in a line of a `case` file.
#[derive(Debug)]
pub enum LineError {
    /// The line is not UTF-8.
    NotUtf8,
    /// A quote is not closed.
    OpenQuote(char),
    /// A variable comes after the arguments, where it would count as one of them.
    LateVariable(String),
    /// A variable is set twice.
    SecondValue(String),
    /// A case may not set this variable.
    ForbiddenVariable(String),
    /// A part of an argument is a path that leads out of the repository.
    ArgumentElsewhere(String),
    /// A part of an argument is a path, and following it failed.
    UnreadableArgument(String, io::Error),
    /// The file has a second line with `<`.
    SecondInput,
    /// The file for standard input does not exist.
    NoSuchInput(String),
    /// The file for standard input is outside the repository.
    InputElsewhere(String, Root),
    /// The case runs `test`, and is itself run by a case.
    TestInTest,
    /// The case runs `test --update`.
    UpdateInTest,
    /// An argument or a variable is wrong, whatever the manifests are.
    Mistake(Message),
    /// The case has the mark `!`, but its arguments and variables are right.
    NotWrong,
}

impl Error {
    /// The path, the error and the `help:` line.
    fn message(&self) -> Message {
        let (path, message) = match self {
            Self::NoSuchDirectory(dir) => {
                (dir, Message::new("no such directory").help("pass the directory with the cases"))
            }
            Self::NotADirectory(path) => {
                (path, Message::new("not a directory").help("pass the directory with the cases"))
            }
            Self::NoCase(dir) => (dir, no_case(dir)),
            Self::NoCaseNamed { dir, filter } => (
                dir,
                Message::new(format!("no case has `{filter}` in its name"))
                    .help("the name of a case is its path below this directory"),
            ),
            Self::Unreadable(path, error) => (path, Message::new(format!("cannot be read: {error}"))),
            Self::Unwritable(path, error) => (path, Message::new(format!("cannot be written: {error}"))),
            Self::NotAFile(path) => (
                path,
                Message::new("not a regular file").help("a case reads and writes only regular files; replace it"),
            ),
            Self::LeavesRepository(path, root) => (path, leaves(root)),
            Self::TwoOutputs(path, other) => (
                path,
                Message::new(format!("`{other}` in this folder is an expected output too"))
                    .help("remove one of the two files"),
            ),
            Self::NoManifests(path) => {
                (path, Message::new("not a directory").help("`in` is the folder with the manifests of a case"))
            }
            Self::OutputWithoutCase(path) => (
                path,
                Message::new("an expected output, but no case")
                    .help("put the manifests into a folder `in` beside it, or remove it"),
            ),
            Self::ManifestOutsideIn(path) => (path, manifest_outside_in(path)),
            Self::InCaseFile { path, at, why } => {
                return why.message().about(format_args!("{}:{at}", shown(path)));
            }
            Self::NotHere(dir, message) => (dir, message.clone()),
            Self::NotStarted(dir, error) => (dir, Message::new(format!("the program cannot be started: {error}"))),
        };
        message.about(shown(path))
    }
}

fn no_case(dir: &Path) -> Message {
    Message::new("no case in this directory").help(format!(
        "a case is a folder with a folder `in` or a file `case` in it: put manifests into `{}`, and run with `--update` \
         to write what is expected",
        shown(&dir.join("my-job/in"))
    ))
}

fn leaves(root: &Root) -> Message {
    Message::new(format!("this symlink leads out of {root}"))
        .help("point the symlink to a folder inside it, or replace the symlink with a copy of the manifests")
}

fn manifest_outside_in(path: &Path) -> Message {
    Message::new("this manifest is beside `case`, where it is not read").help(format!(
        "put it into a folder `in`, or make it standard input with a line `< {}`",
        shown(path.file_name().unwrap_or_default().as_ref())
    ))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl LineError {
    /// The mistake and the `help:` line.
    fn message(&self) -> Message {
        match self {
            Self::NotUtf8 => Message::new("not UTF-8").help("save the file as UTF-8"),
            Self::OpenQuote(quote) => Message::new(format!("the quote `{quote}` is not closed"))
                .help("text in one kind of quotes can contain the other kind; there are no escapes"),
            Self::LateVariable(name) => {
                Message::new(format!("the variable `{name}` is below the arguments")).help("put it above them")
            }
            Self::SecondValue(name) => {
                Message::new(format!("the variable `{name}` is set twice")).help("remove one of the two lines")
            }
            Self::ForbiddenVariable(name) => Message::new(format!("the variable `{name}` cannot be set in a case"))
                .help(format!("a case can set {}", settings::variables_of_cases())),
            Self::ArgumentElsewhere(part) => {
                Message::new(format!("`{part}` is not a relative path inside the repository")).help(
                    "every argument of a case is checked as a path: it must not be absolute, and no `..` or symlink in \
                     it may lead out of the repository or into `.git`",
                )
            }
            Self::UnreadableArgument(part, error) => {
                Message::new(format!("`{part}` cannot be followed as a path: {error}"))
                    .help("every argument of a case is checked as a path; use another value")
            }
            Self::SecondInput => {
                Message::new("a second line `<`").help("a case has one standard input; remove one of the two lines")
            }
            Self::NoSuchInput(file) => Message::new(format!("`{file}`: no such file"))
                .help("write its path relative to the folder that contains `case`"),
            Self::InputElsewhere(file, root) => Message::new(format!("`{file}` is outside {root}"))
                .help("put a copy into the folder that contains `case`"),
            Self::UpdateInTest => {
                Message::new("`test --update` in a case").help("a case changes no files; remove `--update`")
            }
            Self::TestInTest => Message::new("`test` in a case that is itself run by a case")
                .help("a case can run `test`, but the cases below it cannot"),
            Self::Mistake(message) => match message.help {
                Some(_) => message.clone(),
                None => message.clone().help(ON_PURPOSE),
            },
            Self::NotWrong => Message::new("`!` before a command that is not wrong")
                .help("remove the `!`; it is for a command or a variable that is wrong on purpose"),
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
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
