//! Finds template functions that return a different value each time (`functions.go` of sprig): for passwords,
//! certificates, the time.

use text::Span;

/// Whether a template calls such a function. A similar name counts too: the second rendering shows what really differs.
pub(super) fn is_fickle(text: &str) -> bool {
    actions(text)
        .iter()
        .flat_map(|action| &action.parts)
        .any(|part| words(part.span.of(text)).any(|(_, word)| is_fickle_word(word)))
}

/// The calls of such functions in an action: offset and name. Strings, fields and variables do not count.
pub(super) fn fickle_words<'t>(text: &'t str, action: &Action) -> impl Iterator<Item = (usize, &'t str)> {
    action.functions(text).filter(|(_, word)| is_fickle_word(word))
}

fn is_fickle_word(word: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["rand", "uuid", "date", "duration", "htmlDate"];
    const OTHERS: [&str; 7] = [NOW, "ago", "shuffle", "bcrypt", "htpasswd", "encryptAES", "getHostByName"];
    let is_generated = word.strip_prefix("gen").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    BEGINNINGS.iter().any(|start| word.starts_with(start)) || is_generated || OTHERS.contains(&word)
}

/// The function that reads the clock.
const NOW: &str = "now";

/// A value for `now` that is more than a year later: every part of the date and of the time differs.
const LATER: &str = "(now | dateModify `+9529h1m1s`)";

/// The template with a clock that is ahead; `None` if the template does not read the clock.
pub(super) fn with_later_clock(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for action in actions(text) {
        for (start, word) in action.functions(text).filter(|(_, word)| *word == NOW) {
            out.push_str(&text[done..start]);
            out.push_str(LATER);
            done = start + word.len();
        }
    }
    (done > 0).then(|| out + &text[done..])
}

/// The text between `{{` and `}}`.
#[derive(Debug)]
pub(super) struct Action {
    parts: Vec<Part>,
}

/// A part of an action: a string, or the code between two strings.
#[derive(Debug)]
struct Part {
    span: Span,
    is_string: bool,
}

/// A string in an action.
#[derive(Debug)]
pub(super) struct Literal<'t> {
    /// The content of the string; escapes are not replaced.
    pub(super) string: &'t str,
    /// The offset of the string.
    pub(super) at: usize,
    /// The code between it and the string before it.
    pub(super) before: &'t str,
    /// The code between it and the string behind it.
    pub(super) after: &'t str,
}

impl Action {
    pub(super) fn first_word<'t>(&self, text: &'t str) -> &'t str {
        let first = self.parts.first().map_or("", |part| part.span.of(text));
        words(first).next().map_or("", |(_, word)| word)
    }

    /// The offset of the first byte behind `{{`.
    pub(super) fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.span.start)
    }

    /// Whether it sets a variable.
    pub(super) fn sets_a_variable(&self, text: &str) -> bool {
        self.parts.iter().any(|part| !part.is_string && part.span.of(text).contains('='))
    }

    /// Its bytes between `{{` and `}}`.
    pub(super) fn span(&self) -> Span {
        let end = self.parts.last().map_or(0, |part| part.span.end);
        Span::new(self.parts.first().map_or(end, |part| part.span.start), end)
    }

    /// The strings, each with the code around it.
    pub(super) fn literals<'t>(&self, text: &'t str) -> impl Iterator<Item = Literal<'t>> {
        let strings = self.parts.iter().enumerate().filter(|(_, part)| part.is_string);
        strings.map(move |(index, part)| {
            let code = |part: Option<&Part>| part.map_or("", |part| part.span.of(text));
            Literal {
                string: &text[part.span.start + 1..part.span.end - 1],
                at: part.span.start,
                before: code(index.checked_sub(1).and_then(|before| self.parts.get(before))),
                after: code(self.parts.get(index + 1)),
            }
        })
    }

    /// The contents of the strings; escapes are not replaced.
    pub(super) fn strings<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let strings = self.parts.iter().filter(|part| part.is_string);
        strings.map(|part| &text[part.span.start + 1..part.span.end - 1])
    }

    /// The words outside of strings, each with its offset.
    pub(super) fn words<'t>(&self, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        let code = self.parts.iter().filter(|part| !part.is_string).map(|part| part.span);
        code.flat_map(|span| words(span.of(text)).map(move |(at, word)| (span.start + at, word)))
    }

    /// The words of the code, without fields and variables.
    fn functions<'t>(&self, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        self.words(text).filter(|(at, _)| !text[..*at].ends_with(['.', '$']))
    }
}

/// All actions of a template, without comments.
pub(super) fn actions(text: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("{{") {
        at += found + 2;
        let inside = text[at..].trim_start_matches('-').trim_start();
        if inside.starts_with("/*") {
            at += text[at..].find("*/").unwrap_or(text.len() - at);
            continue;
        }
        let (action, end) = action(text, at);
        actions.push(action);
        at = end;
    }
    actions
}

/// The action that begins at `start`, and the offset where it ends.
fn action(text: &str, start: usize) -> (Action, usize) {
    let mut parts = Vec::new();
    let (mut from, mut at) = (start, start);
    while let Some(found) = text[at..].find(['"', '`', '}']) {
        at += found;
        if text[at..].starts_with("}}") {
            break;
        }
        match string_end(&text[at..]) {
            Some(length) => {
                parts.push(Part { span: Span::new(from, at), is_string: false });
                parts.push(Part { span: Span::new(at, at + length), is_string: true });
                at += length;
                from = at;
            }
            None => at += 1,
        }
    }
    let end = text[at..].find("}}").map_or(text.len(), |found| at + found);
    parts.push(Part { span: Span::new(from, end), is_string: false });
    (Action { parts }, end)
}

/// The length of the string at the start of a text; `None` if it does not start with one.
fn string_end(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('`') {
        return rest.find('`').map(|end| end + 2);
    }
    let line = text.strip_prefix('"')?.lines().next()?;
    let mut is_escaped = false;
    let end = line.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(end + 2)
}

/// The words of a text, each with its offset.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_between = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let words = text.split(is_between).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_in_actions_are_fickle() {
        for text in [
            "{{ randAlphaNum 5 }}",
            "{{- $cert := genSelfSignedCert .a nil nil 365 -}}",
            "a: {{ uuidv4 | quote }}",
            "{{ tpl \"{{ now }}\" . }}",
            "{{ htpasswd .a .b }}",
        ] {
            assert!(is_fickle(text), "{text}");
        }
        for text in [
            "it is running now {{ .Values.a }}",
            "{{/* randAlphaNum */}}{{ .a }}",
            "{{ derivePassword 1 \"long\" .a .b .c }}",
            "{{ general }}",
            "rand: {{ lookup \"v1\" \"Secret\" .a .b }}",
        ] {
            assert!(!is_fickle(text), "{text}");
        }
    }

    #[test]
    fn the_clock_is_changed_only_where_it_is_read() {
        for (text, wanted) in [
            ("{{ now | date \"2006\" }}", Some("{{ @ | date \"2006\" }}")),
            ("now {{ (now).Unix }} {{now}}", Some("now {{ (@).Unix }} {{@}}")),
            ("{{ .now }}{{ $now }}{{ \"now\" }}{{ `now` }}{{ nowhere }}{{/* now */}}", None),
            ("{{ \"a\\\"}}\" | now }}", Some("{{ \"a\\\"}}\" | @ }}")),
        ] {
            assert_eq!(with_later_clock(text), wanted.map(|wanted| wanted.replace('@', LATER)), "{text}");
        }
    }
}
