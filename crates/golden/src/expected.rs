//! The expectations of a case: `stdout.<ext>`, `stderr.txt` and `status`. A missing file stands for no output, or for
//! exit status 0.

use std::path::PathBuf;
use std::{fmt, fs};

use confined::Output;
use text::{Message, diff, visible_lines};

use super::case::{self, Case};
use super::error::Error;
use super::shown;

/// The number of unchanged lines shown around each difference.
const CONTEXT: usize = 3;

/// The three files with expectations.
#[derive(Debug)]
pub(super) struct Expected {
    stdout: Part,
    stderr: Part,
    status: Part,
}

/// One of the files; its content is `None` when it does not exist.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    content: Option<Vec<u8>>,
}

/// What `--update` did to a file.
#[derive(Debug)]
pub(crate) enum Change {
    Written(PathBuf),
    Removed(PathBuf),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(path) => write!(f, "{}: written", shown(path)),
            Self::Removed(path) => write!(f, "{}: removed", shown(path)),
        }
    }
}

/// Reads the files with the expectations of a case.
pub(super) fn read(case: &Case) -> Result<Expected, Error> {
    let part = |path: PathBuf| Ok(Part { content: case::file(&path)?, path });
    Ok(Expected {
        stdout: part(case.stdout.clone())?,
        stderr: part(case.dir.join("stderr.txt"))?,
        status: part(case.dir.join("status"))?,
    })
}

impl Expected {
    /// True when none of the files exists: either nobody has written an expectation, or the case is expected to print
    /// nothing.
    pub(super) fn is_empty(&self) -> bool {
        [&self.stdout, &self.stderr, &self.status].into_iter().all(|part| part.content.is_none())
    }

    /// Whether output and status are as expected.
    pub(super) fn is_met_by(&self, output: &Output) -> bool {
        let status = status(output);
        self.with(output, &status).into_iter().all(|(part, got)| part.content.as_deref().unwrap_or_default() == got)
    }

    /// The differences as text; empty when output and status are as expected.
    pub(super) fn differences(&self, output: &Output) -> String {
        let status = status(output);
        self.with(output, &status).into_iter().filter_map(|(part, got)| part.difference(got)).collect()
    }

    /// Writes output and status into the files, and returns the files that changed.
    pub(super) fn update(&self, output: &Output) -> Result<Vec<Change>, Error> {
        let status = status(output);
        let changes = self.with(output, &status).into_iter().map(|(part, got)| part.update(got));
        changes.filter_map(Result::transpose).collect()
    }

    /// The files, each with the part of the output that belongs in it.
    fn with<'a>(&'a self, output: &'a Output, status: &'a str) -> [(&'a Part, &'a [u8]); 3] {
        [(&self.stdout, &output.stdout), (&self.stderr, &output.stderr), (&self.status, status.as_bytes())]
    }
}

fn status(output: &Output) -> String {
    match output.status {
        Some(0) => String::new(),
        Some(code) => format!("{code}\n"),
        None => "ended by a signal\n".to_owned(),
    }
}

impl Part {
    fn difference(&self, got: &[u8]) -> Option<String> {
        let want = self.content.as_deref().unwrap_or_default();
        if want == got {
            return None;
        }
        let path = shown(&self.path);
        let texts = [want, got].map(|text| visible_lines(&String::from_utf8_lossy(text)).into_owned());
        let missing = if self.content.is_none() { " (missing)" } else { "" };
        let text = diff::unified(&texts[0], &texts[1], &format!("{path}{missing}"), "got", CONTEXT);
        Some(if text.is_empty() { format!("{path}: differs in bytes that cannot be shown\n") } else { text })
    }

    /// Writes the file; removes it when there is no output.
    fn update(&self, got: &[u8]) -> Result<Option<Change>, Error> {
        let path = self.path.clone();
        let (done, change) = match &self.content {
            None if got.is_empty() => return Ok(None),
            Some(_) if got.is_empty() => (fs::remove_file(&path), Change::Removed(path)),
            Some(content) if content == got => return Ok(None),
            _ => (fs::write(&path, got), Change::Written(path)),
        };
        let unwritable = |error| Error::about(&self.path, Message::new(format!("cannot be written: {error}")));
        done.map(|()| Some(change)).map_err(unwritable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(content: Option<&[u8]>) -> Part {
        Part { path: PathBuf::from("a/stdout.yaml"), content: content.map(<[u8]>::to_vec) }
    }

    #[test]
    fn bytes_are_compared() {
        assert_eq!(part(Some(b"a\n")).difference(b"a\n"), None);
        assert_eq!(part(None).difference(b""), None);
        assert_eq!(
            part(Some(b"a\n")).difference(b"a\r\n").unwrap(),
            "--- a/stdout.yaml\n+++ got\n@@ -1 +1 @@\n-a\n+a\\r\n"
        );
        assert_eq!(
            part(None).difference(b"\x1b[1m\n").unwrap(),
            "--- a/stdout.yaml (missing)\n+++ got\n@@ -0,0 +1 @@\n+\\u{1b}[1m\n"
        );
        assert_eq!(
            part(None).difference("a\tb\u{9b}1m\u{202e}\n".as_bytes()).unwrap(),
            "--- a/stdout.yaml (missing)\n+++ got\n@@ -0,0 +1 @@\n+a\tb\\u{9b}1m\\u{202e}\n"
        );
        assert_eq!(
            part(Some(b"\xff\n")).difference(b"\xfe\n").unwrap(),
            "a/stdout.yaml: differs in bytes that cannot be shown\n"
        );
    }
}
