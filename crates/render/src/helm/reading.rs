//! Finds what templates ask for, in their own text or in a named template that they include: functions that return a different value each
//! time, and values that are always the same under Argo CD. It only reads the templates, without rendering them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use confined::Deadline;
use kube_jobs::argocd::{HELM_HOOK, HOOK};
use rewrite::manifest::{FixedValue, Manifest, TemplateRead};
use system::PathText;
use text::{LineColumn, Lines, Origin, Precision, Span};

use crate::again::read;
use crate::fickle::{Action, actions, fickle_words};
use crate::places::{Reader, pieces};
use crate::tool::Walk;

/// The templates of a chart.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// The content of each file, without the named templates that it defines.
    files: BTreeMap<String, File>,
    /// The content of each named template.
    named: BTreeMap<String, Part>,
}

/// The content of a file.
#[derive(Debug, Default)]
struct File {
    /// The lines that separate its documents.
    separators: Vec<usize>,
    /// What the documents ask for, with the conditions around them and the variables before them.
    documents: Vec<Part>,
}

/// The content of a document in a file, or of a named template.
#[derive(Clone, Debug, Default)]
struct Part {
    /// The first call of a function that returns a different value each time.
    fickle: Option<Found>,
    /// The first reads of values that are always the same under Argo CD.
    fixed: BTreeMap<FixedValue, Found>,
    /// Strings that may be the names of other templates.
    includes: BTreeSet<String>,
}

/// A template: its path, its text, and the lines of the text.
type Template<'t> = (&'t str, &'t str, &'t Lines);

/// A word in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    file: String,
    at: LineColumn,
    word: String,
}

impl Templates {
    /// Reads the templates in the folder of `reader` and below; packaged charts are not read. A file that cannot be read is left out: nothing but
    /// warnings depends on them.
    pub(crate) fn of(reader: &Reader<'_>) -> Self {
        let mut templates = Self::default();
        let is_template = |path: &Path| {
            path.strip_prefix(reader.dir()).is_ok_and(|below| below.iter().any(|part| part == "templates"))
        };
        let _ = Walk::new(reader.root(), Deadline::after(READING)).visit(reader.dir(), |entry| {
            if entry.file_type().is_file() && is_template(entry.path()) {
                let text = read(entry.path()).and_then(|bytes| String::from_utf8(bytes).ok());
                let shown = reader.shown(entry.path()).in_slashes().into_owned();
                text.iter().for_each(|text| templates.add(&shown, text));
            }
            Ok(())
        });
        templates
    }

    /// The reads of values that are always the same under Argo CD, in the templates of the objects that run: Jobs and hooks. The places of `manifest`
    /// have to be those in its files.
    pub(crate) fn reads(&self, manifest: &Manifest) -> Vec<TemplateRead> {
        if !self.parts().any(|part| !part.fixed.is_empty()) {
            return Vec::new();
        }
        let runs = |piece: &Span| RUNS.iter().any(|word| piece.of(&manifest.text).contains(word));
        let of_piece = |piece: Span| {
            let kind = piece.of(&manifest.text).find("\nkind:").map_or(piece.start, |at| piece.start + at + 1);
            let place = manifest.place(kind);
            let Origin::File(path) = place.origin else { return Vec::new() };
            let file = self.files.get(&*path.in_slashes());
            let start = file.map_or(&[][..], |file| match place.precision {
                Precision::File => &file.documents,
                Precision::Line | Precision::Object => file.document_at(place.at.line),
            });
            let mut found: BTreeMap<FixedValue, &Found> = BTreeMap::new();
            for part in self.reached_from(start) {
                for (value, read) in &part.fixed {
                    found.entry(*value).or_insert(read);
                }
            }
            let read = |(value, Found { file, at, .. }): (FixedValue, &Found)| TemplateRead {
                piece,
                value,
                place: format!("{file}:{at}"),
            };
            found.into_iter().map(read).collect()
        };
        pieces(&manifest.text).into_iter().filter(runs).flat_map(of_piece).collect()
    }

    /// Adds a file and the named templates that it defines.
    fn add(&mut self, file: &str, text: &str) {
        let lines = Lines::of(text);
        let template = (file, text, &lines);
        let starts = text.match_indices("\n---").map(|(at, _)| at + 1).take(MAX_DOCUMENTS);
        let starts: Vec<usize> = starts.collect();
        let mut documents = vec![Part::default(); starts.len() + 1];
        let (actions, mut current) = (actions(text), 0);
        // The open blocks: the number of the action, and the name of the template that is defined there, if any.
        let mut open: Vec<(usize, Option<&str>)> = Vec::new();
        for (number, action) in actions.iter().enumerate() {
            let document = starts.partition_point(|start| *start < action.start());
            for next in documents.iter_mut().take(document + 1).skip(current + 1) {
                open.iter().for_each(|(around, _)| next.add(template, &actions[*around]));
            }
            current = document;
            match action.first_word(text) {
                "define" => open.push((number, action.strings(text).next())),
                // Each block has the name of the template around it, so that no other block has to be asked.
                "if" | "range" | "with" | "block" => open.push((number, open.last().and_then(|(_, name)| *name))),
                "end" => drop(open.pop()),
                _ => {}
            }
            match open.last().and_then(|(_, name)| *name) {
                Some(name) => self.named.entry(name.to_owned()).or_default().add(template, action),
                None if action.sets_a_variable(text) => {
                    documents[document..].iter_mut().for_each(|part| part.add(template, action));
                }
                None => documents[document].add(template, action),
            }
        }
        let line = |start: usize| lines.at(text, start).line;
        self.files.insert(file.to_owned(), File { separators: starts.into_iter().map(line).collect(), documents });
    }

    /// All parts.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.files.values().flat_map(|file| &file.documents).chain(self.named.values())
    }

    /// Whether any template calls a function that returns a different value each time.
    fn are_fickle(&self) -> bool {
        self.parts().any(|part| part.fickle.is_some())
    }

    /// The first call of such a function in a file, or in the named templates that it includes.
    fn fickle_in(&self, file: &str) -> Option<&Found> {
        self.reached_from(&self.files.get(file)?.documents).into_iter().find_map(|part| part.fickle.as_ref())
    }

    /// Documents, and the named templates that they include, directly or indirectly.
    fn reached_from<'t>(&'t self, documents: &'t [Part]) -> Vec<&'t Part> {
        let (mut reached, mut seen) = (Vec::new(), BTreeSet::new());
        let mut todo: Vec<&Part> = documents.iter().collect();
        while let Some(part) = todo.pop() {
            reached.push(part);
            let new = part.includes.iter().filter(|name| seen.insert(*name));
            todo.extend(new.filter_map(|name| self.named.get(name)));
        }
        reached
    }
}

/// Words in the text of an object that runs.
const RUNS: [&str; 3] = ["kind: Job", HELM_HOOK, HOOK];

/// The most documents of a file that are distinguished; those after them count as one.
const MAX_DOCUMENTS: usize = 64;

impl File {
    /// The document with this line.
    fn document_at(&self, line: usize) -> &[Part] {
        let index = self.separators.partition_point(|separator| *separator <= line);
        self.documents.get(index..=index).unwrap_or_default()
    }
}

impl Part {
    fn add(&mut self, template: Template<'_>, action: &Action) {
        let (_, text, _) = template;
        self.includes.extend(action.strings(text).map(str::to_owned));
        if self.fickle.is_none()
            && let Some((at, function)) = fickle_words(text, action).next()
        {
            self.fickle = Some(found(template, at, function));
        }
        for (at, word) in action.words(text) {
            if let Some(value) = fixed_value(text, at, word) {
                self.fixed.entry(value).or_insert_with(|| found(template, at, word));
            }
        }
    }
}

fn found((file, text, lines): Template<'_>, at: usize, word: &str) -> Found {
    Found { file: file.to_owned(), at: lines.at(text, at), word: word.to_owned() }
}

/// The value that is always the same under Argo CD, and that this word of an action reads: the function `lookup`, or a field of `.Release`.
fn fixed_value(text: &str, at: usize, word: &str) -> Option<FixedValue> {
    let before = &text[..at];
    match word {
        "lookup" if !before.ends_with(['.', '$']) => Some(FixedValue::Lookup),
        "Revision" if before.ends_with(".Release.") => Some(FixedValue::Revision),
        "IsUpgrade" | "IsInstall" if before.ends_with(".Release.") => Some(FixedValue::IsUpgrade),
        "sha1sum" | "sha256sum" | "sha512sum" | "adler32sum" if sums_up_another_file(before) => {
            Some(FixedValue::OtherFile)
        }
        _ => None,
    }
}

/// Whether the text before a checksum function begins the name of an object with the checksum of another template of the chart, and not of values.
fn sums_up_another_file(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let Some((name, action)) = line.rsplit_once("{{") else { return false };
    name.starts_with("  name:") && action.contains(".Template.BasePath") && !action.contains(".Values")
}

/// The manifest with a warning for each template of a Job that calls a function which returns a different value each
/// time. Packaged charts are not read.
pub(crate) fn with_warnings(manifest: Manifest, reader: Reader<'_>) -> Manifest {
    if !manifest.text.contains("kind: Job") {
        return manifest;
    }
    let templates = Templates::of(&reader);
    if !templates.are_fickle() {
        return manifest;
    }
    let (pieces, text) = (pieces(&manifest.text), manifest.text.clone());
    let placed = manifest.clone().rendered_from(Arc::new(crate::helm::places(&text, reader)));
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
    let Found { file: other, at, word } = found;
    format!(
        "{file}: warning: the Job may differ at every rendering, because of `{word}` ({other}:{at})\n\
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
            Some(format!("{}:{} {}", found.file, found.at, found.word))
        };
        assert_eq!(found("_helpers.tpl"), None);
        assert_eq!(found("a.yaml"), None);
        assert_eq!(found("b.yaml").as_deref(), Some("_helpers.tpl:2:58 randAlphaNum"));
        assert_eq!(found("c.yaml").as_deref(), Some("c.yaml:2:9 uuidv4"));
    }

    #[test]
    fn only_values_that_are_the_same_under_argo_cd_are_fixed() {
        let mut templates = Templates::default();
        templates.add(
            "_helpers.tpl",
            "{{ define \"exists\" }}{{ if (lookup \"v1\" \"Secret\" .ns \"a\") }}1{{ end }}{{ end }}",
        );
        templates.add("a.yaml", "x: {{ include \"exists\" . }}\nb: {{ $.Release.Revision }}{{ .Release.IsInstall }}");
        templates
            .add("b.yaml", "lookup: {{ .lookup }}{{ \"lookup\" }}{{/* lookup */}}{{ .Revision }}{{ .x.IsUpgrade }}");
        let fixed = |file: &str| -> Vec<String> {
            let reached = templates.reached_from(&templates.files[file].documents).into_iter();
            reached.flat_map(|part| part.fixed.values()).map(|found| format!("{} {}", found.at, found.word)).collect()
        };
        assert_eq!(fixed("a.yaml"), ["2:17 Revision", "2:40 IsInstall", "1:29 lookup"]);
        assert_eq!(fixed("b.yaml"), [""; 0]);
    }

    #[test]
    fn a_checksum_of_nothing_but_another_template_is_found_in_a_name() {
        let other = "include (print $.Template.BasePath \"/x.yaml\") .";
        let sum = |what: &str| format!("metadata:\n  name: a-{{{{ {what} | sha256sum | trunc 7 }}}}\n");
        for (text, wanted) in [
            (sum(other), true),
            (sum(&format!("print ({other}) .Values.image")), false),
            (sum(".Values | toYaml"), false),
            (sum(other).replace("name", "  sum"), false),
        ] {
            let mut templates = Templates::default();
            templates.add("a.yaml", &text);
            let is_found = templates.parts().any(|part| part.fixed.contains_key(&FixedValue::OtherFile));
            assert_eq!(is_found, wanted, "{text}");
        }
    }

    #[test]
    fn a_document_has_its_own_reads_and_those_around_and_before_it() {
        let mut templates = Templates::default();
        let text = "{{ $found := lookup .a }}\na\n---\n{{ if .Release.IsUpgrade }}\nb\n---\nc\n{{ end }}\n---\n{{ .Release.Revision }}";
        templates.add("a.yaml", text);
        let words = |line| -> Vec<&str> {
            let reached = templates.reached_from(templates.files["a.yaml"].document_at(line)).into_iter();
            reached.flat_map(|part| part.fixed.values()).map(|found| found.word.as_str()).collect()
        };
        assert_eq!(words(2), ["lookup"]);
        assert_eq!(words(5), ["lookup", "IsUpgrade"]);
        assert_eq!(words(7), ["lookup", "IsUpgrade"]);
        assert_eq!(words(10), ["lookup", "Revision"]);
        let many = format!("{{{{ $a := lookup .a }}}}\n{}", "---\n{{ $b := .c }}\n".repeat(20_000));
        templates.add("many.yaml", &many);
        assert_eq!(templates.files["many.yaml"].documents.len(), MAX_DOCUMENTS + 1);
    }
}
