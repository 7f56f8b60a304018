//! The list of all names, with a line about each.

use std::fmt::Write;

use lint::{Level, RULES, Theme};
use rewrite::settings::{PARAMETERS, Parameter, Position, Scope, SourceKind};
use rewrite::strategy::STRATEGIES;

use super::annotations::ANNOTATIONS;
use super::text::{row, wrapped};
use crate::paint::{Ink, Paint};

/// The list: findings by theme, strategies, parameters, annotations.
pub fn all(paint: Paint) -> String {
    let mut out = String::new();
    findings(&mut out, paint);
    title(&mut out, "STRATEGIES", paint);
    rows(&mut out, STRATEGIES.iter().map(|row| (row.id, row.serves)), paint);
    parameters(&mut out, paint);
    title(&mut out, "ANNOTATIONS", paint);
    rows(&mut out, ANNOTATIONS.iter().map(|row| (row.id.trim_end_matches('.'), row.summary)), paint);
    let own: Vec<String> = Parameter::at(Position::Job).map(|row| format!("`argocd-jobs/{}`", row.name)).collect();
    let text = format!("These set a parameter for one Job: {}.", own.join(", "));
    let _ = writeln!(out, "\n{}", wrapped(&text, "  ", "  "));
    out
}

/// The rows of a part of the list begin at this column; a longer name has a line of its own.
const COLUMN: usize = 32;

fn title(out: &mut String, title: &str, paint: Paint) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}{}", paint.ink(Ink::Strong, title));
}

fn rows<'r>(out: &mut String, rows: impl Iterator<Item = (&'r str, &'r str)>, paint: Paint) {
    for (name, meaning) in rows {
        let shown = format!("  {}", paint.ink(Ink::Strong, name));
        row(out, (&format!("  {name}"), &shown), meaning, COLUMN);
    }
}

fn findings(out: &mut String, paint: Paint) {
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
}

fn parameters(out: &mut String, paint: Paint) {
    let groups = [
        ("PARAMETERS", None, false),
        ("PARAMETERS FOR HELM", Some(SourceKind::Helm), false),
        ("PARAMETERS FOR KUSTOMIZE", Some(SourceKind::Kustomize), false),
        ("PARAMETERS OF THE PLATFORM OWNER", None, true),
    ];
    for (heading, tool, is_platform) in groups {
        title(out, heading, paint);
        let is_in = |row: &&Parameter| (row.tool(), row.scope == Scope::Platform) == (tool, is_platform);
        rows(out, PARAMETERS.iter().filter(is_in).map(|row| (row.name, row.summary)), paint);
    }
}
