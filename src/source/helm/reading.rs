//! Which templates have a function that gives another value each time, as far as reading tells: in their own text, or in a named template that they
//! include.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fickle::{Action, actions, fickle_words};
use crate::text::LineColumn;

/// The templates of a chart, by their paths.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// What each file prints itself.
    files: BTreeMap<String, Part>,
    /// What each named template prints.
    named: BTreeMap<String, Part>,
}

/// What prints something: a file without the named templates in it, or one of these.
#[derive(Debug, Default)]
struct Part {
    /// The first function that gives another value each time.
    fickle: Option<Found>,
    /// What may be the names of other templates.
    includes: BTreeSet<String>,
}

/// A function in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: String,
    pub(super) at: LineColumn,
    pub(super) function: String,
}

impl Templates {
    /// Adds a file.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        let mut own = Part::default();
        // The blocks that are open, each with the name of the template that it defines.
        let mut open: Vec<Option<String>> = Vec::new();
        for action in actions(text) {
            match action.first_word(text) {
                "define" => open.push(action.strings(text).next().map(str::to_owned)),
                "if" | "range" | "with" | "block" => open.push(None),
                "end" => drop(open.pop()),
                _ => {}
            }
            let part = match open.iter().rev().flatten().next() {
                Some(name) => self.named.entry(name.clone()).or_default(),
                None => &mut own,
            };
            part.add(file, text, &action);
        }
        self.files.insert(file.to_owned(), own);
    }

    /// Whether there is such a function in any of them.
    pub(super) fn are_fickle(&self) -> bool {
        self.files.values().chain(self.named.values()).any(|part| part.fickle.is_some())
    }

    /// The first function that gives another value each time in what a file prints.
    pub(super) fn fickle_in(&self, file: &str) -> Option<&Found> {
        let mut todo = vec![self.files.get(file)?];
        let mut seen = BTreeSet::new();
        while let Some(part) = todo.pop() {
            if let Some(found) = &part.fickle {
                return Some(found);
            }
            let new = part.includes.iter().filter(|name| seen.insert(*name));
            todo.extend(new.filter_map(|name| self.named.get(name)));
        }
        None
    }
}

impl Part {
    fn add(&mut self, file: &str, text: &str, action: &Action) {
        self.includes.extend(action.strings(text).map(str::to_owned));
        if self.fickle.is_none()
            && let Some((at, function)) = fickle_words(text, action).next()
        {
            let at = LineColumn::of(text.as_bytes(), at);
            self.fickle = Some(Found { file: file.to_owned(), at, function: function.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_through_what_a_file_includes() {
        let mut templates = Templates::default();
        templates.add(
            "_helpers.tpl",
            "{{ define \"name\" }}{{ if .a }}a{{ else }}b{{ end }}{{ end }}\n\
             {{- define \"password\" -}}{{ with .a }}{{ . }}{{ end }}{{ randAlphaNum 5 }}{{ end }}\n\
             {{- define \"all\" }}{{ include \"password\" . }}{{ include \"all\" . }}{{ end }}",
        );
        templates.add("a.yaml", "{{ include \"name\" . }}");
        templates.add("b.yaml", "{{ if .a }}\na: {{ include \"all\" . | quote }}{{ end }}");
        templates.add("c.yaml", "a:\n  b: {{ uuidv4 }}{{ define \"own\" }}{{ end }}");
        let found = |file: &str| {
            let found = templates.fickle_in(file)?;
            Some(format!("{}:{} {}", found.file, found.at, found.function))
        };
        assert_eq!(found("_helpers.tpl"), None);
        assert_eq!(found("a.yaml"), None);
        assert_eq!(found("b.yaml").as_deref(), Some("_helpers.tpl:2:58 randAlphaNum"));
        assert_eq!(found("c.yaml").as_deref(), Some("c.yaml:2:9 uuidv4"));
    }
}
