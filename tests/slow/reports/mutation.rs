//! Manifests with lines removed, doubled, moved or changed to another type: checking them never panics, and every
//! finding has a place.
//!
//! `MUTATIONS=20000 cargo test --test slow reports::mutation` makes more of them; `SEED=7` makes others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rewrite::manifest::{Manifest, Reader};
use text::Origin;

use crate::laws::lines::{Numbers, mutated};
use crate::laws::seen::Seen;
use crate::support::inputs::{self, Input, hold_for_all};
use crate::support::switches;

#[test]
fn mutated_manifests_are_looked_at_like_any() {
    let (count, seed) = (switches::number("MUTATIONS", 1_500), switches::number("SEED", 1));
    // The inputs about which most findings are.
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
        let mut numbers = Numbers::of((seed * 1_000_003 + index) as u64);
        let (one, two) = (&texts[index % texts.len()], &texts[numbers.below(texts.len())]);
        let text = mutated(one, two, &mut numbers);
        let manifests = [Manifest::new(Origin::StandardInput, text.clone(), Reader::Stream)];
        let complaint = catch_unwind(AssertUnwindSafe(|| {
            let seen = Seen::of(&manifests);
            [seen.misplaced(&manifests), seen.unsorted(), seen.missed_problem(), seen.differs_from_itself()]
                .into_iter()
                .flatten()
                .next()
        }));
        let complaint = complaint.unwrap_or_else(|_| Some("it panicked".to_owned()))?;
        Some(format!("{index}, {}: {complaint}\n{text}", inputs[index % texts.len()].name))
    });
}
