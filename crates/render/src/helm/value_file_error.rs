//! Why a value file or a file parameter is not passed to helm.

use std::fmt;

use checkout::{LFS_HELP, ONLY_A_POINTER};
use text::Message;

use crate::tool::Lack;

/// A value file or a file parameter is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueFileError {
    /// The parameter that contains the entry.
    pub(super) parameter: &'static str,
    /// The entry as the user wrote it.
    pub(super) entry: String,
    /// The reason.
    pub(super) problem: Problem,
}

/// Why an entry is refused. Paths are relative to the root of the repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The entry is `$name/…`, but no source has this `ref`.
    Reference,
    /// The URL scheme is not on the platform owner's list.
    Scheme(String),
    /// The URL scheme is on the list, but helm supports it only with a plugin.
    SchemeOfPlugin(String),
    /// The entry is a URL, but the network is not allowed.
    NoNetwork,
    /// helm would not read this character as a part of the path.
    Character(char),
    /// The path leads out of the repository by `..`.
    Outside,
    /// The path, or a file that a glob matches, goes through a symlink that leads out of the repository.
    LeadsOutside(String),
    /// The path leads into `.git`.
    Git,
    /// Nothing exists at the path, which is relative to this directory.
    Missing { path: String, relative_to: String },
    /// The path is a directory.
    Directory(String),
    /// The path is a pipe, a socket or a device.
    NotRegular(String),
    /// The file at this path is only a pointer of Git LFS.
    Pointer(String),
    /// The path has too many symlinks.
    TooManyLinks(String),
    /// The operating system does not allow reading the path.
    Unreadable { path: String, why: String },
    /// No file matches the glob.
    NoMatch,
    /// The glob is malformed.
    BadPattern,
    /// The glob uses syntax that this program does not support.
    UnsupportedPattern,
    /// Expanding the glob takes too much work.
    TooMuch,
    /// The name of a file is not UTF-8.
    NotUnicode(String),
    /// helm would read more than the name from the name of a file parameter.
    Name(String),
}

impl ValueFileError {
    /// Whether Argo CD may have the file: it has the network, and fetches what Git LFS keeps.
    pub(super) fn is_only_here(&self) -> bool {
        matches!(self.problem, Problem::NoNetwork | Problem::Pointer(_))
    }

    /// What is missing.
    pub(super) fn lack(&self) -> Option<Lack> {
        match self.problem {
            Problem::NoNetwork => Some(Lack::Network),
            Problem::Missing { .. } | Problem::NoMatch => Some(Lack::File(self.entry.clone())),
            _ => None,
        }
    }

    /// The message, with its `help:` line.
    pub(super) fn message(&self) -> Message {
        let entry = &self.entry;
        let about = format!("`{entry}` ({})", self.parameter);
        let says = |text: &str| Message::new(format!("{about} {text}"));
        let place = |path: &str| if path == self.entry { String::new() } else { format!(" `{path}`") };
        match &self.problem {
            Problem::Reference => Message::new(format!(
                "{about}: Argo CD passes the other sources of an Application only to its own Helm, not to a plugin"
            ))
            .help("put the file into this repository, or its content into `helm-values`"),
            Problem::Scheme(scheme) => {
                says(&format!("is refused: the URL scheme `{scheme}` is not allowed"))
                    .help("the allowed schemes are set by `ARGOCD_JOBS_HELM_VALUES_FILE_SCHEMES`")
            }
            Problem::SchemeOfPlugin(scheme) => {
                says(&format!("is refused: only a Helm plugin supports the URL scheme `{scheme}`"))
                    .help("Helm plugins are never run; use `https`, or put the file into this repository")
            }
            Problem::NoNetwork => says("is refused: the network is not allowed")
                .help("put the file into this repository, or allow the network with `--network allow` (`ARGOCD_JOBS_NETWORK`)"),
            Problem::Character(found) => says(&format!("has {} in its path, which helm does not accept", named(*found)))
                .help("rename the file or folder; in a URL, write the code of the character (`%2C` for a comma)"),
            Problem::Outside => says("is outside the repository").help(HELP_INSIDE),
            Problem::LeadsOutside(path) => {
                says(&format!("is refused: the symlink{} leads out of the repository", place(path))).help(HELP_INSIDE)
            }
            Problem::Git => says("is refused: it is in `.git`, which is not part of a revision").help(HELP_INSIDE),
            Problem::Missing { path, relative_to } => says(&format!(
                "does not exist: there is no{} in {}",
                if place(path).is_empty() { " such file".to_owned() } else { place(path) },
                if relative_to.is_empty() {
                    "the repository".to_owned()
                } else {
                    format!("`{relative_to}`")
                }
            ))
            .help(HELP_MISSING),
            Problem::Directory(path) => says(&format!("is refused:{} is a directory", subject(place(path))))
                .help("list the files, one by one or with a glob such as `env/*.yaml`"),
            Problem::NotRegular(path) => says(&format!("is refused:{} is not a regular file", subject(place(path))))
                .help("replace it with a regular file"),
            Problem::Pointer(path) => {
                says(&format!("cannot be read:{} {ONLY_A_POINTER}", place(path))).help(LFS_HELP)
            }
            Problem::TooManyLinks(path) => {
                says(&format!("is refused:{} goes through too many symlinks", subject(place(path))))
                    .help("replace the link with the file itself")
            }
            Problem::Unreadable { path, why } => says(&format!("cannot be read:{} {why}", place(path))),
            Problem::NoMatch => says("matches no file").help(HELP_MISSING),
            Problem::BadPattern => says("is a malformed glob")
                .help("close every `[` and `{`"),
            Problem::UnsupportedPattern => says("is a glob that only Argo CD can read").help(
                "use `*`, `**`, `?`, `{a,b}`, and classes such as `[abc]` or `[a-z]`, without a backslash, and in braces without `/`, `**` and other braces",
            ),
            Problem::TooMuch => says("is a glob that takes too long")
                .help("use fewer `**` and `{…}`, and begin with the folder of the files"),
            Problem::NotUnicode(path) => {
                says(&format!("is refused: the name{} is not UTF-8", place(path))).help("rename the file")
            }
            Problem::Name(name) => Message::new(format!(
                "the name `{}` ({}) is refused: helm would split it, and read a file that the name chooses",
                name,
                self.parameter
            ))
            .help("write `\\=` for an equals sign and `\\,` for a comma, and do not end the name with `\\`"),
        }
    }
}

impl fmt::Display for ValueFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

const HELP_INSIDE: &str = "put the file into this repository, or its content into `helm-values`";
const HELP_MISSING: &str = "a path is relative to the chart, or with a leading `/` to the repository; `helm.ignoreMissingValueFiles` skips \
    missing files; in Argo CD, `manifest-generate-paths` and the tar exclusions of repo-server can keep a file from plugins";

fn subject(place: String) -> String {
    if place.is_empty() { " it".to_owned() } else { place }
}

fn named(found: char) -> String {
    match found {
        ',' => "a comma".to_owned(),
        '"' => "a double quote".to_owned(),
        '\n' | '\r' => "a line break".to_owned(),
        found if found.is_control() => format!("the control character U+{:04X}", u32::from(found)),
        found => format!("`{found}`"),
    }
}
