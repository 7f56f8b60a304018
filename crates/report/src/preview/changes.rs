//! What the rewrite changes, as a unified diff of each manifest.
//!
//! Documents are compared one by one, so that no line of a neighbour gets in; of a document that holds a Secret nothing is shown.

use lint::survey::{ObjectPair, Survey};
use rewrite::plan::Rewrite;
use similar::group_diff_ops;
use text::diff::line_ops;

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// The changes of one manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The manifest, as messages name it.
    pub path: String,
    /// Lines of a unified diff, each with its line end; the first two name the file.
    pub lines: Vec<String>,
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
            let lines = vec![format!("--- a/{below}\n"), format!("+++ b/{below}\n")];
            all.push(Changes { path, lines });
        }
        let before = manifest.at(span.start).line - 1;
        let old = span.of(&manifest.text);
        let new = rewrite.text.as_str();
        if let Some(changes) = all.last_mut() {
            if holds_secret(survey, rewrite) {
                let line = format!("# line {}: the document holds a Secret and is not shown\n", before + 1);
                changes.lines.push(line);
            } else {
                hunks((old, new), (before, before.saturating_add_signed(grown)), &mut changes.lines);
            }
        }
        let lines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() as isize;
        grown += lines(new) - lines(old);
    }
    all.retain(|changes| changes.lines.len() > 2);
    all.extend(survey.plan.appended.iter().map(|text| added(text)));
    all
}

fn holds_secret(survey: &Survey<'_>, rewrite: &Rewrite) -> bool {
    let (manifest, span) = rewrite.place;
    survey.holds_secret(manifest, span) || survey.in_piece(manifest, span).iter().any(ObjectPair::is_secret)
}

fn added(text: &str) -> Changes {
    let path = "(added at the end)".to_owned();
    let header = format!("@@ -0,0 +1,{} @@\n", text.lines().count());
    let mut lines = vec!["--- /dev/null\n".to_owned(), format!("+++ {path}\n"), header];
    lines.extend(text.lines().map(|line| format!("+{line}\n")));
    Changes { path, lines }
}

/// Adds the hunks of a document that begins after so many lines of its manifest.
fn hunks((old, new): (&str, &str), (old_lines, new_lines): (usize, usize), lines: &mut Vec<String>) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    for hunk in group_diff_ops(line_ops(&old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let of_old = first.old_range().start..last.old_range().end;
        let of_new = first.new_range().start..last.new_range().end;
        let range =
            |range: std::ops::Range<usize>, before: usize| format!("{},{}", range.start + before + 1, range.len());
        lines.push(format!("@@ -{} +{} @@\n", range(of_old, old_lines), range(of_new, new_lines)));
        for change in hunk.iter().flat_map(|op| op.iter_changes(&old, &new)) {
            let end = if change.value().ends_with('\n') { "" } else { "\n" };
            lines.push(format!("{}{}{end}", change.tag(), change.value()));
        }
    }
}
