//! Functions of templates that give another value each time (`functions.go` of sprig), such as passwords, certificates and the time.

use crate::text::Span;

/// Whether a text has such a function in an action of a template. A name like it counts too: a second rendering tells.
pub(super) fn is_fickle(text: &str) -> bool {
    parts(text).iter().any(|part| words(part.span.of(text)).any(|(_, word)| is_fickle_word(word)))
}

fn is_fickle_word(word: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["rand", "uuid", "date", "duration", "htmlDate"];
    const OTHERS: [&str; 7] = [NOW, "ago", "shuffle", "bcrypt", "htpasswd", "encryptAES", "getHostByName"];
    let is_generated = word.strip_prefix("gen").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    BEGINNINGS.iter().any(|start| word.starts_with(start)) || is_generated || OTHERS.contains(&word)
}

/// The function that reads the clock.
const NOW: &str = "now";

/// What `now` would give more than a year later: each part of a date and of a time is another one then.
const LATER: &str = "(now | dateModify `+9529h1m1s`)";

/// A template that reads a clock which is ahead; none if it reads no clock.
pub(super) fn with_later_clock(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for span in parts(text).into_iter().filter(|part| !part.is_string).map(|part| part.span) {
        for (at, word) in words(span.of(text)) {
            let start = span.start + at;
            if word == NOW && !text[..start].ends_with(['.', '$']) {
                out.push_str(&text[done..start]);
                out.push_str(LATER);
                done = start + word.len();
            }
        }
    }
    (done > 0).then(|| out + &text[done..])
}

/// A part of an action: a string, or what is between two.
struct Part {
    span: Span,
    is_string: bool,
}

/// What is in the actions of a template, without comments.
fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("{{") {
        at += found + 2;
        let inside = text[at..].trim_start_matches('-').trim_start();
        if inside.starts_with("/*") {
            at += text[at..].find("*/").unwrap_or(text.len() - at);
            continue;
        }
        at = add_action(text, at, &mut parts);
    }
    parts
}

/// Adds the parts of the action that begins at `start`. Returns where it ends.
fn add_action(text: &str, start: usize, parts: &mut Vec<Part>) -> usize {
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
    end
}

/// The length of the string with which a text begins; none if it begins with no string.
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

/// The words of a text, with where they begin.
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
