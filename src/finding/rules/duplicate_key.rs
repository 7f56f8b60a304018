//! `duplicate-key`

use std::collections::HashMap;

use crate::finding::{Check, Level, Rule, TextDiagnostic};
use crate::yaml::{Document, Node};

pub(super) const RULE: Rule = Rule {
    id: "duplicate-key",
    level: Level::Warning,
    summary: "a key stands twice in one map: the first value is dropped",
    why: "Argo CD's YAML reader takes the last of two equal keys and says nothing (go-yaml v2, not strict). Values under the first \
          key are lost: a whole `env:` list can vanish so.",
    fix: "Merge the two, or remove the first, which does not count.",
    link: "https://yaml.org/spec/1.2.2/#3213-node-comparison",
    check: Check::Document(check),
};

fn check(document: Document<'_>) -> Vec<TextDiagnostic> {
    let text = document.text();
    let mut diagnostics = Vec::new();
    for map in document.nodes().filter(|node| node.is_map()) {
        let mut seen: HashMap<&str, Node<'_>> = HashMap::new();
        for (key, _) in map.entries().filter(|(key, _)| !key.is_merge()) {
            let name = key.target().content();
            if let Some(first) = seen.insert(name, key) {
                let between = &text.as_bytes()[first.span().start..key.span().start];
                let line = memchr::memchr_iter(b'\n', between).count();
                let message =
                    format!("the key `{name}` stands twice in this map: Argo CD drops this value, the first one");
                let help = format!("remove this one, or the other one {line} lines further down");
                diagnostics.push(TextDiagnostic { span: first.span(), message, help });
            }
        }
    }
    diagnostics
}
