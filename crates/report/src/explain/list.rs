//! The list of all findings, with a line about each.

use std::fmt::Write;

use lint::{Level, RULES, Theme};

use super::text::row;
use crate::paint::{Ink, Paint};

/// The findings by theme, and what their levels mean.
pub fn all(paint: Paint) -> String {
    let mut text = String::new();
    let out = &mut text;
    for theme in Theme::ALL {
        title(out, &format!("FINDINGS: {}", theme.title()), paint);
        for rule in RULES.iter().filter(|rule| rule.theme == theme) {
            let level = format!("{:7}", rule.level.as_str());
            let plain = format!("  {:28}  {level}", rule.id);
            let name =
                format!("{}{:gap$}", paint.ink(Ink::Strong, rule.id), "", gap = 28_usize.saturating_sub(rule.id.len()));
            let shown = format!("  {name}  {}", paint.ink(Ink::of(rule.level), &level));
            row(out, (&plain, &shown), rule.summary, 41);
        }
    }
    title(out, "LEVELS OF FINDINGS", paint);
    for level in Level::ALL.into_iter().rev() {
        let shown = format!("  {}", paint.ink(Ink::of(level), level));
        row(
            out,
            (&format!("  {level}"), &shown),
            &format!("{} Exit status of `check`: {}.", level.meaning(), level.exit_status()),
            11,
        );
    }
    text
}

fn title(out: &mut String, title: &str, paint: Paint) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}{}", paint.ink(Ink::Strong, title));
}
