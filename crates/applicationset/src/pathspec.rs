//! Git's pathspecs: which files a git generator reads.
//!
//! A star is tried at each place of a path, so that a pattern can take as many steps as the product of both lengths.
//! Each step is counted.

use gopath::Steps;

use super::Problem;

/// A pattern of `git ls-files`.
pub(super) struct Pathspec {
    path: String,
    has_wildcard: bool,
}

impl Pathspec {
    /// Parses a pathspec relative to the root of the repository.
    pub(super) fn read(written: &str) -> Result<Self, Problem> {
        if written.starts_with(':') {
            return Err(Problem::Function(format!("the pathspec {written}")));
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in written.split('/').filter(|part| !part.is_empty() && *part != ".") {
            let is_outside = written.starts_with('/') || part == ".." && parts.pop().is_none();
            if is_outside {
                return Err(Problem::Failed(format!("unable to list files: `{written}` is outside of the repository")));
            }
            parts.extend((part != "..").then_some(part));
        }
        let mut path = parts.join("/");
        if written.ends_with('/') && !path.is_empty() {
            path.push('/');
        }
        Ok(Self { has_wildcard: path.contains(['*', '?', '[', '\\']), path })
    }

    /// Whether the pathspec is the path of the file or of a folder above it, or matches the path as a pattern in
    /// which `*` also matches `/`.
    pub(super) fn matches(&self, file: &str, steps: &Steps) -> bool {
        let below = file.strip_prefix(self.path.as_str());
        let is_exact = below.is_some_and(|below| {
            below.is_empty() || below.starts_with('/') || self.path.is_empty() || self.path.ends_with('/')
        });
        steps.take(1) && (is_exact || self.has_wildcard && wildmatch(self.path.as_bytes(), file.as_bytes(), steps))
    }
}

/// `wildmatch.c` of git without `WM_PATHNAME`: there `**` means the same as `*`.
fn wildmatch(pattern: &[u8], text: &[u8], steps: &Steps) -> bool {
    let (mut at, mut in_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        if !steps.take(1) {
            return false;
        }
        let next = match pattern.get(at) {
            Some(b'*') => {
                star = Some((at + 1, in_text));
                at += 1;
                continue;
            }
            Some(b'?') => Some(at + 1),
            Some(b'[') => byte_class(pattern, at + 1, text[in_text], steps),
            Some(b'\\') => pattern.get(at + 1).filter(|byte| **byte == text[in_text]).map(|_| at + 2),
            Some(byte) => (*byte == text[in_text]).then_some(at + 1),
            None => None,
        };
        match (next, star) {
            (Some(next), _) => {
                at = next;
                in_text += 1;
            }
            (None, Some((after, from))) => {
                star = Some((after, from + 1));
                at = after;
                in_text = from + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// The index in the pattern after a class that contains `byte`; `None` when the class does not contain it.
fn byte_class(pattern: &[u8], from: usize, byte: u8, steps: &Steps) -> Option<usize> {
    let is_negated = matches!(pattern.get(from), Some(b'!' | b'^'));
    let first = from + usize::from(is_negated);
    let mut at = first;
    let mut is_in = false;
    loop {
        let mut low = *pattern.get(at).filter(|_| steps.take(1))?;
        if low == b']' && at > first {
            return (is_in != is_negated).then_some(at + 1);
        }
        if pattern[at..].starts_with(b"[:") {
            let length = pattern[at..].windows(2).position(|two| !steps.take(1) || two == b":]")?;
            is_in |= is_of_kind(&pattern[at + 2..at + length], byte)?;
            at += length + 2;
            continue;
        }
        if low == b'\\' {
            at += 1;
            low = *pattern.get(at)?;
        }
        at += 1;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|next| *next != b']') {
            at += 1;
            at += usize::from(pattern[at] == b'\\');
            high = *pattern.get(at)?;
            at += 1;
        }
        is_in |= (low..=high).contains(&byte);
    }
}

fn is_of_kind(kind: &[u8], byte: u8) -> Option<bool> {
    Some(match kind {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => byte == b' ' || byte == b'\t',
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == b'\x0b',
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many steps a match takes of a million.
    fn taken(find: impl Fn(&Steps) -> bool) -> usize {
        let steps = Steps::new(1_000_000);
        find(&steps);
        1_000_000 - steps.left()
    }

    #[test]
    fn every_step_of_a_pattern_is_counted() {
        for size in [100, 200, 400] {
            let (pattern, path) = (format!("*{}b", "?".repeat(size)), "a".repeat(2 * size));
            let pathspec = Pathspec::read(&pattern).ok().unwrap();
            assert!((size * size..3 * size * size).contains(&taken(|steps| pathspec.matches(&path, steps))));
            let class = Pathspec::read(&format!("*[{}]b", "x".repeat(size))).ok().unwrap();
            assert!(taken(|steps| class.matches(&path, steps)) >= size * size);
        }
        // What people write costs about the length of the path.
        let ordinary = Pathspec::read("apps/*/config.yaml").ok().unwrap();
        assert!(taken(|steps| ordinary.matches("apps/shop/config.yaml", steps)) < 50);
        assert!(taken(|steps| ordinary.matches("other/shop/config.yaml", steps)) < 5);
    }

    #[test]
    fn nothing_matches_without_steps() {
        let steps = Steps::new(10);
        let pathspec = Pathspec::read("*").ok().unwrap();
        assert!(pathspec.matches("a", &steps));
        assert!(!pathspec.matches("aaaaaaaaaaaa", &steps) && steps.left() == 0);
    }
}
