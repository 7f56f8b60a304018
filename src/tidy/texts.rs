//! The list of all texts that users can read, so that a change of a sentence is seen in review, next to all other sentences.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::{keep, source_files};

const HEAD: &str =
    "# Every text of the program, in the order of the files. Made of src by `UPDATE=1 cargo test --lib`.\n";

#[test]
fn the_list_of_texts_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut list = String::new();
    for path in source_files().iter().filter(|path| !is_for_tests(path)) {
        let texts = texts(&fs::read_to_string(path).unwrap());
        if !texts.is_empty() {
            let name = path.strip_prefix(root).unwrap().display();
            writeln!(list, "\n## {name}\n\n{}", texts.join("\n")).unwrap();
        }
    }
    keep("testdata/texts.txt", HEAD, "\0", &list);
}

fn is_for_tests(path: &Path) -> bool {
    // Below the repository only: the folder that holds it may have any name.
    let path: PathBuf = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().with_extension("");
    path.iter().any(|part| part == "tests" || part == "tidy")
}

/// A piece of Rust, as far as it matters for finding string literals.
enum Piece {
    Text(String),
    Open,
    Close,
    /// A semicolon or a comma, either of which can end what an attribute is about.
    End,
    Attribute,
    Other,
}

/// The string literals of a file that users can read: with a letter and a blank, outside attributes, comments and tests.
fn texts(source: &str) -> Vec<String> {
    let (mut rest, mut depth, mut found) = (source, 0_usize, Vec::new());
    // The depths at which an attribute began, and what only tests compile.
    let (mut attribute, mut test) = (None, None);
    while !rest.is_empty() {
        let (piece, length) = piece(rest);
        match piece {
            Piece::Text(text) if attribute.is_none() && test.is_none() && is_read(&text) => found.push(text),
            Piece::Attribute => {
                if test.is_none() && rest.starts_with("#[cfg(test)]") {
                    test = Some(depth);
                }
                attribute = attribute.or(Some(depth));
                depth += 1;
            }
            Piece::Open => depth += 1,
            Piece::Close => {
                depth -= 1;
                if attribute == Some(depth) {
                    attribute = None;
                } else if test.is_some_and(|from| depth < from || depth == from && rest.starts_with('}')) {
                    test = None;
                }
            }
            Piece::End if attribute.is_none() && test == Some(depth) => test = None,
            Piece::Text(_) | Piece::End | Piece::Other => {}
        }
        rest = &rest[length..];
    }
    found
}

/// True of a text with a letter and a blank, of which placeholders have none.
fn is_read(text: &str) -> bool {
    let words: String = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after)).collect();
    text.contains(' ') && words.chars().any(char::is_alphabetic)
}

/// The first piece of a source that is not empty, and its length in bytes.
fn piece(source: &str) -> (Piece, usize) {
    let to = |end: &str| source.find(end).map_or(source.len(), |at| at + end.len());
    let first = source.chars().next().unwrap();
    let word = source.find(|found: char| !found.is_alphanumeric() && found != '_').unwrap_or(source.len());
    let (prefix, after) = source.split_at(word);
    match first {
        '/' if source.starts_with("//") => (Piece::Other, to("\n")),
        '/' if source.starts_with("/*") => (Piece::Other, to("*/")),
        '#' if source.starts_with("#[") => (Piece::Attribute, 2),
        '#' if source.starts_with("#![") => (Piece::Attribute, 3),
        '(' | '[' | '{' => (Piece::Open, 1),
        ')' | ']' | '}' => (Piece::Close, 1),
        ';' | ',' => (Piece::End, 1),
        '\'' => (Piece::Other, character(source)),
        '"' => escaped(source),
        _ if matches!(prefix, "r" | "br") => {
            let hashes = &after[..after.len() - after.trim_start_matches('#').len()];
            let Some(text) = after[hashes.len()..].strip_prefix('"') else { return (Piece::Other, word) };
            let end = format!("\"{hashes}");
            let length = text.find(&end).unwrap();
            (Piece::Text(text[..length].replace('\n', "\\n")), word + 2 * end.len() + length)
        }
        _ => (Piece::Other, word.max(first.len_utf8())),
    }
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(source: &str) -> usize {
    let inside = &source[1..];
    let first = inside.chars().next().unwrap();
    match inside.strip_prefix('\\') {
        Some(escape) => 3 + escape[1..].find('\'').unwrap() + 1,
        None if inside[first.len_utf8()..].starts_with('\'') => 2 + first.len_utf8(),
        None => 1,
    }
}

/// A literal in quotes. Escapes are left as they are, so that a text is one line.
fn escaped(source: &str) -> (Piece, usize) {
    let (mut text, mut at) = (String::new(), 1);
    while !source[at..].starts_with('"') {
        let next = source[at..].chars().next().unwrap();
        at += next.len_utf8();
        if next != '\\' {
            text.push_str(&if next == '\n' { "\\n".to_owned() } else { next.to_string() });
            continue;
        }
        let escape = &source[at..];
        match escape.chars().next().unwrap() {
            '\n' => at += escape.len() - escape.trim_start().len(),
            '"' => (text.push('"'), at += 1).1,
            other => (text.extend(['\\', other]), at += other.len_utf8()).1,
        }
    }
    (Piece::Text(text), at + 1)
}

#[test]
fn a_text_is_found_whatever_is_around_it() {
    let source = "//! a b\n#[x(reason = \"a ] b\")]\nconst A: &'static str = \"one \\\n   \\\"two\\\" {}\\n\"; // c \"d e\"\n\
        let b = ['\"', '\\'', 'x']; r#\"a \"raw\" one\"#; b\"\"; \"{a b}\"; r#in; \"no\";\n\
        #[cfg(test)]\nmod tests { #[test] fn f() { \"c d\"; } }\n#[cfg(test)]\nmod g;\nf(\"last one\")\n";
    assert_eq!(texts(source), ["one \"two\" {}\\n", "a \"raw\" one", "last one"]);
}
