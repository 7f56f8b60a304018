//! The text of a file that no source was read for, as Argo CD decodes it.

use std::path::Path;

use checkout::encoding::{Utf16, decode};

use crate::search::MAX_FILE;

/// What is at a path.
pub(crate) enum FileText {
    /// A text, also one in UTF-16 with a byte order mark. Bytes that are no characters are U+FFFD, as for Argo CD.
    Text(String),
    /// Nothing, or anything else than a regular file.
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

    /// The text; none if there is none, or if it cannot be read.
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::NoFile | Self::NotRead(_) => None,
        }
    }
}
