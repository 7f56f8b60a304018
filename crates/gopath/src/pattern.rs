//! `path.Match` of Go (`path/match.go`).
//!
//! A star is tried at each place of a path, so that a pattern can take as many steps as the product of both lengths.
//! Each step is counted.

use crate::Steps;

/// The pattern is malformed, so for Argo CD it matches nothing; or no steps are left.
struct Malformed;

/// Go's `path.Match`: `*` and `?`, which do not match `/`, and classes in brackets. Like Go's, it never backtracks to
/// an earlier `*`.
pub fn matches(pattern: &str, path: &str, steps: &Steps) -> bool {
    steps.take(path.len()) && matched(pattern, path, steps).unwrap_or_default()
}

fn matched(mut pattern: &str, mut path: &str, steps: &Steps) -> Result<bool, Malformed> {
    'pattern: while !pattern.is_empty() {
        let has_star = pattern.starts_with('*');
        let (chunk, rest) = split_chunk(pattern.trim_start_matches('*'));
        pattern = rest;
        if has_star && chunk.is_empty() {
            return Ok(!path.contains('/'));
        }
        if let Some(after) = match_chunk(chunk, path, steps)?
            && (after.is_empty() || !pattern.is_empty())
        {
            path = after;
            continue;
        }
        for (at, char) in path.char_indices().filter(|_| has_star) {
            if char == '/' {
                break;
            }
            if let Some(after) = match_chunk(chunk, &path[at + char.len_utf8()..], steps)? {
                if pattern.is_empty() && !after.is_empty() {
                    continue;
                }
                path = after;
                continue 'pattern;
            }
        }
        // A malformed rest of the pattern is an error, too.
        while !pattern.is_empty() {
            let (chunk, rest) = split_chunk(pattern.trim_start_matches('*'));
            pattern = rest;
            match_chunk(chunk, "", steps)?;
        }
        return Ok(false);
    }
    Ok(path.is_empty())
}

/// Splits a pattern before the next `*` outside of brackets.
fn split_chunk(pattern: &str) -> (&str, &str) {
    let mut in_class = false;
    let mut chars = pattern.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '*' if !in_class => return pattern.split_at(at),
            _ => {}
        }
    }
    (pattern, "")
}

/// The rest of `text` after a chunk; `None` when the chunk does not match. Reads the whole chunk in any case, to find
/// errors in it.
fn match_chunk<'t>(chunk: &str, text: &'t str, steps: &Steps) -> Result<Option<&'t str>, Malformed> {
    if !steps.take(chunk.len() + 1) {
        return Err(Malformed);
    }
    let mut text = Some(text);
    let mut chunk = chunk.chars();
    while let Some(char) = chunk.next() {
        let mut of_text = text.unwrap_or_default().chars();
        let next = of_text.next();
        let fits = match char {
            '[' => {
                let in_class = matches_class(&mut chunk, next)?;
                next.is_some() && in_class
            }
            '?' => next.is_some_and(|next| next != '/'),
            '\\' => {
                let escaped = chunk.next().ok_or(Malformed)?;
                next == Some(escaped)
            }
            other => next == Some(other),
        };
        text = text.filter(|_| fits).map(|_| of_text.as_str());
    }
    Ok(text)
}

/// Whether a class contains `found`. Reads the rest of the class, after its `[`.
fn matches_class(chunk: &mut std::str::Chars<'_>, found: Option<char>) -> Result<bool, Malformed> {
    let is_negated = chunk.as_str().starts_with('^');
    if is_negated {
        chunk.next();
    }
    let mut is_in = false;
    let mut ranges = 0;
    loop {
        if chunk.as_str().starts_with(']') && ranges > 0 {
            chunk.next();
            return Ok(is_in != is_negated);
        }
        let low = class_char(chunk)?;
        let mut high = low;
        if chunk.as_str().starts_with('-') {
            chunk.next();
            high = class_char(chunk)?;
        }
        is_in |= found.is_some_and(|found| (low..=high).contains(&found));
        ranges += 1;
    }
}

fn class_char(chunk: &mut std::str::Chars<'_>) -> Result<char, Malformed> {
    let char = match chunk.next() {
        None | Some('-' | ']') => return Err(Malformed),
        Some('\\') => chunk.next().ok_or(Malformed)?,
        Some(char) => char,
    };
    if chunk.as_str().is_empty() { Err(Malformed) } else { Ok(char) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_a_pattern_is_counted() {
        for size in [100, 200, 400] {
            let (pattern, path) = (format!("*{}b", "?".repeat(size)), "a".repeat(2 * size));
            let steps = Steps::new(1_000_000);
            matches(&pattern, &path, &steps);
            assert!((size * size..5 * size * size).contains(&(1_000_000 - steps.left())));
        }
    }

    #[test]
    fn nothing_matches_without_steps() {
        let steps = Steps::new(10);
        assert!(matches("*", "a", &steps));
        assert!(!matches("*", "aaaaaaaaaaaa", &steps) && steps.left() == 0);
        assert!(!matches("*", "a", &steps));
    }
}
