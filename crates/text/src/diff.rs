//! Two texts as a unified diff, as `diff -u` prints it and `patch` reads it.

use similar::{DiffOp, DiffTag, TextDiff};

use crate::visible_but_tabs;

/// What differs between `old` and `new`, with `context` lines around; empty when nothing does. Line ends count, and a text that does
/// not end in one says so.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str, context: usize) -> String {
    // Not `diff_lines`: to it a carriage return in the middle of a line is the end of one.
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(context).header(old_name, new_name).to_string()
}

/// A line without its end. Tabs stay; other characters that a terminal obeys are spelled out.
pub fn shown(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    visible_but_tabs(line).into_owned()
}

/// How many lines of each text are searched for the end of a change.
const CHANGE: usize = 64;

/// This many equal lines end a change.
const EQUAL: usize = 3;

/// The differences between a text and a version of it with small changes. The time grows with the length of the texts; that of [`unified`] grows
/// with the number of changes too.
pub fn line_ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut ops = Vec::new();
    let (mut at, mut there) = (0, 0);
    while at < old.len() || there < new.len() {
        let len = old[at..].iter().zip(&new[there..]).take_while(|(one, other)| one == other).count();
        if len > 0 {
            ops.push(DiffOp::Equal { old_index: at, new_index: there, len });
            (at, there) = (at + len, there + len);
            continue;
        }
        let (old_len, new_len) = change(&old[at..], &new[there..]);
        // The lines that are equal in a change are few, and no end of it.
        let within = TextDiff::configure().diff_slices(&old[at..at + old_len], &new[there..there + new_len]);
        ops.extend(within.ops().iter().map(|op| shifted(*op, at, there)));
        (at, there) = (at + old_len, there + new_len);
    }
    ops
}

/// The operation for texts that begin after `at` and `there` lines.
fn shifted(op: DiffOp, at: usize, there: usize) -> DiffOp {
    let (tag, old, new) = op.as_tag_tuple();
    let (old_index, new_index, old_len, new_len) = (old.start + at, new.start + there, old.len(), new.len());
    match tag {
        DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
        DiffTag::Delete => DiffOp::Delete { old_index, old_len, new_index },
        DiffTag::Insert => DiffOp::Insert { old_index, new_index, new_len },
        DiffTag::Replace => DiffOp::Replace { old_index, old_len, new_index, new_len },
    }
}

/// How many lines of each are changed before they are equal again; all lines when that is too far away.
fn change(old: &[&str], new: &[&str]) -> (usize, usize) {
    let is_end = |at: usize, there: usize| {
        let (old, new) = (&old[at..], &new[there..]);
        let both = EQUAL.min(old.len()).min(new.len());
        (both == EQUAL || old.len() == new.len()) && old[..both] == new[..both]
    };
    for sum in 1..=2 * CHANGE {
        for at in sum.saturating_sub(new.len())..=sum.min(old.len()) {
            if is_end(at, sum - at) {
                return (at, sum - at);
            }
        }
    }
    (old.len(), new.len())
}

/// For each line of `new` the line of `old` that it was made from, from 1. For an added line, the one before which it was added.
pub fn lines_before(old: &str, new: &str) -> Vec<usize> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let of_op = |op: &DiffOp| {
        let (before, after) = (op.old_range(), op.new_range());
        let last = before.len().saturating_sub(1);
        (0..after.len()).map(move |index| before.start + index.min(last) + 1)
    };
    line_ops(&old, &new).iter().flat_map(of_op).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_stand_between_their_neighbours() {
        let diff = unified("a\nb\nc\nd\ne\n", "a\nb\nc\nD\ne\nf\n", "old", "new", 1);
        assert_eq!(diff, "--- old\n+++ new\n@@ -3,3 +3,4 @@\n c\n-d\n+D\n e\n+f\n");
    }

    #[test]
    fn changes_are_small_and_in_order() {
        let old: Vec<String> = (0..40).map(|line| format!("{line}\n")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        for (cut, added) in [(0, 0), (0, 2), (1, 1), (2, 0), (3, 5), (40, 1)] {
            let new = [&old[..0], &vec!["x\n"; added], &old[cut..]].concat();
            let ops = line_ops(&old, &new);
            let spared: Vec<&str> = ops.iter().flat_map(|op| &new[op.new_range()]).copied().collect();
            assert_eq!(spared, new);
            let equal: usize =
                ops.iter().filter(|op| matches!(op, DiffOp::Equal { .. })).map(|op| op.old_range().len()).sum();
            assert_eq!(equal, 40 - cut, "{ops:?}");
        }
        assert_eq!(line_ops(&[], &[]), []);
    }

    #[test]
    fn a_line_is_known_again_behind_changes() {
        let (old, new) = ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nc\nd\ne\nF\nx\ng\nh\n");
        assert_eq!(lines_before(old, new), [1, 3, 4, 5, 6, 6, 7, 8]);
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified("a\r\nb", "a\r\nb", "old", "new", 3), "");
        assert_eq!(unified("", "", "old", "new", 3), "");
    }

    #[test]
    fn a_missing_last_line_end_is_shown() {
        let diff = unified("a\n", "a", "old", "new", 3);
        assert_eq!(diff, "--- old\n+++ new\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
        let diff = unified("a", "b", "old", "new", 3);
        let note = "\\ No newline at end of file\n";
        assert_eq!(diff, format!("--- old\n+++ new\n@@ -1 +1 @@\n-a\n{note}+b\n{note}"));
    }

    #[test]
    fn nothing_is_before_the_first_line() {
        assert_eq!(unified("", "a\n", "old", "new", 3), "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("a\n", "", "old", "new", 3), "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn only_a_newline_ends_a_line() {
        let diff = unified("a\rb\n", "a\rc\n", "old", "new", 3);
        assert_eq!(diff, "--- old\n+++ new\n@@ -1 +1 @@\n-a\rb\n+a\rc\n");
        let diff = unified("a\r\n", "a\n", "old", "new", 3);
        assert_eq!(diff, "--- old\n+++ new\n@@ -1 +1 @@\n-a\r\n+a\n");
    }
}
