//! Anchors and tags before the content of a node.

/// The offset of the content of a scalar whose anchor or tag begins at `start`.
pub(super) fn after_properties(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let rest = &text[at..end];
        let skipped = match rest.as_bytes()[0] {
            b'&' | b'!' => rest.find(|found: char| found.is_whitespace()).unwrap_or(rest.len()),
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            _ => rest.len() - rest.trim_start().len(),
        };
        if skipped == 0 {
            break;
        }
        at += skipped;
    }
    at
}
