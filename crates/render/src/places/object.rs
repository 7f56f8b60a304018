//! Searches a manifest for the source of an object that kustomize has changed: by kind and name, then by the path of
//! keys in the object.

use goyaml::{KeptDocument, Node, Tree};
use kube_jobs::kubernetes::list;
use text::{LineColumn, Lines, Span};

use crate::places::{Known, pieces};

#[derive(Debug)]
pub(super) struct Objects {
    text: String,
    lines: Lines,
    /// Each document, with the offset of its first byte.
    documents: Vec<(usize, KeptDocument)>,
}

/// A step from an object to a value in it.
enum Step<'t> {
    Key(&'t str),
    /// The index of an item, and its name if it has one: kustomize sorts and merges lists by name.
    Item(usize, Option<&'t str>),
}

/// The end of a path.
struct End<'t> {
    steps: Vec<Step<'t>>,
    /// True when the path ends at the key of the last step, not at its value.
    is_key: bool,
    value: Node<'t>,
}

impl Objects {
    /// Parses the text of a file. A document that is not valid YAML counts as empty.
    pub(super) fn read(text: &str) -> Self {
        let read = |piece: Span| {
            let objects = KeptDocument::read(piece.of(text), |document| {
                list::objects(document).into_iter().map(|(_, node)| node).collect()
            });
            Some((piece.start, objects.ok()?))
        };
        let documents = pieces(text).into_iter().filter_map(read).collect();
        Self { text: text.to_owned(), lines: Lines::of(text), documents }
    }

    /// The place from which the byte `inside` of the document `rendered` was made.
    pub(super) fn find(&self, rendered: &str, inside: usize) -> Option<Known> {
        self.find_in(rendered, inside, &|name, own| name.contains(own))
    }

    /// The same in a file that may have a part of the object: there a similar name can be that of another object, so only a prefix may be added to it.
    pub(super) fn find_part(&self, rendered: &str, inside: usize) -> Option<Known> {
        self.find_in(rendered, inside, &|name, own| name.ends_with(own))
    }

    fn find_in(&self, rendered: &str, inside: usize, is_made_of: &dyn Fn(&str, &str) -> bool) -> Option<Known> {
        let mut tree = Tree::default();
        let root = tree.read(rendered).ok()?.root()?;
        let (start, object) = self.object(root, is_made_of)?;
        let value = end(root, inside).and_then(|end| value_of(object, &end));
        Some(match value {
            Some(node) => {
                let offset = start + node.span().start;
                let line = |text: &str, at| line_around(text, at).trim().to_owned();
                let is_same = line(&self.text, offset) == line(rendered, inside);
                Known::Line { at: self.at(offset), is_same }
            }
            None => {
                let name = object.at(&["metadata", "name"]).unwrap_or(object);
                Known::Object(self.at(start + name.span().start))
            }
        })
    }

    /// The object of the same kind with the same name, or with a name that is a part of the rendered one, because
    /// kustomize may add a prefix or suffix.
    fn object(&self, rendered: Node<'_>, is_made_of: &dyn Fn(&str, &str) -> bool) -> Option<(usize, Node<'_>)> {
        let kind = rendered.text_at(&["kind"])?;
        let name = rendered.text_at(&["metadata", "name"])?;
        let all = self.documents.iter().flat_map(|(start, document)| document.nodes().map(|node| (*start, node)));
        let all: Vec<(usize, Node<'_>)> = all.filter(|(_, node)| node.text_at(&["kind"]) == Some(kind)).collect();
        let named = |is_so: &dyn Fn(&str) -> bool| {
            let is_so = |(_, node): &&(usize, Node<'_>)| node.text_at(&["metadata", "name"]).is_some_and(is_so);
            let mut found = all.iter().filter(is_so);
            found.next().copied().filter(|_| found.next().is_none())
        };
        named(&|own| own == name).or_else(|| named(&|own| is_made_of(name, own)))
    }

    fn at(&self, offset: usize) -> LineColumn {
        self.lines.at(&self.text, offset)
    }
}

/// The path to the byte `offset`: to a key if it is in one, otherwise to the smallest value that contains it.
fn end(root: Node<'_>, offset: usize) -> Option<End<'_>> {
    let has = |node: &Node<'_>| (node.span().start..node.span().end).contains(&offset);
    let mut end = End { steps: Vec::new(), is_key: false, value: root };
    loop {
        let node = end.value;
        if let Some((key, value)) = node.entries().find(|(key, value)| has(key) || has(value)) {
            end.steps.push(Step::Key(key.content()));
            end.value = value;
            if has(&key) {
                end.is_key = true;
                return Some(end);
            }
        } else if let Some((index, item)) = node.items().enumerate().find(|(_, item)| has(item)) {
            end.steps.push(Step::Item(index, item.text_at(&["name"])));
            end.value = item;
        } else {
            return Some(end).filter(|end| !end.steps.is_empty());
        }
    }
}

/// The key or value at the same path of another object, if the scalar there is the same.
fn value_of<'o>(object: Node<'o>, end: &End<'_>) -> Option<Node<'o>> {
    let mut node = object;
    let mut key = None;
    for step in &end.steps {
        node = match step {
            Step::Key(name) => {
                let (own, value) = node.target().entries().filter(|(own, _)| own.is_key(name)).last()?;
                key = Some(own);
                value
            }
            Step::Item(_, Some(name)) => {
                let mut named = node.target().items().filter(|item| item.text_at(&["name"]) == Some(name));
                named.next().filter(|_| named.next().is_none())?
            }
            Step::Item(index, None) => node.target().items().nth(*index)?,
        };
    }
    let value = node.target();
    let is_same = match (value.is_scalar(), end.value.is_scalar()) {
        (true, true) => value.resolve() == end.value.resolve(),
        (false, false) => value.is_map() == end.value.is_map(),
        _ => false,
    };
    let found = if end.is_key { key? } else { node };
    is_same.then_some(found)
}

fn line_around(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# two\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: seed}\n---\napiVersion: v1\nkind: List\nitems:\n- kind: Job\n  metadata:\n    name: migrate\n  spec:\n    containers:\n    - {name: a, image: \"x:1\"}\n    - name: b\n      image: y\n      args: [--one, --two]\n";

    const RENDERED: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: dev-migrate\n  namespace: shop\nspec:\n  containers:\n  - image: y\n    name: b\n    args:\n    - --one\n    - --three\n  - image: x:1\n    name: a\n  - image: z\n    name: c\n";

    fn found(file: &str, rendered: &str, wanted: &str) -> String {
        match Objects::read(file).find(rendered, rendered.find(wanted).unwrap()) {
            Some(Known::Line { at, is_same }) => format!("line {at}{}", if is_same { " same" } else { "" }),
            Some(Known::Object(at)) => format!("object {at}"),
            None => "file".to_owned(),
        }
    }

    #[test]
    fn a_value_that_kustomize_has_left_alone_is_found_by_its_path() {
        for (wanted, place) in [
            ("y\n", "line 17:14"),
            ("image: x:1", "line 15:17"),
            ("x:1", "line 15:24"),
            ("containers", "line 14:5 same"),
            ("- --one", "line 18:14"),
            ("metadata", "line 11:3 same"),
        ] {
            let place = if wanted.starts_with("- ") { "line 18:13" } else { place };
            assert_eq!(found(FILE, RENDERED, wanted), place, "{wanted}");
        }
    }

    #[test]
    fn a_value_that_kustomize_has_written_is_found_by_its_object() {
        for wanted in ["dev-migrate", "namespace", "--three", "z\n", "name: c"] {
            assert_eq!(found(FILE, RENDERED, wanted), "object 12:11", "{wanted}");
        }
        assert_eq!(found(FILE, "kind: Job\nmetadata: {name: seed}\nspec: {}\n", "spec"), "object 5:18");
        for (kind, name) in [("Job", "other"), ("Pod", "seed"), ("Job", "seed-migrate")] {
            let rendered = format!("kind: {kind}\nmetadata: {{name: {name}}}\n");
            assert_eq!(found(FILE, &rendered, "kind"), "file", "{rendered}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_only_a_file() {
        for file in ["", "a: [", "{{ x }}\n", "kind: Job\nmetadata: [name]\n", "- a\n", "a: &a [*a]\n"] {
            assert_eq!(found(file, RENDERED, "y\n"), "file", "{file}");
        }
        assert!(Objects::read(FILE).find("a: [", 0).is_none());
    }
}
