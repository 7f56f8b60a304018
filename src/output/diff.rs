//! Two texts as a unified diff, as `diff -u` prints it and `patch` reads it.

use similar::TextDiff;

/// What differs between `old` and `new`, with `context` lines around; empty when nothing does. Line ends count, and a text that does
/// not end in one says so.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str, context: usize) -> String {
    // Not `diff_lines`: to it a carriage return in the middle of a line is the end of one.
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(context).header(old_name, new_name).to_string()
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
