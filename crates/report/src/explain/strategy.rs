//! The long text of a strategy.

use rewrite::strategy::{AUTO_RULES, Row, StrategyChoice};

use super::text::{heading, places, section, wrapped};
use crate::paint::{Ink, Paint};

/// The text for a terminal.
pub(super) fn text(row: &Row, paint: Paint) -> String {
    let mut out = format!("{} (strategy)\n", paint.ink(Ink::Strong, row.id));
    for (heading, text) in [("Writes", row.writes), ("When the Job runs", row.runs), ("For", row.serves)] {
        section(&mut out, heading, text, paint);
    }
    if row.choice == StrategyChoice::Auto {
        heading(&mut out, "The rules; the first one that matches a Job decides", paint);
        for (number, rule) in (1..).zip(AUTO_RULES) {
            let text = format!("{} {}. It runs {}.", rule.job, rule.becomes, rule.runs);
            out.push_str(&(wrapped(&text, &format!("  {number}. "), "     ") + "\n"));
        }
    }
    if !row.limits.is_empty() {
        heading(&mut out, "What to know first", paint);
        row.limits.iter().for_each(|limit| out.push_str(&(wrapped(limit, "  - ", "    ") + "\n")));
    }
    heading(&mut out, "How to set it", paint);
    places(&mut out, setting(row.id));
    out
}

/// The places where a strategy can be set, with what to write.
fn setting(id: &str) -> [(&'static str, String); 3] {
    [
        ("for the Application, as a parameter of the plugin", format!("- {{name: strategy, string: {id}}}")),
        ("in .argocd-jobs.yaml, at the top or in a rule", format!("strategy: {id}")),
        ("an annotation of the Job", format!("argocd-jobs/strategy: {id}")),
    ]
}
