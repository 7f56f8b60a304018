//! Changes of manifests by lines and by words; every second input is changed by libFuzzer itself.

use crate::laws::lines::{Numbers, mutated};

/// Lines that a target does something about; one of them is put somewhere.
const LINES: &str = include_str!("../lines.txt");

/// Changes `data` in place; returns its new length.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut numbers = Numbers::of(u64::from(seed));
    let Ok(text) = std::str::from_utf8(&data[..size]) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    };
    let text = match numbers.below(3) {
        0 => with_line(text, &mut numbers),
        1 => with_word(text, &mut numbers),
        _ => mutated(text, LINES, &mut numbers),
    };
    let bytes = text.as_bytes();
    let length = bytes.len().min(max_size).min(data.len());
    data[..length].copy_from_slice(&bytes[..length]);
    length
}

/// The text with a line more, as far in as the one before it.
fn with_line(text: &str, numbers: &mut Numbers) -> String {
    let known: Vec<&str> = LINES.lines().collect();
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    let at = numbers.below(lines.len() + 1);
    let indent = at.checked_sub(1).map_or(0, |before| lines[before].len() - lines[before].trim_start().len());
    let indent = indent + 2 * numbers.below(2);
    lines.insert(at, " ".repeat(indent) + known[numbers.below(known.len())]);
    lines.join("\n") + "\n"
}

/// The text with one word in the place of another one of it.
fn with_word(text: &str, numbers: &mut Numbers) -> String {
    let words: Vec<(usize, &str)> = text
        .match_indices(|found: char| !found.is_alphanumeric())
        .map(|(at, _)| at + 1)
        .chain([0])
        .filter_map(|at| {
            let rest = text.get(at..)?;
            let end = rest.find(|found: char| !found.is_alphanumeric() && !"-./".contains(found)).unwrap_or(rest.len());
            (end > 0).then(|| (at, &rest[..end]))
        })
        .collect();
    if words.is_empty() {
        return text.to_owned();
    }
    let (at, old) = words[numbers.below(words.len())];
    let (_, new) = words[numbers.below(words.len())];
    [&text[..at], new, &text[at + old.len()..]].concat()
}
