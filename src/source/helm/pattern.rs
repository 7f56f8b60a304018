//! Whether a name matches one part of a glob, as the library of Argo CD decides it
//! (`github.com/bmatcuk/doublestar/v4` v4.10.0, `match.go` and `validate.go`), with a limit on the work.

use std::ops::Range;

use super::work::{TooMuch, Work};

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// The pattern is malformed.
    BadPattern,
    /// It takes too much work.
    TooMuch,
}

impl From<TooMuch> for Failed {
    fn from(_: TooMuch) -> Self {
        Self::TooMuch
    }
}

/// Whether the pattern is well-formed: classes have an end and are not empty, braces are in pairs, a backslash is before something.
pub(super) fn is_valid(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut open = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                at += 1;
                if at >= bytes.len() {
                    return false;
                }
            }
            b'[' => {
                at += 1;
                at += usize::from(matches!(bytes.get(at), Some(b'^' | b'!')));
                if matches!(bytes.get(at), None | Some(b']')) {
                    return false;
                }
                match unescaped(&pattern[at..], b']') {
                    Some(end) => at += end,
                    None => return false,
                }
            }
            b'{' => open += 1,
            b'}' if open == 0 => return false,
            b'}' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    open == 0
}

/// Whether the whole of `name` matches `pattern`.
pub(super) fn matches(pattern: &str, name: &str, work: &mut Work) -> Result<bool, Failed> {
    Match { name, work }.run(pattern, State::default())
}

struct Match<'a> {
    name: &'a str,
    work: &'a mut Work,
}

/// How far a match has come, in bytes of pattern and name.
#[derive(Clone, Copy)]
struct State {
    at: usize,
    name_at: usize,
    /// The next character is the first of a part between slashes.
    starts_part: bool,
    /// Where the last star is over and what it has taken ends.
    star: Option<(usize, usize)>,
    /// The same for the last double star.
    double: Option<(usize, usize)>,
}

impl Default for State {
    fn default() -> Self {
        Self { at: 0, name_at: 0, starts_part: true, star: None, double: None }
    }
}

/// What one element of a pattern makes of the next character.
enum Step {
    /// It takes these numbers of bytes of pattern and name.
    Takes(usize, usize),
    /// It is a star, which takes nothing yet.
    Star,
    /// It does not match.
    No,
    /// It decides about the whole.
    Is(bool),
}

impl Match<'_> {
    fn run(&mut self, pattern: &str, mut state: State) -> Result<bool, Failed> {
        self.work.spend(1 + pattern.len() as u64 / 16)?;
        while state.name_at < self.name.len() {
            self.work.spend(1)?;
            match self.step(pattern, &mut state)? {
                Step::Takes(in_pattern, in_name) => {
                    state.at += in_pattern;
                    state.name_at += in_name;
                }
                Step::Star => {}
                Step::No if self.goes_back(&mut state) => {}
                Step::No => return Ok(false),
                Step::Is(decided) => return Ok(decided),
            }
        }
        self.matches_nothing(&pattern[state.at.min(pattern.len())..])
    }

    fn step(&mut self, pattern: &str, state: &mut State) -> Result<Step, Failed> {
        let bytes = pattern.as_bytes();
        let starts_part = std::mem::replace(&mut state.starts_part, false);
        let (found, length) = first(&self.name[state.name_at..]);
        Ok(match bytes.get(state.at) {
            None => Step::No,
            Some(b'*') => star(bytes, starts_part, state),
            Some(b'?') if found == '/' => Step::No,
            Some(b'?') => Step::Takes(1, length),
            Some(b'[') => class(&pattern[state.at..], (found, length))?,
            Some(b'{') => Step::Is(self.alternatives(pattern, State { starts_part: true, ..*state })?),
            Some(byte) => {
                let escape = usize::from(*byte == b'\\');
                if state.at + escape >= bytes.len() {
                    return Err(Failed::BadPattern);
                }
                let (wanted, wanted_length) = first(&pattern[state.at + escape..]);
                if wanted == found {
                    state.starts_part = wanted == '/';
                    Step::Takes(escape + wanted_length, length)
                } else {
                    Step::No
                }
            }
        })
    }

    /// The star takes one character more, or else the double star one part more.
    fn goes_back(&self, state: &mut State) -> bool {
        if let Some((at, name_at)) = state.star {
            let (found, length) = first(&self.name[name_at..]);
            if found != '/' {
                let next = (at, name_at + length);
                *state = State { at, name_at: next.1, starts_part: false, star: Some(next), ..*state };
                return true;
            }
        }
        let Some((at, name_at)) = state.double else { return false };
        let Some(slash) = self.name[name_at..].find('/') else { return false };
        let next = (at, name_at + slash + 1);
        *state = State { at, name_at: next.1, starts_part: true, double: Some(next), ..*state };
        true
    }

    /// `{…,…}`: each alternative is tried in its place. The library takes what follows for the first of a part.
    fn alternatives(&mut self, pattern: &str, state: State) -> Result<bool, Failed> {
        for alternative in alternatives(pattern, state.at)? {
            self.work.spend(pattern.len() as u64)?;
            if self.run(&alternative.in_place(pattern), state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the rest of a pattern matches an empty text.
    fn matches_nothing(&mut self, rest: &str) -> Result<bool, Failed> {
        self.work.spend(1)?;
        if matches!(rest, "" | "*" | "**" | "/**" | "**/" | "/**/") {
            return Ok(true);
        }
        if !rest.starts_with('{') {
            return Ok(false);
        }
        for alternative in alternatives(rest, 0)? {
            self.work.spend(rest.len() as u64)?;
            if self.matches_nothing(&alternative.in_place(rest))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// `*`, and `**`, which is one only as a whole part.
fn star(bytes: &[u8], starts_part: bool, state: &mut State) -> Step {
    state.at += 1;
    if bytes.get(state.at) == Some(&b'*') {
        state.at += 1;
        match bytes.get(state.at) {
            None if starts_part => return Step::Is(true),
            Some(b'/') if starts_part => {
                state.at += 1;
                state.starts_part = true;
                state.double = Some((state.at, state.name_at));
                state.star = None;
                return Step::Star;
            }
            _ => {}
        }
    }
    state.star = Some((state.at, state.name_at));
    Step::Star
}

/// One alternative of a `{…,…}`.
struct Alternative {
    /// The braces with all between them.
    whole: Range<usize>,
    /// The alternative itself.
    own: Range<usize>,
}

impl Alternative {
    /// The pattern with only this alternative.
    fn in_place(&self, pattern: &str) -> String {
        [&pattern[..self.whole.start], &pattern[self.own.clone()], &pattern[self.whole.end..]].concat()
    }
}

/// The alternatives of the `{…}` at `at`.
fn alternatives(pattern: &str, at: usize) -> Result<Vec<Alternative>, Failed> {
    let end = at + 1 + closing(&pattern[at + 1..]).ok_or(Failed::BadPattern)?;
    let mut all = Vec::new();
    let mut start = at + 1;
    loop {
        let comma = next_alternative(&pattern[start..end]).map(|comma| start + comma);
        all.push(Alternative { whole: at..end + 1, own: start..comma.unwrap_or(end) });
        match comma {
            Some(comma) => start = comma + 1,
            None => return Ok(all),
        }
    }
}

/// A class `[…]` at the beginning of `pattern`, and the character that it is to match, with its length.
fn class(pattern: &str, (found, name_length): (char, usize)) -> Result<Step, Failed> {
    let bytes = pattern.as_bytes();
    let mut at = 1;
    let negated = matches!(bytes.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    if matches!(bytes.get(at), None | Some(b']')) {
        return Err(Failed::BadPattern);
    }
    let mut matched = false;
    let mut last: Option<char> = None;
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let (mut wanted, mut length) = first(&pattern[at..]);
        at += length;
        if let Some(low) = last
            && wanted == '-'
            && bytes.get(at).is_some_and(|byte| *byte != b']')
        {
            at += usize::from(bytes[at] == b'\\');
            (wanted, length) = first(&pattern[at..]);
            at += length;
            if (low..=wanted).contains(&found) {
                matched = true;
                break;
            }
            last = None;
            continue;
        }
        if wanted == '\\' {
            (wanted, length) = first(&pattern[at..]);
            at += length;
        }
        if wanted == found {
            matched = true;
            break;
        }
        last = Some(wanted).filter(|last| *last < char::MAX);
    }
    if matched == negated {
        return if at >= bytes.len() { Err(Failed::BadPattern) } else { Ok(Step::No) };
    }
    let end = unescaped(&pattern[at..], b']').ok_or(Failed::BadPattern)?;
    Ok(Step::Takes(at + end + 1, name_length))
}

/// The first character with its length; at the end what Go's decoder returns there.
fn first(text: &str) -> (char, usize) {
    text.chars().next().map_or((char::REPLACEMENT_CHARACTER, 0), |found| (found, found.len_utf8()))
}

/// Where the first unescaped `wanted` is.
fn unescaped(text: &str, wanted: u8) -> Option<usize> {
    scan(text, |byte, _| byte == wanted)
}

/// Where the brace is closed that is opened before `text`.
fn closing(text: &str) -> Option<usize> {
    scan(text, |byte, depth| byte == b'}' && depth == 0)
}

/// Where the comma is that ends the first alternative of `text`, which is what stands between two braces.
pub(super) fn next_alternative(text: &str) -> Option<usize> {
    scan(text, |byte, depth| byte == b',' && depth == 0)
}

/// The first unescaped byte that is `wanted`, which also gets the number of open braces.
fn scan(text: &str, wanted: impl Fn(u8, i64) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' {
            at += 2;
            continue;
        }
        if wanted(*byte, depth) {
            return Some(at);
        }
        depth += i64::from(*byte == b'{') - i64::from(*byte == b'}');
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stars_cross_slashes_only_as_a_whole_part() {
        for (pattern, name, is_matched) in [
            ("**", "a/b", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/c/d/b", true),
            ("**/b", "a/c/b", true),
            ("a**/b", "ac/b", true),
            ("a**/b", "ac/d/b", false),
            ("a**", "a/b", false),
            ("a/**b", "a/cb", true),
            ("a/**b", "a/c/b", false),
            ("*", "a/b", false),
        ] {
            assert_eq!(matches(pattern, name, &mut Work::for_all()).ok(), Some(is_matched), "{pattern} {name}");
        }
    }
}
