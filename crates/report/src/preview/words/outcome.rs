//! What the next sync does with an object.

use preview::{ForecastRow, ManifestChange, Outcome, When};

use crate::paint::Ink;

/// A few words: `runs again, as migrate-m7kf6hgbt4`; `emitted` is the new name, if it has one.
pub(crate) fn outcome(row: &ForecastRow, emitted: Option<&str>) -> String {
    match emitted {
        Some(name) => format!("{}, as {name}", words(row)),
        None => words(row),
    }
}

/// The outcome in words, without the new name.
pub(crate) fn words(row: &ForecastRow) -> String {
    let words = match &row.outcome {
        Outcome::Runs => "runs",
        Outcome::RunsAgain => "runs again",
        Outcome::Resumes => "resumes",
        Outcome::Applied => "is applied",
        Outcome::Untouched => "stays as it is",
        Outcome::Killed => "is killed",
        Outcome::KilledAndRuns => "is killed, runs again",
        Outcome::Unknown => "is unknown",
        Outcome::Fails => "fails",
        Outcome::Lost | Outcome::Idle => "does not run",
        Outcome::CannotStart => "cannot start",
        Outcome::NotReached => "is not reached",
        Outcome::Waits => "the sync waits",
        Outcome::Suspended => "is suspended",
        Outcome::IfSyncFails => "only if the sync fails",
        Outcome::Never => "never runs",
        Outcome::AtDeletion => "when the Application is deleted",
        Outcome::Deleted => "is deleted",
        Outcome::DeletedIfPruned => "is deleted if prune is on",
        Outcome::Stays => "stays in the cluster",
        Outcome::Gone => "is not there any more",
        Outcome::AsWritten(when) => return alone(when, row),
    };
    words.to_owned()
}

/// How often something runs, in a preview of one version.
fn alone(when: &When, row: &ForecastRow) -> String {
    match when {
        When::EveryRendering(differs) if differs.is_dated => "at the first rendering of a day".to_owned(),
        When::EveryRendering(_) => "at every rendering".to_owned(),
        When::EveryFullSync(_) | When::EverySync | When::Once if row.object.kind.is_only_applied() => {
            "is applied".to_owned()
        }
        when => when.to_string(),
    }
}

/// The colour of the outcome.
pub(crate) fn ink(row: &ForecastRow) -> Ink {
    match &row.outcome {
        _ if row.is_bad() => Ink::Bad,
        Outcome::Runs | Outcome::RunsAgain | Outcome::Resumes if row.is_changed() => Ink::Good,
        Outcome::Runs | Outcome::RunsAgain | Outcome::Resumes if row.is_live() => Ink::Good,
        Outcome::Deleted | Outcome::DeletedIfPruned | Outcome::Stays | Outcome::NotReached => Ink::Warning,
        Outcome::Killed | Outcome::KilledAndRuns | Outcome::Unknown => Ink::Warning,
        Outcome::Untouched if row.has_failed() => Ink::Warning,
        Outcome::Untouched => Ink::Faint,
        Outcome::AsWritten(When::EveryFullSync(_) | When::EverySync) => Ink::Warning,
        Outcome::AsWritten(When::EveryRendering(_) | When::FailsUnchanged(_)) => Ink::Bad,
        Outcome::AsWritten(When::Suspended(_) | When::Baseline | When::FailedSync) => Ink::Faint,
        Outcome::Idle | Outcome::IfSyncFails | Outcome::Never | Outcome::AtDeletion | Outcome::Gone => Ink::Faint,
        _ => Ink::Plain,
    }
}

/// How the manifest changes, as in a diff.
pub(crate) fn sign(change: ManifestChange) -> char {
    match change {
        ManifestChange::Same => ' ',
        ManifestChange::New => '+',
        ManifestChange::Changed => '~',
        ManifestChange::Gone => '-',
    }
}
