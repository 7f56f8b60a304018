//! What the rewrite changes, as a unified diff of each manifest.
//!
//! Documents are compared one by one, so that no line of a neighbour gets in; of a document that holds a Secret nothing is shown.

use similar::{ChangeTag, group_diff_ops};

use crate::output::diff::line_ops;
use crate::plan::Rewrite;
use crate::survey::{ObjectPair, Survey};

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// The changes of one manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The manifest, as messages name it.
    pub path: String,
    /// Lines of a unified diff, each with its line end; the first two name the file.
    pub lines: Lines,
}

/// Lines in one text: there are some twenty for each of thousands of Jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Lines {
    fn add(&mut self, parts: &[&str]) {
        self.text.extend(parts.iter().copied());
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }

    /// All of them in one text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The changes of all manifests, in their order; last the document that is added.
pub fn changes(survey: &Survey<'_>) -> Vec<Changes> {
    let mut all: Vec<Changes> = Vec::new();
    let mut current = None;
    let mut grown = 0;
    for rewrite in &survey.plan.rewrites {
        let (index, span) = rewrite.place;
        let manifest = &survey.manifests[index];
        if current != Some(index) {
            current = Some(index);
            grown = 0;
            let path = manifest.origin.to_string();
            // As git writes an absolute path.
            let below = path.trim_start_matches('/');
            let mut lines = Lines::default();
            lines.add(&["--- a/", below, "\n"]);
            lines.add(&["+++ b/", below, "\n"]);
            all.push(Changes { path, lines });
        }
        let before = manifest.at(span.start).line - 1;
        let old = span.of(&manifest.text);
        let new = rewrite.text.as_str();
        if let Some(changes) = all.last_mut() {
            if holds_secret(survey, rewrite) {
                let line = format!("# line {}: the document holds a Secret and is not shown\n", before + 1);
                changes.lines.add(&[&line]);
            } else {
                hunks((old, new), (before, before.saturating_add_signed(grown)), &mut changes.lines);
            }
        }
        let lines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() as isize;
        grown += lines(new) - lines(old);
    }
    all.retain(|changes| changes.lines.len() > 2);
    all.extend(survey.plan.appended.as_ref().map(|text| added(text)));
    all
}

fn holds_secret(survey: &Survey<'_>, rewrite: &Rewrite) -> bool {
    let (manifest, span) = rewrite.place;
    survey.holds_secret(manifest, span) || survey.in_piece(manifest, span).iter().any(ObjectPair::is_secret)
}

fn added(text: &str) -> Changes {
    let path = "(added at the end)".to_owned();
    let mut lines = Lines::default();
    lines.add(&["--- /dev/null\n"]);
    lines.add(&["+++ ", &path, "\n"]);
    lines.add(&[&format!("@@ -0,0 +1,{} @@\n", text.lines().count())]);
    text.lines().for_each(|line| lines.add(&["+", line, "\n"]));
    Changes { path, lines }
}

/// Adds the hunks of a document that begins after so many lines of its manifest.
fn hunks((old, new): (&str, &str), (old_lines, new_lines): (usize, usize), lines: &mut Lines) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    for hunk in group_diff_ops(line_ops(&old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let of_old = first.old_range().start..last.old_range().end;
        let of_new = first.new_range().start..last.new_range().end;
        let range =
            |range: std::ops::Range<usize>, before: usize| format!("{},{}", range.start + before + 1, range.len());
        lines.add(&["@@ -", &range(of_old, old_lines), " +", &range(of_new, new_lines), " @@\n"]);
        for change in hunk.iter().flat_map(|op| op.iter_changes(&old, &new)) {
            let sign = match change.tag() {
                ChangeTag::Equal => " ",
                ChangeTag::Delete => "-",
                ChangeTag::Insert => "+",
            };
            let text = change.value();
            let end = if text.ends_with('\n') { "" } else { "\n" };
            lines.add(&[sign, text, end]);
        }
    }
}
