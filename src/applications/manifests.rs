//! Finds the Applications in the text of a file: in its documents and lists.

use std::path::{Path, PathBuf};

use super::application::{self, Found};
use super::{Checkout, Declared, Skipped, SkippedBecause};
use crate::kubernetes::list;
use crate::text::{LineColumn, Lines, Origin, Place};
use crate::yaml::split::split;
use crate::yaml::{Document, SyntaxError, Tree};

/// The API group of Applications.
const GROUP: &str = "argoproj.io/";

/// True for a text in which an Application or an ApplicationSet can be; looks for words only.
pub fn may_have_applications(text: &str) -> bool {
    text.contains(GROUP) && text.contains("Application")
}

/// Reads the Applications in some files, each with its path as messages call it and its text. What is neither an Application nor an
/// ApplicationSet is passed over.
pub fn read(files: &[(PathBuf, String)], checkout: &Checkout) -> Declared {
    let mut declared = Declared::default();
    let mut tree = Tree::default();
    for (path, text) in files.iter().filter(|(_, text)| may_have_applications(text)) {
        let file = File { path, text, lines: Lines::of(text) };
        let pieces = split(text);
        for span in (0..pieces.len()).map(|index| pieces.span(index)) {
            let piece = span.of(text);
            if !may_have_applications(piece) {
                continue;
            }
            match tree.read(piece) {
                Ok(document) => of_document(document, &file, span.start, checkout, &mut declared),
                Err(error) => declared.skipped.push(file.broken(error.shifted(span.start))),
            }
        }
        if let Some(error) = pieces.error {
            declared.skipped.push(file.broken(error));
        }
    }
    declared
}

/// One file.
struct File<'f> {
    path: &'f Path,
    text: &'f str,
    lines: Lines,
}

impl File<'_> {
    fn place(&self, offset: usize) -> Place {
        let at: LineColumn = self.lines.at(self.text, offset);
        Place::new(Origin::File(self.path.into()), at)
    }

    fn broken(&self, error: SyntaxError) -> Skipped {
        let why = SkippedBecause::Broken(error.message);
        Skipped { place: self.place(error.offset), name: String::new(), why }
    }
}

/// The Applications of a document, which begins at the byte `start` of its file.
fn of_document(document: Document<'_>, file: &File<'_>, start: usize, checkout: &Checkout, declared: &mut Declared) {
    let at = |offset: usize| file.place(start + offset);
    for (_, node) in list::objects(document) {
        let is_of_group = node.text_at(&["apiVersion"]).is_some_and(|version| version.starts_with(GROUP));
        match node.text_at(&["kind"]).filter(|_| is_of_group) {
            Some("Application") => {
                application::read(&Found { node, place: &at }, checkout, declared);
            }
            Some("ApplicationSet") => {
                let name = node.text_at(&["metadata", "name"]).unwrap_or_default().to_owned();
                declared.skipped.push(Skipped {
                    place: at(node.span().start),
                    name,
                    why: SkippedBecause::ApplicationSet,
                });
            }
            _ => {}
        }
    }
}
