//! The page of all findings and strategies, in Markdown.

use std::fmt::Write;

use super::ignoring;
use crate::finding::{RULES, Rule};
use crate::strategy::{self, STRATEGIES};

/// The page below its first lines.
pub fn page() -> String {
    let mut out = String::from("\n| finding | level | what |\n|---|---|---|\n");
    for row in &RULES {
        let _ = writeln!(out, "| [`{0}`](#{0}) | {1} | {2} |", row.id, row.level, row.summary);
    }
    for row in &RULES {
        finding(&mut out, row);
    }
    out.push_str("\n## Strategies\n\n| strategy | for |\n|---|---|\n");
    for row in &STRATEGIES {
        let _ = writeln!(out, "| [`{0}`](#{0}) | {1} |", row.id, row.serves);
    }
    for row in &STRATEGIES {
        strategy(&mut out, row);
    }
    out
}

fn finding(out: &mut String, row: &Rule) {
    let Rule { id, level, summary, why, fix, link, .. } = row;
    let [(_, comment), (_, annotation), _] = ignoring(id);
    let _ = write!(
        out,
        "\n### {id}\n\n*{level}*: {summary}.\n\n{why}\n\n**What to do:** {fix}\n\n**To ignore it:** `{comment}`, or on \
         the object `{annotation}`. [Read on]({link}).\n"
    );
}

fn strategy(out: &mut String, row: &strategy::Row) {
    let strategy::Row { id, writes, runs, serves, limits, .. } = row;
    let _ = write!(out, "\n### {id}\n\n- Writes {writes}.\n- Runs {runs}.\n- Is for {serves}.\n");
    if !limits.is_empty() {
        out.push_str("\nWhat to know before:\n\n");
        limits.iter().for_each(|limit| out.push_str(&format!("- {limit}\n")));
    }
}
