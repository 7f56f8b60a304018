//! Changes manifests: lines are removed, doubled or moved, or get a value of another type.

/// Texts that replace values.
const ODD: [&str; 18] = [
    "null",
    "[]",
    "{}",
    "{a: b}",
    "[x]",
    "x",
    "\"\"",
    "-1",
    "0x7f",
    "1e400",
    "true",
    "2024-01-31",
    "|\n  x",
    "*a",
    "&a x",
    "!!binary eA==",
    "[[{}]]",
    "{<<: {a: b}}",
];

/// Pseudo-random numbers, the same in each run (xorshift64).
#[derive(Clone, Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// The numbers for a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        numbers.below(1);
        numbers
    }

    /// The next number below `end`; 0 when `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// The text with one to three changes; new lines come from `other`.
pub(crate) fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    for _ in 0..=numbers.below(3) {
        let (at, to) = (numbers.below(lines.len()), numbers.below(lines.len()));
        if lines.is_empty() {
            return String::new();
        }
        match numbers.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(to, lines[at].clone()),
            2 => lines.swap(at, to),
            3 => lines[at].insert_str(0, "  "),
            4 => lines.truncate(at + 1),
            5 => {
                let others: Vec<&str> = other.lines().collect();
                lines.insert(to, others.get(numbers.below(others.len())).copied().unwrap_or("").to_owned());
            }
            // The most frequent change: a value of another type.
            _ => {
                let Some(colon) = lines[at].find(": ").or_else(|| lines[at].strip_suffix(':').map(str::len)) else {
                    continue;
                };
                let indent = lines[at].len() - lines[at].trim_start_matches([' ', '-']).len();
                lines[at] = format!("{}: {}", &lines[at][..colon], ODD[numbers.below(ODD.len())]);
                // Usually also remove the lines below the key.
                let is_below = |line: &String| line.len() - line.trim_start().len() > indent;
                while numbers.below(4) > 0 && lines.get(at + 1).is_some_and(is_below) {
                    lines.remove(at + 1);
                }
            }
        }
    }
    lines.join("\n") + "\n"
}
