//! Finds templates that call a function which returns a different value each time, in their own text or in a named
//! template that they include. It only reads the templates, without rendering them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::manifest::Manifest;
use crate::process::Deadline;
use crate::source::again::read;
use crate::source::fickle::{Action, actions, fickle_words};
use crate::source::places::{Reader, pieces};
use crate::source::tool::Walk;
use crate::system::PathText;
use crate::text::{LineColumn, Origin, Span};

/// The templates of a chart.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// The content of each file, without the named templates that it defines.
    files: BTreeMap<String, Part>,
    /// The content of each named template.
    named: BTreeMap<String, Part>,
}

/// The content of a file or of a named template.
#[derive(Debug, Default)]
struct Part {
    /// The first call of a function that returns a different value each time.
    fickle: Option<Found>,
    /// Strings that may be the names of other templates.
    includes: BTreeSet<String>,
}

/// The call of such a function in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: String,
    pub(super) at: LineColumn,
    pub(super) function: String,
}

impl Templates {
    /// Adds a file and the named templates that it defines.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        let mut own = Part::default();
        // The open blocks, each with the name of the template that it defines, if any.
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

    /// Whether any template calls such a function.
    pub(super) fn are_fickle(&self) -> bool {
        self.files.values().chain(self.named.values()).any(|part| part.fickle.is_some())
    }

    /// The first call of such a function in a file, or in the named templates that it includes, directly or
    /// indirectly.
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

/// The manifest with a warning for each template of a Job that calls a function which returns a different value each
/// time. Packaged charts are not read.
pub(in crate::source) fn with_warnings(manifest: Manifest, reader: Reader<'_>) -> Manifest {
    let (root, dir) = (reader.root().to_owned(), reader.dir().to_owned());
    if !manifest.text.contains("kind: Job") {
        return manifest;
    }
    let shown = |path: &Path| reader.shown(path).in_slashes().into_owned();
    let mut templates = Templates::default();
    // A file that cannot be read only costs a warning: the output does not depend on it.
    let deadline = Deadline::after(READING);
    let _ = Walk::new(&root, deadline).visit(&dir, |entry| {
        if entry.file_type().is_file() && entry.path().iter().any(|part| part == "templates") {
            let text = read(entry.path()).and_then(|bytes| String::from_utf8(bytes).ok());
            text.iter().for_each(|text| templates.add(&shown(entry.path()), text));
        }
        Ok(())
    });
    if !templates.are_fickle() {
        return manifest;
    }
    let (pieces, text) = (pieces(&manifest.text), manifest.text.clone());
    let placed = manifest.clone().rendered_from(Arc::new(super::places(&text, reader)));
    let job = |piece: Span| Some(piece.start + piece.of(&text).find("\nkind: Job\n")? + 1);
    let files = pieces.into_iter().filter_map(job).map(|at| placed.place(at).origin);
    let file = |origin| if let Origin::File(path) = origin { Some(path.in_slashes().into_owned()) } else { None };
    let files: BTreeSet<String> = files.filter_map(file).collect();
    let warnings = files.iter().filter_map(|file| Some(warning(file, templates.fickle_in(file)?))).collect();
    manifest.with_warnings(warnings)
}

/// The maximum time for reading templates for warnings.
const READING: Duration = Duration::from_secs(5);

fn warning(file: &str, found: &Found) -> String {
    let Found { file: other, at, function } = found;
    format!(
        "{file}: warning: the Job may differ at every rendering, because of `{function}` ({other}:{at})\n\
         help: `argocd-jobs check` tells whether it does; see `argocd-jobs explain random-value`"
    )
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
