//! The long text of a finding.

use std::fmt::Write;

use kube_jobs::argocd::MANIFEST_GENERATE_PATHS;
use lint::examples::{Case, Example};
use lint::fix::Fix;
use lint::suppression::ANNOTATION;
use lint::{Check, Rule};
use rewrite::settings::CONFIG_FILE;

use super::text::{block, heading, places, section, wrapped};
use crate::paint::{Ink, Paint};

/// The text for a terminal.
pub fn text(row: &Rule, paint: Paint) -> String {
    let level = paint.ink(Ink::of(row.level), row.level);
    let mut out = format!("{} ({level}, since {})\n", paint.ink(Ink::Strong, row.id), row.since);
    let _ = writeln!(out, "{}", wrapped(row.summary, "", ""));
    section(&mut out, "Why", row.why, paint);
    let Example { wrong, right, note } = &row.example;
    example(&mut out, ("Wrong", Ink::Bad), wrong, paint);
    example(&mut out, ("Right", Ink::Good), right, paint);
    if !note.is_empty() {
        let _ = writeln!(out, "\n{}", wrapped(note, "  ", "  "));
    }
    section(&mut out, "What to do", row.fix, paint);
    if let Some(fix) = Fix::find(row.id) {
        section(&mut out, "Automatic fix", &fix.sentences(), paint);
    }
    heading(&mut out, "How to ignore it", paint);
    places(&mut out, ignoring(row));
    let _ = writeln!(out, "\n{}: {}", paint.ink(Ink::Strong, "Read more"), row.link);
    out
}

fn example(out: &mut String, (word, ink): (&str, Ink), case: &Case, paint: Paint) {
    let heading = wrapped(&format!("{word}{}", settings(case)), "", "  ");
    let _ = writeln!(out, "\n{}", paint.ink(ink, heading));
    block(out, case.manifest, 4);
}

/// The settings that make the example show the finding, as the end of its heading: `` , with `trigger: false` in `.argocd-jobs.yaml` ``.
pub fn settings(case: &Case) -> String {
    let lines: Vec<String> = case.config.iter().map(|line| format!("`{line}`")).collect();
    if let Some(word) = case.differing {
        return format!(", if `{word}` differs at every rendering");
    }
    if let Some(action) = case.template {
        return format!(", from a template with `{action}`");
    }
    if let Some(option) = case.sync_option {
        return format!(", with `{option}` in the Application's `syncOptions`");
    }
    if let Some(retry) = case.retry {
        return format!(", with `retry: {retry}` in `spec.syncPolicy`");
    }
    if let Some(paths) = case.generate_paths {
        return format!(
            ", with `{MANIFEST_GENERATE_PATHS}: {paths}` on an Application whose kustomization reads `../base`"
        );
    }
    match (case.variable, lines.is_empty()) {
        (Some((name, value)), _) => format!(", with `{name}={value}` in the sidecar's environment"),
        (None, false) => format!(", with {} in `{CONFIG_FILE}`", lines.join(" and ")),
        (None, true) => String::new(),
    }
}

/// The ways to ignore a finding, with what to write. Comments count only in manifests of the source.
pub fn ignoring(row: &Rule) -> Vec<(&'static str, String)> {
    let id = row.id;
    let comment = ("a comment on its line, or alone on the line above", format!("# argocd-jobs: ignore[{id}] reason"));
    let annotation = ("an annotation of the resource", format!("{ANNOTATION}{id}: \"reason\""));
    let config = ("in .argocd-jobs.yaml, at the top or in a rule", format!("ignore: [{id}]"));
    match row.check {
        Check::Application(_) => vec![annotation, config],
        _ => vec![comment, annotation, config],
    }
}
