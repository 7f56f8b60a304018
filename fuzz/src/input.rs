//! What a target makes of the bytes that it is given: settings, and a stream or the files of a directory. All of it is text, so that an
//! input of the corpus can be read and changed by hand.

use std::path::Path;

use rewrite::manifest::{Manifest, Reader};
use text::Origin;

/// One input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// From a first line `#! strategy application`: each a word, `-` for none.
    pub strategy: Option<String>,
    /// The name of the Application.
    pub application: Option<String>,
    /// All that follows.
    pub stream: Vec<u8>,
    /// The files, when there are lines `#=== name`, each of which begins one.
    pub files: Option<Vec<(String, Vec<u8>)>>,
}

/// The strategies; any other word is refused.
const STRATEGIES: [&str; 6] = ["auto", "hash-name", "hook", "generate-name", "replace", "keep"];

/// What a line that begins a file begins with.
const FILE: &[u8] = b"#=== ";

impl Input {
    /// Reads an input. Any bytes can be read as an input.
    pub fn of(data: &[u8]) -> Self {
        let mut input = Self { stream: data.to_vec(), ..Self::default() };
        if let Some(rest) = data.strip_prefix(b"#! ") {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = String::from_utf8_lossy(&rest[..end]).into_owned();
            let mut words = line.split_whitespace().filter(|word| *word != "-");
            input.strategy = words.next().filter(|word| STRATEGIES.contains(word)).map(ToOwned::to_owned);
            input.application = words.next().map(ToOwned::to_owned);
            input.stream = rest[(end + 1).min(rest.len())..].to_vec();
        }
        input.files = files(&input.stream);
        input
    }

    /// The input as manifests; `None` when it is not text. A file without a name is standard input.
    pub fn manifests(&self) -> Option<Vec<Manifest>> {
        let manifest = |origin: Origin, bytes: &[u8]| {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            Some(Manifest::new(origin, std::str::from_utf8(bytes).ok()?.to_owned(), Reader::Stream))
        };
        match &self.files {
            None => Some(vec![manifest(Origin::StandardInput, &self.stream)?]),
            Some(files) => {
                files.iter().map(|(name, bytes)| manifest(Origin::File(Path::new(name).into()), bytes)).collect()
            }
        }
    }
}

fn files(stream: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let rest = stream.strip_prefix(FILE)?;
    let separator = [b"\n", FILE].concat();
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    let mut start = 0;
    let mut ends: Vec<usize> = memchr::memmem::find_iter(rest, &separator).collect();
    ends.push(rest.len());
    for end in ends.into_iter().take(8) {
        let part = rest.get(start..end)?;
        let newline = memchr::memchr(b'\n', part).unwrap_or(part.len());
        let name: String = String::from_utf8_lossy(&part[..newline])
            .chars()
            .filter(|found| found.is_ascii_alphanumeric() || matches!(found, '.' | '-' | '_'))
            .collect();
        // The newline before the next marker belongs to the file.
        let content =
            [&part[(newline + 1).min(part.len())..], if end < rest.len() { &b"\n"[..] } else { b"" }].concat();
        if !matches!(name.as_str(), "" | "." | "..") && !found.iter().any(|(other, _)| *other == name) {
            found.push((name, content));
        }
        start = end + separator.len();
    }
    (!found.is_empty()).then_some(found)
}
