//! Globs in `include` and `exclude`, as Argo CD reads them: `github.com/gobwas/glob` without separators.
//!
//! `*` and `**` match any text, including slashes; `?` matches one character; `[abc]`, `[!abc]`, `[a-z]`, `[!a-z]` match one character that is or is
//! not in a class; `{a,b}` matches either pattern; `\` escapes the next character. Odd patterns (a `{` that is never closed, a NUL, a final `\`)
//! behave as in that library, whose lexer was read for this. A pattern that it refuses matches nothing, as in Argo CD's `util/glob`.
//!
//! Errors of that library's optimizer are not copied: see the test `differs_from_gobwas_where_its_optimizer_errs`.

/// A compiled pattern. A match takes at most time and memory in proportion to the length of the pattern times that of the text.
#[derive(Clone, Debug)]
pub struct Glob {
    /// `None` for an invalid pattern.
    program: Option<Vec<Step>>,
}

#[derive(Clone, Debug)]
enum Step {
    /// Exactly this character.
    Char(char),
    /// Any one character.
    Single,
    /// Any text, including an empty one.
    Any,
    /// One character that is, or is not, in the list.
    List { chars: Vec<char>, side: Side },
    /// One character that is, or is not, in the range.
    Range { lo: char, hi: char, side: Side },
    /// Continues at any of these steps.
    Fork(Vec<usize>),
    /// Continues at this step.
    Jump(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    In,
    Out,
}

impl Side {
    fn holds(self, found: bool) -> bool {
        found == (self == Self::In)
    }
}

/// The maximum length of a text in bytes. Equals the maximum length of a path in Linux; no name in Kubernetes is longer.
const MAX_TEXT: usize = 4096;

impl Glob {
    /// Compiles `pattern`.
    pub fn new(pattern: &str) -> Self {
        let compiler = Compiler { chars: pattern.chars().collect(), at: 0, steps: Vec::new(), open: Vec::new() };
        Self { program: compiler.compile().ok() }
    }

    /// False for an invalid pattern.
    pub fn is_understood(&self) -> bool {
        self.program.is_some()
    }

    /// Whether the whole `text` matches. A text of more than 4,096 bytes matches only patterns that match every text.
    pub fn matches(&self, text: &str) -> bool {
        let is_any = |step: &Step| matches!(step, Step::Any);
        self.program.as_ref().is_some_and(|steps| match steps.as_slice() {
            [first, rest @ ..] if is_any(first) && rest.iter().all(is_any) => true,
            steps => text.len() <= MAX_TEXT && run(steps, text),
        })
    }
}

/// Matches by backtracking, but never visits the same step at the same character twice.
fn run(steps: &[Step], text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let width = chars.len() + 1;
    let mut seen = vec![0_u64; (steps.len() * width).div_ceil(64)];
    let mut todo = vec![(0, 0)];
    while let Some((step, at)) = todo.pop() {
        let Some(now) = steps.get(step) else {
            if at == chars.len() {
                return true;
            }
            continue;
        };
        let bit = step * width + at;
        if seen[bit / 64] & 1 << (bit % 64) != 0 {
            continue;
        }
        seen[bit / 64] |= 1 << (bit % 64);
        let next = chars.get(at).copied();
        let takes_one = match now {
            Step::Char(char) => next == Some(*char),
            Step::Single => next.is_some(),
            Step::List { chars, side } => next.is_some_and(|next| side.holds(chars.contains(&next))),
            Step::Range { lo, hi, side } => next.is_some_and(|next| side.holds((*lo..=*hi).contains(&next))),
            Step::Any => {
                if next.is_some() {
                    todo.push((step, at + 1));
                }
                todo.push((step + 1, at));
                false
            }
            Step::Fork(ways) => {
                todo.extend(ways.iter().map(|way| (*way, at)));
                false
            }
            Step::Jump(to) => {
                todo.push((*to, at));
                false
            }
        };
        if takes_one {
            todo.push((step + 1, at + 1));
        }
    }
    false
}

struct Invalid;

/// Reads a pattern as gobwas' lexer does, and writes the steps while reading.
struct Compiler {
    chars: Vec<char>,
    at: usize,
    steps: Vec<Step>,
    /// The `{` that are not closed yet, from the outermost to the innermost.
    open: Vec<Alternatives>,
}

struct Alternatives {
    fork: usize,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Compiler {
    fn compile(mut self) -> Result<Vec<Step>, Invalid> {
        while let Some(char) = self.read()? {
            match char {
                '{' => {
                    let fork = self.steps.len();
                    self.steps.push(Step::Fork(Vec::new()));
                    self.open.push(Alternatives { fork, starts: vec![fork + 1], ends: Vec::new() });
                }
                ',' if !self.open.is_empty() => self.next_alternative(),
                '}' if !self.open.is_empty() => self.close(),
                '[' => self.class()?,
                '?' => self.steps.push(Step::Single),
                '*' => self.steps.push(Step::Any),
                _ => {
                    self.at -= 1;
                    let stops: &[char] =
                        if self.open.is_empty() { &['?', '*', '[', '{'] } else { &['?', '*', '[', '{', '}', ','] };
                    let text = self.text(stops)?;
                    self.steps.extend(text.into_iter().map(Step::Char));
                }
            }
        }
        while !self.open.is_empty() {
            self.close();
        }
        Ok(self.steps)
    }

    /// The next character. None at the end, and at a NUL, which gobwas takes for the end; the NUL is consumed.
    fn read(&mut self) -> Result<Option<char>, Invalid> {
        let next = self.chars.get(self.at).copied();
        self.at += usize::from(next.is_some());
        match next {
            // Go's decoder returns this character for bytes that are not UTF-8, and gobwas cannot distinguish the two.
            Some('\u{fffd}') => Err(Invalid),
            next => Ok(next.filter(|next| *next != '\0')),
        }
    }

    /// The text up to one of `stops`, without escapes.
    fn text(&mut self, stops: &[char]) -> Result<Vec<char>, Invalid> {
        let mut text = Vec::new();
        while let Some(char) = self.read()? {
            if char == '\\' {
                match self.read()? {
                    Some(escaped) => text.push(escaped),
                    None => break,
                }
            } else if stops.contains(&char) {
                self.at -= 1;
                break;
            } else {
                text.push(char);
            }
        }
        Ok(text)
    }

    /// Reads a class after its `[`, up to its `]`.
    fn class(&mut self) -> Result<(), Invalid> {
        let mut first = self.read()?.ok_or(Invalid)?;
        let mut side = Side::In;
        if first == '!' {
            side = Side::Out;
            first = self.read()?.ok_or(Invalid)?;
        }
        if self.chars.get(self.at) == Some(&'-') {
            self.at += 1;
            let hi = self.read()?.ok_or(Invalid)?;
            if hi < first {
                return Err(Invalid);
            }
            self.steps.push(Step::Range { lo: first, hi, side });
        } else {
            self.at -= 1;
            let chars = self.text(&[']'])?;
            if chars.is_empty() {
                return Err(Invalid);
            }
            self.steps.push(Step::List { chars, side });
        }
        if self.read()? == Some(']') { Ok(()) } else { Err(Invalid) }
    }

    fn next_alternative(&mut self) {
        let end = self.steps.len();
        self.steps.push(Step::Jump(end));
        if let Some(innermost) = self.open.last_mut() {
            innermost.ends.push(end);
            innermost.starts.push(end + 1);
        }
    }

    fn close(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        let after = self.steps.len();
        for end in closed.ends {
            self.steps[end] = Step::Jump(after);
        }
        self.steps[closed.fork] = Step::Fork(closed.starts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern, texts that match, texts that do not match. All verdicts are those of `github.com/gobwas/glob` v0.2.3.
    const VERDICTS: &[(&str, &[&str], &[&str])] = &[
        ("job.yaml", &["job.yaml"], &["a/job.yaml", "job.yaml2", "job_yaml", "Job.yaml"]),
        ("*", &["a", "a/b/c.yaml", ".hidden"], &[]),
        ("**", &["a", "a/b/c.yaml"], &[]),
        ("*.yaml", &["a.yaml", "sub/a.yaml", ".yaml"], &["a.yml", "a.yaml.json"]),
        ("**/*.yaml", &["sub/a.yaml", "a/b/c.yaml"], &["a.yaml"]),
        ("jobs/*", &["jobs/a.yaml", "jobs/a/b.yaml", "jobs/"], &["jobs", "x/jobs/a.yaml"]),
        ("*/test/*", &["a/test/b", "a/b/test/c/d"], &["test/a", "atest/b"]),
        ("***", &["a/b"], &[]),
        ("a?c.yaml", &["abc.yaml", "a/c.yaml"], &["ac.yaml", "abbc.yaml"]),
        ("[abc]", &["a", "c"], &["d", "ab"]),
        ("[!abc].yaml", &["d.yaml", "/.yaml"], &["a.yaml", ".yaml"]),
        ("[a-c]-*", &["b-1"], &["d-1", "--1"]),
        ("[!a-c]-*", &["d-1"], &["b-1"]),
        ("[!!]", &["a"], &["!"]),
        ("[a!]", &["!", "a"], &["b"]),
        ("[ab-]", &["-", "a", "b"], &["c"]),
        ("[-a]", &["-", "a"], &["b"]),
        ("[\\]]", &["]"], &["\\"]),
        ("[a\\-c]", &["-", "a", "c"], &["b"]),
        ("[^a]", &["^", "a"], &["b"]),
        ("[[]", &["["], &["]"]),
        ("[*]", &["*"], &["a"]),
        ("[ä-ü]", &["ö"], &["a"]),
        ("{a,b}.yaml", &["a.yaml", "b.yaml"], &["c.yaml", "{a,b}.yaml", "ab.yaml"]),
        ("{config.yaml,env-prod/*}", &["config.yaml", "env-prod/x/y.yaml"], &["env-test/x.yaml"]),
        ("*.{yaml,yml,json}", &["a.yaml", "b/a.yml", "a.json"], &["a.jsonnet"]),
        ("{a,{b,c}d}e", &["ae", "bde", "cde"], &["be", "ade"]),
        ("{a*,*b}", &["a", "ax/y", "xb", "b"], &["xa", "bx"]),
        ("a{,b}c", &["ac", "abc"], &["abbc"]),
        ("a{b}c", &["abc"], &["a{b}c"]),
        ("{[a,],b}", &["a", ",", "b"], &["[a"]),
        ("a,b", &["a,b"], &["a", "b"]),
        ("a}b", &["a}b"], &["ab"]),
        ("a]b", &["a]b"], &["ab"]),
        ("{a", &["a"], &["{a"]),
        ("{a,b", &["a", "b"], &["{a,b"]),
        ("{a}}", &["a}"], &["a"]),
        ("\\*", &["*"], &["a", "\\*"]),
        ("\\a", &["a"], &["\\a"]),
        ("\\\\", &["\\"], &["\\\\"]),
        ("a\\", &["a"], &["a\\"]),
        ("\\{a,b\\}", &["{a,b}"], &["a"]),
        ("{a\\,b,c}", &["a,b", "c"], &["a"]),
        ("!a", &["!a"], &["b", "a"]),
        ("a-b", &["a-b"], &["ab"]),
        ("a\0b", &["ab"], &["a", "a\0b"]),
        ("a*\0b", &["a", "ab", "ax"], &["b"]),
        ("", &[""], &["a"]),
        ("(a|b).+$", &["(a|b).+$"], &["a"]),
        // Refused patterns match nothing, not even themselves.
        ("[]", &[], &["[]", "", "]"]),
        ("[!]", &[], &["[!]", "a"]),
        ("[a", &[], &["[a", "a"]),
        ("[", &[], &["["]),
        ("[a-", &[], &["a", "-"]),
        ("[c-a]", &[], &["b", "[c-a]"]),
        ("[a-c-e]", &[], &["a", "-", "e"]),
        ("[a-cx]", &[], &["a", "x"]),
        ("*[", &[], &["a", "["]),
        ("a\u{fffd}*", &[], &["a\u{fffd}", "a"]),
    ];

    #[test]
    fn matches_what_gobwas_matches() {
        for (pattern, matching, others) in VERDICTS {
            let glob = Glob::new(pattern);
            for text in *matching {
                assert!(glob.matches(text), "`{pattern}` should match `{text}`");
            }
            for text in *others {
                assert!(!glob.matches(text), "`{pattern}` should not match `{text}`");
            }
        }
    }

    /// The library's optimizer contradicts its own syntax in these cases. A `*` between equal texts: `a*a` matches `a`. A `{…}` that begins with an
    /// open-ended alternative, next to parts of fixed length: `a/{*.yaml,b}` does not match `a/x.yaml`. A character of several bytes next to other
    /// single characters: `a?c` does not match `aäc`. An unclosed `{` at the end: it panics.
    #[test]
    fn differs_from_gobwas_where_its_optimizer_errs() {
        assert!(!Glob::new("a*a").matches("a"));
        assert!(Glob::new("a/{*.yaml,b}").matches("a/x.yaml"));
        assert!(Glob::new("a?c").matches("aäc"));
        assert!(Glob::new("a{").matches("a"));
    }

    #[test]
    fn hostile_patterns_end_soon() {
        let text = "a".repeat(2_000);
        assert!(!Glob::new(&("*a".repeat(200) + "b")).matches(&text));
        assert!(!Glob::new(&("{a,a*,*a}".repeat(60) + "b")).matches(&text));
        assert!(Glob::new(&("{".repeat(50_000) + "a")).matches("a"));
    }
}
