//! Refuses YAML in settings that has a repeated key in a map, or a second document.

use std::collections::HashSet;

use goyaml::{Document, Node, Path, Step};

/// A fault, and the offset in bytes where it is.
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) message: String,
    /// The key, when the fault is a repeated key.
    pub(super) repeated: Option<String>,
}

/// The first fault in `document`; `name` is what messages call the document.
pub(super) fn fault(document: Document<'_>, name: &str) -> Option<Fault> {
    if let Some((offset, key)) = repeated_key(document) {
        return Some(Fault { offset, message: format!("the key `{key}` is set twice"), repeated: Some(key) });
    }
    let offset = second_document(document)?;
    Some(Fault { offset, message: format!("{name} has a second YAML document here, expected one"), repeated: None })
}

/// The offset of the value at a path, or of its key. If there is no such value, the offset of the last value on the
/// way.
pub(super) fn offset(root: Node<'_>, path: &Path, is_key: bool) -> usize {
    let parent: Path = path.steps().split_last().map_or(&[][..], |(_, parent)| parent).iter().cloned().collect();
    if let (true, Some(Step::Key(last))) = (is_key, path.steps().last()) {
        let entries = root.follow(&parent).0.target().entries();
        if let Some((key, _)) = entries.into_iter().find(|(key, _)| key.target().content() == last) {
            return key.span().start;
        }
    }
    root.follow(path).0.span().start
}

/// The first repeated key and its offset.
fn repeated_key(document: Document<'_>) -> Option<(usize, String)> {
    let content = |key: Node<'_>| key.target().content().to_owned();
    document.nodes().find_map(|map| {
        let mut seen = HashSet::new();
        let key = map.entries().map(|(key, _)| key).find(|key| !seen.insert(content(*key)))?;
        Some((key.span().start, content(key)))
    })
}

/// The offset of the first line of a second document.
fn second_document(document: Document<'_>) -> Option<usize> {
    let text = document.text();
    let end = document.root()?.span().end;
    let mut offset = end;
    for line in text[end..].split_inclusive('\n') {
        if line.starts_with("---") {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use goyaml::Tree;

    fn told(text: &str) -> Option<(usize, String)> {
        fault(Tree::default().read(text).unwrap(), "the file").map(|fault| (fault.offset, fault.message))
    }

    #[test]
    fn a_second_document_is_found_where_it_begins() {
        let message = "the file has a second YAML document here, expected one";
        for (text, offset) in [
            ("a: 1\n---\nb: 2\n", 5),
            ("a: 1\n# c\n\n--- {b: 2}\n", 10),
            ("---\na: 1\n---\n", 9),
            ("--- ~\n---\na: 1\n", 6),
            ("---\n---\na: 1\n", 4),
            ("---\n# c\n---\n", 8),
        ] {
            assert_eq!(told(text), Some((offset, message.to_owned())), "{text:?}");
        }
        for text in
            ["", "# c\n", "---\n", "--- # c\n", "---\na: 1\n", "%YAML 1.1\n---\n", "# c\n---\n", "a: |\n  ---\n"]
        {
            assert_eq!(told(text), None, "{text:?}");
        }
    }
}
