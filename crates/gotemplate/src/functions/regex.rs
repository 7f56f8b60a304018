//! Sprig's functions for regular expressions. `regex-lite` matches as Go does (leftmost, first alternative, classes
//! of ASCII). Syntax that the two read differently is rewritten; syntax that `regex-lite` does not support counts as
//! not implemented.

use regex_lite::{NoExpand, Regex, RegexBuilder};

use super::{Call, Function, function};
use crate::error::{Result, unknown};
use crate::value::{Of, Value};

pub(super) const TABLE: &[Function] = &[
    function("mustRegexFind", "ss", find),
    function("mustRegexFindAll", "ssi", find_all),
    function("mustRegexMatch", "ss", matches),
    function("mustRegexReplaceAll", "sss", replace),
    function("mustRegexReplaceAllLiteral", "sss", replace_literal),
    function("mustRegexSplit", "ssi", split),
    function("regexFind", "ss", find),
    function("regexFindAll", "ssi", find_all),
    function("regexMatch", "ss", matches),
    function("regexQuoteMeta", "s", |call| {
        let quoted = call.text(0).chars().flat_map(|found| [Some('\\').filter(|_| META.contains(found)), Some(found)]);
        Ok(Value::text(quoted.flatten().collect::<String>()))
    }),
    function("regexReplaceAll", "sss", replace),
    function("regexReplaceAllLiteral", "sss", replace_literal),
    function("regexSplit", "ssi", split),
];

const META: &str = "\\.+*?()|[]{}^$";

/// The maximum length of a text, and the maximum size of a compiled expression, in bytes.
const TEXT: usize = 32 << 10;
const PROGRAM: usize = 64 << 10;

/// A compiled expression, the text, and the work of one search.
struct Search<'c> {
    regex: Regex,
    text: &'c str,
    cost: usize,
}

impl<'c> Search<'c> {
    fn new(call: &'c Call<'_>) -> Result<Self> {
        let (pattern, text) = (call.text(0), call.text(1));
        call.work.spend(4096 + pattern.len() * 64)?;
        let rewritten = rewrite(pattern, text).filter(|_| text.len() <= TEXT && pattern.len() <= TEXT);
        let Some(rewritten) = rewritten else { return unknown("such an expression") };
        let mut size = PROGRAM / 64;
        while size <= PROGRAM {
            if let Ok(regex) = RegexBuilder::new(&rewritten).size_limit(size).build() {
                let search = Self { regex, text, cost: 64 + text.len() * size / 16 };
                call.work.spend(search.cost)?;
                return Ok(search);
            }
            size *= 4;
        }
        unknown("such an expression")
    }

    /// Start and end of the first `most` matches.
    fn places(&self, call: &Call<'_>, most: usize) -> Result<Vec<(usize, usize)>> {
        let mut places = Vec::new();
        for found in self.regex.find_iter(self.text).take(most) {
            call.work.spend(self.cost)?;
            places.push((found.start(), found.end()));
        }
        Ok(places)
    }
}

fn matches(call: &Call<'_>) -> Result<Value> {
    let search = Search::new(call)?;
    Ok(Value::Bool(search.regex.is_match(search.text)))
}

fn find(call: &Call<'_>) -> Result<Value> {
    let search = Search::new(call)?;
    Ok(Value::text(search.regex.find(search.text).map_or("", |found| found.as_str())))
}

fn find_all(call: &Call<'_>) -> Result<Value> {
    let search = Search::new(call)?;
    let places = search.places(call, usize::try_from(call.int(2)).unwrap_or(usize::MAX))?;
    if places.is_empty() {
        return Ok(Value::nil_list(Of::Text));
    }
    Ok(Value::texts(places.into_iter().map(|(start, end)| &search.text[start..end])))
}

fn replace(call: &Call<'_>) -> Result<Value> {
    let with = call.text(2);
    let search = Search::new(call)?;
    if with.contains('$') && !with.is_ascii() {
        return unknown("such a replacement");
    }
    let count = search.places(call, usize::MAX)?.len();
    // A group matches at most the whole text.
    call.work.text(count, with.len() + with.matches('$').count() * search.text.len())?;
    Ok(Value::text(search.regex.replace_all(search.text, with).as_ref()))
}

fn replace_literal(call: &Call<'_>) -> Result<Value> {
    let with = call.text(2);
    let search = Search::new(call)?;
    let count = search.places(call, usize::MAX)?.len();
    call.work.text(count, with.len())?;
    Ok(Value::text(search.regex.replace_all(search.text, NoExpand(with)).as_ref()))
}

fn split(call: &Call<'_>) -> Result<Value> {
    let (search, most) = (Search::new(call)?, call.int(2));
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(Value::nil_list(Of::Text));
    }
    if search.text.is_empty() && !call.text(0).is_empty() {
        return Ok(Value::texts([""]));
    }
    let (mut parts, mut start, mut last) = (Vec::new(), 0, 0);
    for (from, to) in search.places(call, most)? {
        if parts.len() + 1 == most {
            break;
        }
        last = from;
        if to != 0 {
            parts.push(&search.text[start..from]);
        }
        start = to;
    }
    if last != search.text.len() {
        parts.push(&search.text[start..]);
    }
    Ok(Value::texts(parts))
}

/// Rewrites an expression of Go for `regex-lite`. `None` when one of the two does not support its syntax, or when
/// they would fold letters of `text` differently.
fn rewrite(pattern: &str, text: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    // 1 after a repetition, 2 after a lazy one, otherwise 0.
    let mut repetition = 0;
    while let Some(found) = rest.next() {
        let mut is_repetition = matches!(found, '*' | '+' | '?');
        match found {
            '\\' => escape(&mut rest, &mut out, false)?,
            '[' => class(&mut rest, &mut out)?,
            '(' if rest.as_str().starts_with('?') => {
                let (opening, _) = rest.as_str().split_at_checked(rest.as_str().find([':', ')', '<'])? + 1)?;
                let flags = opening[1..opening.len() - 1].trim_start_matches('P');
                let is_known = flags.chars().all(|flag| "imsU-".contains(flag));
                if !is_known || flags.contains('i') && !(pattern.is_ascii() && text.is_ascii()) {
                    return None;
                }
                out.push('(');
                out.push_str(opening);
                rest = rest.as_str()[opening.len()..].chars();
            }
            '{' => match counted(rest.as_str()) {
                Some(length) => {
                    is_repetition = true;
                    out.push('{');
                    out.push_str(&rest.as_str()[..length]);
                    rest = rest.as_str()[length..].chars();
                }
                None => out.push_str("\\{"),
            },
            _ => out.push(found),
        }
        repetition = match (is_repetition, found, repetition) {
            (false, ..) => 0,
            (true, _, 0) => 1,
            (true, '?', 1) => 2,
            _ => return None,
        };
    }
    Some(out)
}

/// The length of a counted repetition such as `2,3}`; `None` when the text is something else.
fn counted(text: &str) -> Option<usize> {
    let (inner, _) = text.split_once('}')?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(inner.len() + 1)
}

fn escape(rest: &mut std::str::Chars<'_>, out: &mut String, in_class: bool) -> Option<()> {
    match rest.next()? {
        's' => out.push_str(if in_class { "\\t\\n\\f\\r " } else { "[\\t\\n\\f\\r ]" }),
        'S' if !in_class => out.push_str("[^\\t\\n\\f\\r ]"),
        found @ ('d' | 'D' | 'w' | 'W' | 'a' | 'f' | 't' | 'n' | 'r' | 'v' | 'x') => out.extend(['\\', found]),
        found @ ('b' | 'B' | 'A' | 'z') if !in_class => out.extend(['\\', found]),
        found if found.is_ascii_punctuation() => literal(found, out),
        _ => return None,
    }
    Some(())
}

fn literal(found: char, out: &mut String) {
    if META.contains(found) || "-&~#^".contains(found) {
        out.push('\\');
    }
    out.push(found);
}

fn class(rest: &mut std::str::Chars<'_>, out: &mut String) -> Option<()> {
    out.push('[');
    if rest.as_str().starts_with('^') {
        rest.next();
        out.push('^');
    }
    let mut is_first = true;
    loop {
        let found = rest.next()?;
        match found {
            ']' if !is_first => break,
            '[' if rest.as_str().starts_with(':') => {
                let (name, _) = rest.as_str().split_once(":]")?;
                out.push('[');
                out.push_str(name);
                out.push_str(":]");
                let length = name.len() + 2;
                *rest = rest.as_str()[length..].chars();
            }
            '\\' => escape(rest, out, true)?,
            '-' if rest.as_str().starts_with('-') => return None,
            '-' => out.push('-'),
            _ => literal(found, out),
        }
        is_first = false;
    }
    out.push(']');
    Some(())
}
