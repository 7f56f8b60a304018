//! Searches the template of a chart for the line that printed a rendered line.
//!
//! A line is accepted only if no other is possible: it has the same text, or the same text with expressions in it, below the same keys, once in the
//! template and once in the output. Lines from a values file, a helper or `toYaml` are not there; for them the object is found, by its `kind`.

use text::LineColumn;

use super::lines::{Above, Line, above, is_separator, key, lines};
use super::{Known, MAX_SEARCHED};

/// Above this many equal lines a match would be a guess.
const MANY: usize = 64;

#[derive(Debug)]
pub(super) struct Template {
    /// The text, in which comments are blank, so that all offsets stay the same.
    text: String,
    lines: Vec<Line>,
    /// For each line, the number of its document.
    documents: Vec<usize>,
}

struct Rendered<'r> {
    text: &'r str,
    lines: Vec<Line>,
}

impl Template {
    pub(super) fn read(text: &str) -> Self {
        let text = without_comments(text);
        let lines = lines(&text, |line| !is_directive(line));
        let mut document = 0;
        let number = |line: &Line| {
            document += usize::from(is_separator(line.span.of(&text), line.indent));
            document
        };
        let documents = lines.iter().map(number).collect();
        Self { text, lines, documents }
    }

    /// The place from which the byte `inside` of the document `rendered` was made.
    pub(super) fn find(&self, rendered: &str, inside: usize) -> Option<Known> {
        debug_assert!(rendered.len() <= MAX_SEARCHED);
        let (rendered, inside) = document_at(rendered, inside);
        let rendered = Rendered { text: rendered, lines: lines(rendered, |_| true) };
        let has = |line: &Line| (line.span.start - line.indent..=line.span.end).contains(&inside);
        let index = rendered.lines.iter().position(has);
        let object = self.object(&rendered);
        let line = |index| {
            let among_all = self.line(&rendered, index, None);
            Some((index, among_all.or_else(|| self.line(&rendered, index, Some(self.documents[object?])))?))
        };
        let found = index.and_then(line).map(|(index, found)| self.known(&rendered, index, found, inside));
        found.or_else(|| Some(Known::Object(self.at(object?, 0))))
    }

    /// The line of the template that must have printed the rendered line `index`; with `document`, only lines of that
    /// document count.
    fn line(&self, rendered: &Rendered<'_>, index: usize, document: Option<usize>) -> Option<usize> {
        let path = above(rendered.text, &rendered.lines, index)?;
        let is_in = |found: &usize| document.is_none_or(|document| self.documents[*found] == document);
        let is_like_it = |found: &usize| is_in(found) && match_line(self.text_of(*found), rendered.text_of(index));
        let mut all = few((0..self.lines.len()).filter(is_like_it))?;
        all.retain(|found| self.fits(*found, rendered, &path));
        if all.len() > 1 {
            // Equal lines can be in branches, or in items of a list.
            all.retain(|found| self.follows(*found, rendered, index));
        }
        let [found] = all.as_slice() else { return None };
        // A helper can have printed a second line like it.
        let is_like_it = |other: &usize| match_line(self.text_of(*found), rendered.text_of(*other));
        let mut others = few((0..rendered.lines.len()).filter(is_like_it))?;
        let fits = |path: Vec<Above<'_>>| self.fits(*found, rendered, &path);
        others.retain(|other| *other != index && above(rendered.text, &rendered.lines, *other).is_some_and(fits));
        let is_first = others.is_empty() || self.follows(*found, rendered, index);
        (is_first && !others.iter().any(|other| self.follows(*found, rendered, *other))).then_some(*found)
    }

    /// Whether the line before a line of the template can have printed the line before the rendered one. False after
    /// an expression, which can be a branch, and at the start of a document.
    fn follows(&self, found: usize, rendered: &Rendered<'_>, index: usize) -> bool {
        let Some((before, rendered_before)) = found.checked_sub(1).zip(index.checked_sub(1)) else { return false };
        let between = &self.text[self.lines[before].span.end..self.lines[found].span.start];
        !between.contains("{{")
            && !is_separator(self.text_of(before), self.lines[before].indent)
            && match_line(self.text_of(before), rendered.text_of(rendered_before))
    }

    /// Whether a line of the template can have printed a line at this path of the rendered document.
    fn fits(&self, found: usize, rendered: &Rendered<'_>, path: &[Above<'_>]) -> bool {
        above(&self.text, &self.lines, found).is_some_and(|own| is_same_path(&own, path))
            && self.may_be_of(self.documents[found], rendered)
    }

    /// Whether a document of the template can have printed the rendered document: it has the same kind, or no kind.
    fn may_be_of(&self, document: usize, rendered: &Rendered<'_>) -> bool {
        let mut kinds = self.kinds().filter(|line| self.documents[*line] == document).peekable();
        let Some(kind) = rendered.at_top("kind") else { return true };
        kinds.peek().is_none() || kinds.any(|line| match_line(self.text_of(line), kind))
    }

    /// The lines with the kind of an object.
    fn kinds(&self) -> impl Iterator<Item = usize> {
        (0..self.lines.len()).filter(|line| self.lines[*line].indent == 0 && key(self.text_of(*line)) == "kind")
    }

    /// The line with the kind of the rendered object: the only line with this kind, or the only one of them whose
    /// object has this name.
    fn object(&self, rendered: &Rendered<'_>) -> Option<usize> {
        let kind = rendered.at_top("kind")?;
        let mut found: Vec<usize> = self.kinds().filter(|line| match_line(self.text_of(*line), kind)).collect();
        if found.len() > 1 {
            let is_name = |index: &usize| {
                let path = above(rendered.text, &rendered.lines, *index);
                path.as_deref() == Some(&[Above::Key("name"), Above::Key("metadata")])
            };
            let name = (0..rendered.lines.len()).find(is_name).and_then(|index| self.line(rendered, index, None))?;
            found.retain(|line| self.documents[*line] == self.documents[name]);
        }
        let [one] = found.as_slice() else { return None };
        Some(*one)
    }

    fn known(&self, rendered: &Rendered<'_>, index: usize, found: usize, inside: usize) -> Known {
        let (own, other) = (self.text_of(found), rendered.text_of(index));
        let bytes = inside.saturating_sub(rendered.lines[index].span.start).min(other.len());
        let same = own.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let before = other.get(..bytes.min(same)).unwrap_or_default();
        Known::Line { at: self.at(found, before.chars().count()), is_same: own == other }
    }

    fn at(&self, line: usize, characters: usize) -> LineColumn {
        let Line { indent, number, .. } = self.lines[line];
        LineColumn { line: number, column: indent + characters + 1 }
    }

    fn text_of(&self, line: usize) -> &str {
        self.lines[line].span.of(&self.text)
    }
}

impl Rendered<'_> {
    fn text_of(&self, line: usize) -> &str {
        self.lines[line].span.of(self.text)
    }

    /// The first line with this key at the top level of the object.
    fn at_top(&self, wanted: &str) -> Option<&str> {
        let is_wanted = |line: &&Line| line.indent == 0 && key(line.span.of(self.text)) == wanted;
        self.lines.iter().find(is_wanted).map(|line| line.span.of(self.text))
    }
}

/// The document of `text` that contains the byte `inside`, and the offset in it. Files in `crds/` are printed with
/// all their documents.
fn document_at(text: &str, inside: usize) -> (&str, usize) {
    let start = text[..inside].rfind("\n---").map_or(0, |at| at + 1);
    let end = text[inside..].find("\n---").map_or(text.len(), |at| inside + at + 1);
    (&text[start..end], inside - start)
}

/// The lines; `None` when there are so many that checking the lines above each of them would take long.
fn few(lines: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
    let found: Vec<usize> = lines.take(MANY).collect();
    (found.len() < MANY).then_some(found)
}

/// Whether a line consists of an expression, so that nothing of the line itself is printed.
fn is_directive(line: &str) -> bool {
    line.starts_with("{{") && !line.contains("}}:")
}

/// Whether two paths are equal. A key with an expression can be any key.
fn is_same_path(own: &[Above<'_>], other: &[Above<'_>]) -> bool {
    let is_same = |(own, other): (&Above<'_>, &Above<'_>)| match (own, other) {
        (Above::Key(own), Above::Key(_)) if own.contains("{{") => true,
        _ => own == other,
    };
    own.len() == other.len() && own.iter().zip(other).all(is_same)
}

/// Whether a line of a template can print `line`. The template must contain its key, because an expression alone can
/// print anything.
fn match_line(template: &str, line: &str) -> bool {
    let Some((first, rest)) = template.split_once("{{") else { return template == line };
    let bare = first.trim_start_matches("- ");
    if bare.is_empty() || !(bare.contains(": ") || bare.trim_end().ends_with(':')) {
        return false;
    }
    let first = if rest.starts_with('-') { first.trim_end() } else { first };
    // Text after the last expression must be at the end of the line; text between two expressions must occur in the
    // same order.
    let Some(mut left) = line.strip_prefix(first).or_else(|| line.strip_prefix(first.trim_end())) else { return false };
    let mut rest = rest;
    loop {
        let Some((expression, after)) = rest.split_once("}}") else { return false };
        let after = if expression.ends_with('-') { after.trim_start() } else { after };
        let Some((between, next)) = after.split_once("{{") else { return left.ends_with(after) };
        let Some(at) = left.find(between) else { return false };
        left = &left[at + between.len()..];
        rest = next;
    }
}

/// The text with comments replaced by spaces, and expressions of several lines by `{{}}` and spaces. All offsets stay
/// the same.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let inside = from[2..].trim_start_matches('-').trim_start();
        let is_comment = inside.starts_with("/*");
        let searched = if is_comment { from.find("*/") } else { Some(2) };
        let end = searched.and_then(|from_end| Some(from_end + from[from_end..].find("}}")? + 2)).unwrap_or(from.len());
        let expression = &from[..end];
        if is_comment || expression.contains('\n') {
            blank(expression, !is_comment && expression.len() > 4, &mut out);
        } else {
            out.push_str(expression);
        }
        rest = &from[end..];
    }
    out.push_str(rest);
    out
}

/// Adds a space for each byte except line breaks. With `stands`, it begins with `{{}}` as a placeholder for an
/// expression.
fn blank(expression: &str, stands: bool, out: &mut String) {
    let (mark, from) = if stands && !expression.as_bytes()[..4].contains(&b'\n') { ("{{}}", 4) } else { ("", 0) };
    out.push_str(mark);
    out.extend(expression.bytes().skip(from).map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = r#"{{- /* a comment
  restartPolicy: Never
*/ -}}
{{- if .Values.enabled }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "shop.name" . }}-migrate
  labels:
    {{- include "shop.labels" . | nindent 4 }}
    team: a
spec:
  backoffLimit: {{ .Values.limit }}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: "{{ .Values.image }}:{{ .Values.tag }}"
          env:
            - name: A
              value: {{ .Values.a | quote }}
            - name: B
              value: {{ .Values.b | quote }}
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
        {{- toYaml .Values.sidecars | nindent 8 }}
{{- end }}
---
kind: ConfigMap
metadata:
  name: {{ include "shop.name" . }}
"#;

    const RENDERED: &str = r#"---
# Source: shop/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: x-shop-migrate
  labels:
    app: shop
    team: a
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: "shop:1.4"
          env:
            - name: A
              value: "1"
            - name: B
              value: "2"
          resources:
            limits: {cpu: 1}
        - image: proxy
          name: proxy
"#;

    fn found(template: &str, rendered: &str, wanted: &str) -> String {
        let at = rendered.find(wanted).unwrap();
        match Template::read(template).find(rendered, at) {
            Some(Known::Line { at, is_same }) => format!("line {at}{}", if is_same { " same" } else { "" }),
            Some(Known::Object(at)) => format!("object {at}"),
            None => "file".to_owned(),
        }
    }

    #[test]
    fn a_line_is_found_when_there_can_be_no_other() {
        for (wanted, place) in [
            ("Never", "line 16:22 same"),
            ("x-shop-migrate", "line 8:9"),
            ("3\n", "line 13:17"),
            ("\"shop:1.4\"", "line 19:18"),
            ("shop:1.4", "line 19:19"),
            ("team: a", "line 11:5 same"),
            ("- name: A", "line 21:13 same"),
            ("resources:", "line 26:11 same"),
            ("\"1\"", "line 22:22"),
            ("\"2\"", "line 24:22"),
        ] {
            assert_eq!(found(TEMPLATE, RENDERED, wanted), place, "{wanted}");
        }
    }

    #[test]
    fn what_values_and_helpers_have_written_is_found_by_its_object() {
        for wanted in ["app: shop", "limits", "image: proxy", "name: proxy", "# Source"] {
            assert_eq!(found(TEMPLATE, RENDERED, wanted), "object 6:1", "{wanted}");
        }
        let twice =
            RENDERED.replace("        - image: proxy\n", "        - restartPolicy: x\n          image: \"proxy:1\"\n");
        // The line before it is also printed by the template.
        assert_eq!(found(TEMPLATE, &twice, "\"shop:1.4\""), "line 19:18");
        assert_eq!(found(TEMPLATE, &twice, "\"proxy:1\""), "object 6:1");
    }

    #[test]
    fn an_object_is_found_by_kind_and_name() {
        let two = "kind: Job\nmetadata:\n  name: {{ .x }}-a\n---\nkind: Job\nmetadata:\n  name: {{ .x }}-b\n";
        assert_eq!(found(two, "kind: Job\nmetadata:\n  name: x-b\nspec: {}\n", "spec"), "object 5:1");
        assert_eq!(found(two, "kind: Job\nmetadata:\n  name: x-c\nspec: {}\n", "spec"), "file");
        assert_eq!(found(two, "kind: Pod\nmetadata:\n  name: x-a\nspec: {}\n", "x-a"), "file");
        let twice = "kind: Job\nmetadata:\n  name: x-é\n---\nkind: Job\nmetadata:\n  name: x-b\nspec: {}\n";
        assert_eq!(found(two, twice, "spec"), "object 5:1");
        assert_eq!(found(two, twice, "kind: Job\nmetadata:\n  name: x-b"), "line 5:1 same");
        assert_eq!(found("{{ include \"job\" . }}\n", "kind: Job\nspec: {}\n", "spec"), "file");
        assert_eq!(found("kind: {{ .kind }}\n", "kind: Job\nspec: {}\n", "spec"), "object 1:1");
        let branches = "kind: Job\nspec:\n  {{- if .x }}\n  a: one\n  b: two\n  {{- else }}\n  a: {{ .y }}\n  b: {{ .z }}\n  {{- end }}\n";
        assert_eq!(found(branches, "kind: Job\nspec:\n  a: other\n  b: two\n", "b: two"), "line 8:3");
        assert_eq!(found(branches, "kind: Job\nspec:\n  a: one\n  b: two\n", "a: one"), "object 1:1");
        let range = "kind: Job\nspec:\n  {{- range .x }}\n  - name: {{ .a }}\n    value: {{ .b }}\n  {{- end }}\n";
        let items = "kind: Job\nspec:\n  - name: a\n    value: 1\n  - name: b\n    value: 2\n";
        assert_eq!(found(range, items, "value: 1"), "object 1:1");
        assert_eq!(found("{{ include \"head\" . }}\nspec: {}\n", "kind: Job\nspec: {}\n", "spec"), "line 2:1 same");
        assert_eq!(found("a:\n  {{ .key }}:\n    b: c\n", "a:\n  x:\n    b: c\n", "b: c"), "line 3:5 same");
        let both = "kind: Job\nspec:\n  {{- if .x }}\n  a: 1\n  {{- else }}\n  a: 1\n  {{- end }}\n";
        assert_eq!(found(both, "kind: Job\nspec:\n  a: 1\n", "a: 1"), "object 1:1");
    }

    #[test]
    fn expressions_print_anything_but_what_is_around_them() {
        for (template, line, fits) in [
            ("a: b", "a: b", true),
            ("a: {{ .x }}", "a: b", true),
            ("a: {{ .x }}", "ab: b", false),
            ("a: \"{{ .x }}:{{ .y }}\"", "a: \"b:c\"", true),
            ("a: \"{{ .x }}:{{ .y }}\"", "a: \"b\"", false),
            ("a: \"{{ .x }}:{{ .y }}:{{ .z }}\"", "a: \"b:c\"", false),
            ("a: {{- .x | nindent 2 }}", "a:", true),
            ("a: {{ toYaml .x }}", "a:", true),
            ("- a: {{ .x }}", "- a: b", true),
            ("- {{ .x }}", "- b", false),
            ("{{ .x }}: b", "a: b", false),
            ("a: {{ .x", "a: b", false),
            ("a: {{ .x -}} b", "a: 1b", true),
        ] {
            assert_eq!(match_line(template, line), fits, "{template} {line}");
        }
    }

    #[test]
    fn nothing_that_a_template_holds_makes_a_panic() {
        for text in
            ["{{", "{{-", "{{/*", "{{/* é\n", "é{{é\né}}é", "{{\n}}", "{\n{{}\n}}", "}}{{", "\u{2028}- - -\n-\n: :\n"]
        {
            assert_eq!(without_comments(text).lines().count(), text.lines().count(), "{text:?}");
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                Template::read(text).find(text, offset);
                Template::read(TEMPLATE).find(text, offset);
            }
        }
    }
}
