//! Manifests in which lines are lost, doubled, moved or hold something of another type: a look at them never fails, and what it finds
//! has a place.
//!
//! `MUTATIONS=20000 cargo test reports::mutation` makes more of them; `SEED=7` makes others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use argocd_jobs::manifest::{Manifest, Reader};
use argocd_jobs::text::Origin;

use super::seen::Seen;
use crate::support::inputs::{self, Input, hold_for_all};
use crate::support::switches;

/// Text that is put in the place of other text.
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

/// Numbers that look random and are the same in each run (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// The text with one to three changes.
fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
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
            // Most of all, another type behind a key.
            _ => {
                let Some(colon) = lines[at].find(": ").or_else(|| lines[at].strip_suffix(':').map(str::len)) else {
                    continue;
                };
                let indent = lines[at].len() - lines[at].trim_start_matches([' ', '-']).len();
                lines[at] = format!("{}: {}", &lines[at][..colon], ODD[numbers.below(ODD.len())]);
                // What stood below it goes with it.
                let is_below = |line: &String| line.len() - line.trim_start().len() > indent;
                while numbers.below(4) > 0 && lines.get(at + 1).is_some_and(is_below) {
                    lines.remove(at + 1);
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn mutated_manifests_are_looked_at_like_any() {
    let (count, seed) = (switches::number("MUTATIONS", 1_500), switches::number("SEED", 1));
    // What findings look at most.
    let chosen = |input: &Input| {
        input.bytes.len() < 8_000
            && (input.name.starts_with("check")
                || input.name.starts_with("corpus/jobs")
                || input.name.starts_with("preview"))
    };
    let inputs: Vec<Input> = inputs::all().into_iter().filter(chosen).collect();
    let texts: Vec<String> = inputs.iter().map(|input| String::from_utf8_lossy(&input.bytes).into_owned()).collect();
    let all: Vec<usize> = (0..count).collect();
    hold_for_all(&all, |index| {
        let mut numbers = Numbers(((seed * 1_000_003 + index) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        numbers.below(1);
        let (one, two) = (&texts[index % texts.len()], &texts[numbers.below(texts.len())]);
        let text = mutated(one, two, &mut numbers);
        let manifests = [Manifest::new(Origin::StandardInput, text.clone(), Reader::Stream)];
        let complaint = catch_unwind(AssertUnwindSafe(|| {
            let seen = Seen::of(&manifests);
            // A null in an immutable field is refused at every sync, even unchanged: then it runs again or fails.
            let is_refused = seen.told.iter().any(|told| told.contains("null-value"));
            let new = seen.changed.clone().filter(|_| !is_refused);
            [seen.misplaced(&manifests), seen.unsorted(), seen.missed_problem(), new].into_iter().flatten().next()
        }));
        let complaint = complaint.unwrap_or_else(|_| Some("it panicked".to_owned()))?;
        Some(format!("{index}, {}: {complaint}\n{text}", inputs[index % texts.len()].name))
    });
}
