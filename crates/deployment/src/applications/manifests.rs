//! Finds the Applications in the text of a file: in all its documents, also inside lists.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use applicationset::Expansion;
use goyaml::documents::{self, Form};
use goyaml::{Document, Node, RefusedBy, SyntaxError, Tree};
use kube_jobs::kubernetes::list;
use rewrite::manifest::{Manifest, Reader};
use text::{Lines, Origin, Place, Span};

use super::application::{self, Found};
use super::{Checkout, Declaration, Declared, Removal, Skipped, SkippedBecause, sets};

/// The API group of Applications.
const GROUP: &str = "argoproj.io/";

/// Whether a text may contain an Application or an ApplicationSet. If not, it need not be read.
pub fn may_have_applications(text: &str) -> bool {
    goyaml::may_contain(text, "Application")
}

/// Whether a text that is no YAML looks as if it was meant to have Applications: a template of them, or one with a mistake.
pub fn mentions_applications(text: &str) -> bool {
    text.contains(GROUP) && text.contains("Application")
}

/// Whether a template can print an Application or an ApplicationSet: one that only names them, as a CustomResourceDefinition or the list of a project does,
/// has `apiVersion` and `kind` at different depths. A kind that is an action itself can be any.
pub fn is_template_of_applications(template: &str) -> bool {
    let fields = |key: &'static str| {
        template.lines().filter_map(move |line| {
            let field = line.trim_start_matches([' ', '-', '{']);
            let (name, value) = field.split_once(':')?;
            let value = value.trim().trim_matches(['"', '\'', ',']);
            (name.trim_matches(['"', '\'']) == key).then(|| (line.len() - field.len(), value))
        })
    };
    let depths: BTreeSet<usize> =
        fields("apiVersion").filter(|(_, value)| value.starts_with(GROUP)).map(|(depth, _)| depth).collect();
    let is_of_kind = |kind: &str| matches!(kind, "Application" | "ApplicationSet") || kind.starts_with("{{");
    // A flow map has both on one line.
    let is_flow = |line: &str| line.contains(GROUP) && line.contains("kind: Application");
    fields("kind").any(|(depth, kind)| depths.contains(&depth) && is_of_kind(kind)) || template.lines().any(is_flow)
}

/// Reads the Applications and ApplicationSets in some files; ignores other objects. Each file has the path that
/// messages show, and its text.
pub fn read(files: &[(PathBuf, String)], checkout: &Checkout) -> Declared {
    let mut declared = Declared::default();
    for (path, text) in files.iter().filter(|(_, text)| may_have_applications(text)) {
        let lines = Lines::of(text);
        let place = |offset| Place::new(Origin::File(path.as_path().into()), lines.at(text, offset));
        of_text(&Text { text, form: Form::of_file(path), place: &place }, checkout, &mut declared);
    }
    declared
}

/// Reads the Applications and ApplicationSets among the manifests that a source renders.
pub fn rendered(manifests: &[Manifest], checkout: &Checkout) -> Declared {
    let mut declared = Declared::default();
    for (index, manifest) in manifests.iter().enumerate() {
        if !may_have_applications(&manifest.text) {
            continue;
        }
        let before = declared.broken_sets.len();
        let place = |offset| manifest.place(offset);
        let form = if manifest.reader == Reader::DirectoryJson { Form::Json } else { Form::Stream };
        of_text(&Text { text: &manifest.text, form, place: &place }, checkout, &mut declared);
        declared.broken_sets[before..].iter_mut().for_each(|set| set.manifest = index);
    }
    declared
}

/// A text with YAML documents.
struct Text<'t> {
    text: &'t str,
    form: Form,
    /// Converts the offset of a byte to a place.
    place: &'t dyn Fn(usize) -> Place,
}

impl Text<'_> {
    /// Adds what cannot be read: Argo CD refuses it too, and it looks like an Application, or Argo CD may find one in it.
    fn skip(&self, error: SyntaxError, piece: Span, declared: &mut Declared) {
        let is_meant = if error.by == RefusedBy::ArgoCd { mentions_applications } else { may_have_applications };
        if is_meant(piece.of(self.text)) {
            let place = (self.place)(error.offset);
            let declaration = Some(Arc::new(Declaration::of_text(self.text)));
            let why = SkippedBecause::of_syntax(error);
            let removal = Removal::default();
            declared.skipped.push(Skipped { place, name: String::new(), why, declaration, removal, set: None });
        }
    }
}

fn of_text(file: &Text<'_>, checkout: &Checkout, declared: &mut Declared) {
    documents::each(file.text, file.form, may_have_applications, |span, read| match read {
        Ok(document) => of_document(document, file, span.start, checkout, declared),
        Err(error) => file.skip(error, span, declared),
    });
}

/// Reads the Applications of a document that begins at the byte `start` of its file.
fn of_document(document: Document<'_>, file: &Text<'_>, start: usize, checkout: &Checkout, declared: &mut Declared) {
    let at = |offset: usize| (file.place)(start + offset);
    for (_, node) in list::objects(document) {
        let is_of_group = node.text_at(&["apiVersion"]).is_some_and(|version| version.starts_with(GROUP));
        match node.text_at(&["kind"]).filter(|_| is_of_group) {
            Some("Application") => {
                application::read(&Found { node, place: &at }, checkout, declared);
            }
            Some("ApplicationSet") => {
                let offset = node.span().start;
                of_set(node, start + offset, &at(offset), checkout, declared);
            }
            _ => {}
        }
    }
}

/// Reads the Applications that an ApplicationSet generates, which begins at the byte `offset` of its file. Their place is
/// that of the ApplicationSet.
fn of_set(node: Node<'_>, offset: usize, place: &Place, checkout: &Checkout, declared: &mut Declared) {
    let name = node.text_at(&["metadata", "name"]).unwrap_or_default().to_owned();
    declared.sets.insert(name.clone());
    let declaration = OnceCell::new();
    let skipped = |why| {
        let declaration = declaration.get_or_init(|| Arc::new(Declaration::of(node, checkout)));
        let declaration = Some(Arc::clone(declaration));
        Skipped { place: place.clone(), name: name.clone(), why, declaration, removal: Removal::default(), set: None }
    };
    let made = match sets::made(node, checkout) {
        Ok(made) => made,
        Err(why) => return declared.skipped.push(skipped(why)),
    };
    let Expansion { applications, problems, is_left_alone } = made.expansion;
    declared.broken_sets.extend(problems.iter().filter_map(|one| sets::broken(one, is_left_alone, offset)));
    declared.skipped.extend(problems.into_iter().map(|one| skipped(sets::skipped(one.problem, is_left_alone))));
    if is_left_alone {
        return;
    }
    let policy = Arc::new(made.policy);
    let mut tree = Tree::default();
    for generated in applications {
        let text = generated.application.to_string();
        let (before, skipped_before) = (declared.sources.len(), declared.skipped.len());
        match tree.read(&text) {
            Ok(document) => {
                let at = |_| place.clone();
                for (_, node) in list::objects(document) {
                    application::read(&Found { node, place: &at }, checkout, declared);
                }
            }
            Err(error) => declared.skipped.push(skipped(SkippedBecause::of_syntax(error))),
        }
        let is_missing = |skipped: &Skipped| matches!(skipped.why, SkippedBecause::NoSuchDirectory(_));
        if generated.is_assumed && declared.skipped[skipped_before..].iter().any(is_missing) {
            // There may be no cluster for which it would be generated, so a missing folder is not an error.
            declared.skipped.truncate(skipped_before);
            declared.skipped.push(skipped(SkippedBecause::NeedsClusters));
        }
        for source in &mut declared.sources[before..] {
            source.set = Some((Arc::clone(&policy), generated.is_assumed));
        }
        for skipped in &mut declared.skipped[skipped_before..] {
            skipped.set = Some(Arc::clone(&policy));
        }
    }
}
