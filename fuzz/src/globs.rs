//! Globs by a model: a pattern becomes a tree, and of each part of it the set of all places is worked out at which it can end. No pattern
//! takes long when it is short, and nothing is clever.

use std::collections::BTreeSet;

use kube_jobs::argocd::Glob;

/// A part of a pattern.
enum Part {
    Char(char),
    One,
    Any,
    Class { chars: Vec<char>, range: bool, negated: bool },
    Either(Vec<Vec<Part>>),
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

/// The pattern is refused.
struct Refused;

impl Parser {
    /// The next character, which is consumed; none at the end and at a NUL, which gobwas takes for the end.
    fn next(&mut self) -> Result<Option<char>, Refused> {
        let Some(found) = self.chars.get(self.at).copied() else { return Ok(None) };
        self.at += 1;
        match found {
            '\u{fffd}' => Err(Refused),
            '\0' => Ok(None),
            other => Ok(Some(other)),
        }
    }

    /// Parts up to the end, or in braces up to a `,` or `}`, which is returned.
    fn sequence(&mut self, in_braces: bool) -> Result<(Vec<Part>, Option<char>), Refused> {
        let mut parts = Vec::new();
        // A NUL within a text ends the text, and outside of one the pattern.
        let mut in_text = false;
        loop {
            let found = match self.next()? {
                Some(found) => found,
                None if in_text && self.at < self.chars.len() => {
                    in_text = false;
                    continue;
                }
                None => {
                    self.at = self.chars.len();
                    return Ok((parts, None));
                }
            };
            in_text = false;
            match found {
                ',' | '}' if in_braces => return Ok((parts, Some(found))),
                '?' => parts.push(Part::One),
                '*' => parts.push(Part::Any),
                '[' => parts.push(self.class()?),
                '{' => parts.push(self.either()?),
                '\\' => {
                    in_text = true;
                    match self.next()? {
                        Some(escaped) => parts.push(Part::Char(escaped)),
                        None => in_text = false,
                    }
                }
                other => {
                    in_text = true;
                    parts.push(Part::Char(other));
                }
            }
        }
    }

    fn either(&mut self) -> Result<Part, Refused> {
        let mut ways = Vec::new();
        loop {
            let (way, end) = self.sequence(true)?;
            ways.push(way);
            if end != Some(',') {
                return Ok(Part::Either(ways));
            }
        }
    }

    fn class(&mut self) -> Result<Part, Refused> {
        let mut first = self.next()?.ok_or(Refused)?;
        let negated = first == '!';
        if negated {
            first = self.next()?.ok_or(Refused)?;
        }
        if self.chars.get(self.at) == Some(&'-') {
            self.at += 1;
            let last = self.next()?.ok_or(Refused)?;
            let is_closed = last >= first && self.next()? == Some(']');
            return if is_closed {
                Ok(Part::Class { chars: vec![first, last], range: true, negated })
            } else {
                Err(Refused)
            };
        }
        self.at -= 1;
        let mut chars = Vec::new();
        loop {
            let found = match self.next()? {
                Some('\\') => self.next()?,
                Some(']') if chars.is_empty() => return Err(Refused),
                Some(']') => return Ok(Part::Class { chars, range: false, negated }),
                other => other,
            };
            match found {
                Some(found) => chars.push(found),
                // The end, or a NUL, which is only taken for the end of the list.
                None if !chars.is_empty() && self.next()? == Some(']') => {
                    return Ok(Part::Class { chars, range: false, negated });
                }
                None => return Err(Refused),
            }
        }
    }
}

/// All places at which `parts`, begun at one of `starts`, can end.
fn ends(parts: &[Part], text: &[char], starts: BTreeSet<usize>) -> BTreeSet<usize> {
    parts.iter().fold(starts, |starts, part| {
        // All starts at once: braces in braces take no longer.
        if let Part::Either(ways) = part {
            return ways.iter().flat_map(|way| ends(way, text, starts.clone())).collect();
        }
        let mut found = BTreeSet::new();
        for start in starts {
            let one =
                |fits: &dyn Fn(char) -> bool| text.get(start).is_some_and(|next| fits(*next)).then_some(start + 1);
            match part {
                Part::Char(wanted) => found.extend(one(&|next| next == *wanted)),
                Part::One => found.extend(one(&|_| true)),
                Part::Any => found.extend(start..=text.len()),
                Part::Class { chars, range: true, negated } => {
                    found.extend(one(&|next| (chars[0] <= next && next <= chars[1]) != *negated));
                }
                Part::Class { chars, negated, .. } => found.extend(one(&|next| chars.contains(&next) != *negated)),
                Part::Either(_) => {}
            }
        }
        found
    })
}

/// What the model says; `None` for a pattern that is refused.
fn model(pattern: &str, text: &str) -> Option<bool> {
    let mut parser = Parser { chars: pattern.chars().collect(), at: 0 };
    let (parts, _) = parser.sequence(false).ok()?;
    let text: Vec<char> = text.chars().collect();
    Some(ends(&parts, &text, BTreeSet::from([0])).contains(&text.len()))
}

/// Where a glob matches other texts than the model, or is refused and not by it. The first line is the pattern, the others are texts.
pub fn broken(data: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(data).ok()?;
    let mut lines = text.lines();
    let pattern = lines.next()?;
    // The model takes a part of the stack for each brace, and a set for each part and place.
    if pattern.len() > 200 || pattern.matches('{').count() > 6 {
        return None;
    }
    let glob = Glob::new(pattern);
    for text in lines.chain([pattern, ""]).take(4).filter(|text| text.len() < 100) {
        let wanted = model(pattern, text);
        if glob.is_understood() != wanted.is_some() || glob.matches(text) != wanted.unwrap_or(false) {
            return Some(format!(
                "{pattern:?} and {text:?}: understood {}, matches {}, by the model {wanted:?}",
                glob.is_understood(),
                glob.matches(text)
            ));
        }
    }
    None
}
