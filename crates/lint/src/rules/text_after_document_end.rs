//! `text-after-document-end`

use goyaml::Document;
use text::Span;

use crate::{Check, Level, Rule, TextDiagnostic};

pub(super) const RULE: Rule = Rule {
    id: "text-after-document-end",
    theme: super::Theme::Manifests,
    since: "0.1.0",
    level: Level::Warning,
    summary: "text after a `...` line, which Argo CD drops",
    why: "In YAML, `...` ends a document. Argo CD splits a stream at lines that begin with `---`, and reads one \
          document from each part. Everything between `...` and the next `---` is silently ignored, even whole \
          resources.",
    fix: "Write `---` instead of `...`, or remove the line.",
    link: "https://yaml.org/spec/1.2.2/#document-markers",
    example: super::example!("text-after-document-end"),
    check: Check::Document(check),
};

fn check(document: Document<'_>, _: usize) -> Vec<TextDiagnostic> {
    let mut offset = 0;
    let mut lines = document.text().split_inclusive('\n').map(|line| {
        let start = offset;
        offset += line.len();
        (start, line)
    });
    // If the document could be parsed, such a line is not inside a scalar (folded, quoted or literal).
    if !lines.any(|(_, line)| is_end(line)) {
        return Vec::new();
    }
    let dropped =
        lines.find(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#') && !is_end(line));
    dropped
        .map(|(start, line)| TextDiagnostic {
            span: Span::new(start, start + line.trim_end().len()),
            message:
                "Argo CD ignores everything from here to the next `---`, because a line `...` above ends the document"
                    .to_owned(),
            help: "write `---` instead of `...`, or remove the line `...`".into(),
        })
        .into_iter()
        .collect()
}

fn is_end(line: &str) -> bool {
    line.strip_prefix("...").is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}
