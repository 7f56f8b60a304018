//! The text of a file that is not read as part of a source, decoded as Argo CD does it.

use std::path::Path;

use checkout::encoding::{Utf16, decode};

use crate::search::MAX_FILE;

/// What reading a path gave.
pub(crate) enum FileText {
    /// The text of the file, in UTF-8, or in UTF-16 with a byte order mark. Invalid bytes are U+FFFD, as in Argo CD.
    Text(String),
    /// There is no file, or it is not a regular one.
    NoFile,
    /// A file that this program cannot read, for this reason. Argo CD may.
    NotRead(String),
}

impl FileText {
    pub(crate) fn of(path: &Path) -> Self {
        if !path.is_file() {
            return Self::NoFile;
        }
        match checkout::files::read(path, MAX_FILE) {
            Ok(Some(bytes)) => Self::Text(decode(bytes, Utf16::Decode).unwrap_or_else(|failure| failure.lossy)),
            Ok(None) => Self::NotRead(format!("it is larger than {} MiB, a limit of argocd-jobs", MAX_FILE >> 20)),
            Err(error) => Self::NotRead(error.to_string()),
        }
    }

    /// The text. None if there is no file, or if it cannot be read.
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::NoFile | Self::NotRead(_) => None,
        }
    }
}
