//! Text for terminals: what becomes of the Jobs from another version to this one.

use std::fmt::{Display, Write};

use super::policy::NOT_AUTOMATED;
use crate::output::paint::{Ink, Paint};
use crate::preview::{Compared, Comparison, Failure, Verdict};
use crate::text::{plural, visible};

/// The most reasons that are printed for a Job.
const REASONS: usize = 6;

/// The most unchanged Jobs that are named.
const UNCHANGED: usize = 10;

/// The most objects that are named as the start of a sync.
const STARTS: usize = 3;

/// Prints the comparison with the base `named`.
pub fn print(comparison: &Comparison, named: &str, paint: Paint) -> String {
    let mut out = format!("{}\n", paint.ink(Ink::Strong, visible(&headline(comparison, named))));
    for job in comparison.jobs.iter().filter(|job| !job.is_as_before()) {
        out.push('\n');
        describe(&mut out, job, comparison, paint);
    }
    if let Some(line) = as_before(comparison) {
        let _ = writeln!(out, "\n{}", paint.ink(Ink::Faint, visible(&line)));
    }
    let _ = writeln!(out, "\n{}", visible(&starts(comparison)));
    out
}

/// `against main: 1 Job runs again, 2 run at every sync`
pub fn headline(comparison: &Comparison, named: &str) -> String {
    let count = |is: fn(&Verdict) -> bool| comparison.jobs.iter().filter(|job| is(&job.verdict)).count();
    let counts = [
        (count(|verdict| matches!(verdict, Verdict::New(_))), "new"),
        (count(|verdict| matches!(verdict, Verdict::RunsAgain(_))), "to run again"),
        (count(|verdict| matches!(verdict, Verdict::EverySync { .. })), "to run at every sync"),
        (count(|verdict| matches!(verdict, Verdict::Fails(_))), "to fail"),
        (count(|verdict| matches!(verdict, Verdict::DoesNotRun { .. })), "not to run"),
        (count(|verdict| matches!(verdict, Verdict::Gone { .. })), "gone"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if counts.is_empty() {
        return format!("against `{named}`: no Jobs");
    }
    format!("against `{named}`: {}: {}", plural(comparison.jobs.len(), "Job"), counts.join(", "))
}

/// The Jobs about which there is nothing to say, on one line.
pub fn as_before(comparison: &Comparison) -> Option<String> {
    let names: Vec<String> = comparison.jobs.iter().filter(|job| job.is_as_before()).map(qualified).collect();
    let few = names.iter().take(UNCHANGED).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        all if all > UNCHANGED => Some(format!("unchanged, not to run: {few} and {} more", all - UNCHANGED)),
        _ => Some(format!("unchanged, not to run: {few}")),
    }
}

fn describe(out: &mut String, job: &Compared, comparison: &Comparison, paint: Paint) {
    let ink = match &job.verdict {
        Verdict::Fails(_) => Ink::Bad,
        Verdict::New(_) | Verdict::RunsAgain(_) => Ink::Good,
        Verdict::EverySync { .. } | Verdict::Gone { .. } => Ink::Warning,
        Verdict::DoesNotRun { .. } => Ink::Faint,
    };
    let name = paint.ink(Ink::Strong, visible(&qualified(job)));
    let place = job.place.to_string();
    let _ = writeln!(out, "{}: {name} {}", visible(&place), paint.ink(ink, visible(&verdict(job))));
    for line in reasons(job, comparison) {
        let _ = writeln!(out, "  {}", visible(&line));
    }
}

/// `prod/migrate`
pub fn qualified(job: &Compared) -> String {
    match &job.namespace {
        Some(namespace) => format!("{namespace}/{}", job.name),
        None => job.name.clone(),
    }
}

/// The verdict with the new name.
pub fn verdict(job: &Compared) -> String {
    match &job.verdict {
        Verdict::RunsAgain(_) | Verdict::New(_) if job.emitted != job.name => {
            format!("{}, as {}", job.verdict, job.emitted)
        }
        verdict => verdict.to_string(),
    }
}

/// Why, and what would have become of it as written; a line each.
pub fn reasons(job: &Compared, comparison: &Comparison) -> Vec<String> {
    let mut lines = match &job.verdict {
        Verdict::RunsAgain(because) => truncated(because, "because "),
        Verdict::Fails(changed) => truncated(changed, "because "),
        Verdict::EverySync { changed, .. } => truncated(changed, ""),
        Verdict::DoesNotRun { changed, .. } => truncated(changed, ""),
        Verdict::New(_) | Verdict::Gone { .. } => Vec::new(),
    };
    match &job.verdict {
        Verdict::EverySync { .. } if comparison.sync.as_ref().is_some_and(|sync| sync.automated.is_none()) => {}
        Verdict::EverySync { starts: true, .. } => lines.push("its change starts an auto-sync".to_owned()),
        Verdict::EverySync { .. } if comparison.starts.is_empty() => {
            lines.push("nothing starts a sync: it runs at the next full one".to_owned());
        }
        Verdict::EverySync { .. } => {
            lines.push("nothing about it starts a sync; it runs with the one that starts".to_owned())
        }
        _ => {}
    }
    if let Some(failure) = job.as_written.as_ref().filter(|_| !matches!(job.verdict, Verdict::Fails(_))) {
        lines.push(failure.to_string());
        if let Failure::Immutable(fields) = failure {
            let all: Vec<String> = fields.iter().map(ToString::to_string).collect();
            let is_new = |field: &&String| !lines.iter().any(|line| line.ends_with(field.as_str()));
            let fields: Vec<&String> = all.iter().filter(is_new).collect();
            lines.extend(truncated(&fields, "because "));
        }
    }
    lines
}

fn truncated<T: Display>(found: &[T], before: &str) -> Vec<String> {
    let mut lines: Vec<String> = found.iter().take(REASONS).map(|one| format!("{before}{one}")).collect();
    if found.len() > REASONS {
        lines.push(format!("and {} more", found.len() - REASONS));
    }
    lines
}

/// Whether an auto-sync starts, and why.
pub fn starts(comparison: &Comparison) -> String {
    let starts: Vec<String> =
        comparison.starts.iter().take(STARTS).map(|start| format!("{} {}", start.object, start.what)).collect();
    let policy = comparison.sync.as_ref().map(|sync| sync.automated);
    if policy == Some(None) {
        return NOT_AUTOMATED.to_owned();
    }
    let is_pruned = policy.flatten().map(|automated| automated.prune);
    let only_gone = comparison.starts.iter().all(|start| start.what == "is gone");
    match comparison.starts.len() {
        0 => "no auto-sync starts: nothing that Argo CD compares has changed".to_owned(),
        // `requirePruneOnly` in `controller/appcontroller.go`.
        _ if only_gone && is_pruned == Some(false) => {
            format!("no auto-sync starts: automated `prune` is off, and only this has changed: {}", starts.join(", "))
        }
        _ if only_gone && is_pruned.is_none() => {
            format!("an auto-sync starts only where automated prune is on: {}", starts.join(", "))
        }
        all if all > STARTS => format!("an auto-sync starts: {} and {} more", starts.join(", "), all - STARTS),
        _ => format!("an auto-sync starts: {}", starts.join(", ")),
    }
}
