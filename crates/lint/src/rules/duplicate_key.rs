//! `duplicate-key`

use std::collections::HashMap;

use goyaml::{Document, Node};

use crate::{Check, Level, Rule, TextDiagnostic};

pub(super) const RULE: Rule = Rule {
    id: "duplicate-key",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Warning,
    summary: "a key that appears twice in one map: the first value is dropped",
    why: "If a key appears twice, Argo CD's YAML reader takes the last value and does not report it (go-yaml v2, not \
          strict). The values under the first key are lost: a whole `env:` list can disappear this way. If a `---` \
          is missing between two objects, their keys are in one map, and the first object is lost.\n\n\
          A key that has the same text, number or boolean both times is not reported, because nothing is lost.",
    fix: "Merge the two, or remove the first one, which has no effect. Write `---` between two objects.",
    link: "https://yaml.org/spec/1.2.2/#3213-node-comparison",
    example: super::example!("duplicate-key"),
    check: Check::Document(check),
};

/// A key that is repeated in a map.
struct Repeated<'t> {
    name: &'t str,
    first: Node<'t>,
    second: Node<'t>,
    /// Whether both values are the same scalar.
    is_equal: bool,
}

fn check(document: Document<'_>, most: usize) -> Vec<TextDiagnostic> {
    let mut diagnostics = Vec::new();
    for map in document.nodes().filter(|node| node.is_map()) {
        let found = repeated(map);
        let starts =
            if Some(map.span()) == document.root().map(Node::span) { starts_of_objects(&found) } else { Vec::new() };
        if starts.is_empty() {
            let different = found.iter().filter(|repeated| !repeated.is_equal);
            diagnostics.extend(different.map(|repeated| dropped(document.text(), repeated)).take(most));
        }
        diagnostics.extend(starts.into_iter().map(missing_separator).take(most));
        if diagnostics.len() >= most {
            break;
        }
    }
    diagnostics.truncate(most);
    diagnostics
}

/// The repeated keys of a map, each with the previous key of the same name.
fn repeated<'t>(map: Node<'t>) -> Vec<Repeated<'t>> {
    let mut seen: HashMap<&str, (Node<'t>, Node<'t>)> = HashMap::new();
    let mut found = Vec::new();
    for (key, value) in map.entries().filter(|(key, _)| !key.is_merge()) {
        let name = key.target().content();
        if let Some((first, before)) = seen.insert(name, (key, value)) {
            found.push(Repeated {
                name,
                first,
                second: key,
                is_equal: is_same_scalar(before.target(), value.target()),
            });
        }
    }
    found
}

fn is_same_scalar(one: Node<'_>, other: Node<'_>) -> bool {
    let meanings = (one.resolve(), other.resolve());
    one.is_scalar() && other.is_scalar() && matches!(meanings, (Ok(one), Ok(other)) if one == other)
}

/// The first key of each object after the first one, if the map of a document is really several objects. Empty otherwise.
fn starts_of_objects<'t>(repeated: &[Repeated<'t>]) -> Vec<Node<'t>> {
    let has = |name| repeated.iter().any(|found| found.name == name);
    // A header that is written twice before one object loses nothing.
    if !has("apiVersion") || !has("kind") || repeated.iter().all(|found| found.is_equal) {
        return Vec::new();
    }
    let mut starts: Vec<Node<'t>> = Vec::new();
    for found in repeated {
        // Skip the other keys of an object that has begun: a key begins a new object only if its first occurrence is not above the last start.
        let begins = starts.last().is_none_or(|last| found.first.span().start >= last.span().start);
        starts.extend(begins.then_some(found.second));
    }
    starts
}

fn missing_separator(start: Node<'_>) -> TextDiagnostic {
    TextDiagnostic {
        span: start.span(),
        message: "`---` is missing before this line: Argo CD reads two objects as one, and the first of them is lost"
            .to_owned(),
        help: "write a line `---` before this line, where the next object begins".into(),
    }
}

fn dropped(text: &str, repeated: &Repeated<'_>) -> TextDiagnostic {
    let Repeated { name, first, second, .. } = repeated;
    let between = &text.as_bytes()[first.span().start..second.span().start];
    let line = memchr::memchr_iter(b'\n', between).count();
    let place = match line {
        0 => "on the same line".to_owned(),
        1 => "on the next line".to_owned(),
        _ => format!("{line} lines below"),
    };
    let message = format!("the key `{name}` appears twice in this map, and Argo CD drops this first value");
    let help = format!("remove this `{name}`, or the other one {place}");
    TextDiagnostic { span: first.span(), message, help: help.into() }
}
