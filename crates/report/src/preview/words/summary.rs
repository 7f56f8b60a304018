//! The first line: a fold of the rows.

use kube_jobs::argocd::Phase;
use preview::{AutoSync, Condition, Forecast, ForecastRow, Halt, Outcome, Reason, counted};
use text::capitalized;

/// `The sync fails at 2 Jobs; 2 new hooks run.`
pub(crate) fn summary(forecast: &Forecast) -> String {
    let is_started = forecast.start.as_ref().is_some_and(AutoSync::may_start);
    let is_gone = forecast.start == Some(AutoSync::Gone);
    match &forecast.start {
        Some(AutoSync::KeptOut(_)) => return "The change does not reach the Application.".to_owned(),
        Some(AutoSync::Gone) if forecast.rows.is_empty() => return "The Application is gone.".to_owned(),
        _ => {}
    }
    let is_next = !is_started && !is_gone && !forecast.is_live;
    let parts = parts(forecast, is_next);
    let sentence = match (parts.is_empty(), is_started) {
        (true, _) if forecast.rows.is_empty() => "no Jobs".to_owned(),
        (true, _) if forecast.is_live => "no Job runs".to_owned(),
        (true, true) => "no Job or hook runs".to_owned(),
        (true, false) => {
            format!("nothing runs because of the {}", if forecast.is_upgrade { "upgrade" } else { "change" })
        }
        (false, _) => parts.join("; "),
    };
    format!("{}.", capitalized(&sentence))
}

/// What happens, the worst first. `is_next` says that the change does not start the sync: then what runs without the change does not count.
fn parts(forecast: &Forecast, is_next: bool) -> Vec<String> {
    let sync = if is_next { "the next sync" } else { "the sync" };
    let rows = || forecast.rows.iter();
    let count = |is_meant: &dyn Fn(&ForecastRow) -> bool| count(rows().filter(|row| is_meant(row)), "");
    let mut parts = Vec::new();
    let in_comparison = forecast.stop().is_some_and(|stop| stop.why == Halt::Comparison);
    if let Some((of, _)) = count(&|row| row.outcome == Outcome::Fails) {
        let what = if in_comparison { "the comparison" } else { sync };
        parts.push(format!("{what} fails at {of}"));
    }
    match forecast.stop().map(|stop| stop.why) {
        Some(Halt::Confirmation) => parts.push(format!("{sync} waits until somebody confirms the pruning")),
        Some(Halt::Suspended) => parts.push(format!("{sync} waits for a suspended Job")),
        _ => {}
    }
    let mut say = |found: Option<(String, bool)>, one: &str, several: &str| {
        parts.extend(found.map(|(of, is_one)| format!("{of} {}", if is_one { one } else { several })));
    };
    let is_lost = |row: &ForecastRow| matches!(row.outcome, Outcome::Lost | Outcome::Never) && row.is_bad();
    let does_not_run = |row: &ForecastRow| is_lost(row) || row.outcome == Outcome::NotReached;
    say(count(&does_not_run), "does not run", "do not run");
    say(count(&|row| row.outcome == Outcome::CannotStart), "cannot start", "cannot start");
    let is_killed = |row: &ForecastRow| matches!(row.outcome, Outcome::Killed | Outcome::KilledAndRuns);
    say(self::count(rows().filter(|row| is_killed(row)), "running "), "is killed", "are killed");
    let is_left = |row: &ForecastRow| row.outcome == Outcome::Untouched && row.has_failed();
    say(self::count(rows().filter(|row| is_left(row)), "failed "), "does not run again", "do not run again");
    say(count(&|row| row.outcome == Outcome::Unknown), "is unknown", "are unknown");
    let is_new = |row: &ForecastRow| row.change == preview::ManifestChange::New;
    let runs = |row: &ForecastRow| row.outcome == Outcome::Runs;
    say(self::count(rows().filter(|row| runs(row) && is_new(row)), "new "), "runs", "run");
    let is_again = |row: &ForecastRow| matches!(row.outcome, Outcome::RunsAgain | Outcome::KilledAndRuns);
    say(count(&|row| is_again(row) && (!is_next || row.runs_because_of_the_change())), "runs again", "run again");
    say(count(&|row| row.outcome == Outcome::Resumes), "resumes", "resume");
    let is_after_failure = |row: &ForecastRow| row.moment.is_some_and(|moment| moment.phase == Phase::SyncFail);
    let is_anyway = |row: &ForecastRow| runs(row) && !is_new(row);
    say(self::count(rows().filter(|row| is_anyway(row) && is_after_failure(row)), "SyncFail "), "runs", "run");
    let is_anyway = |row: &ForecastRow| is_anyway(row) && !is_after_failure(row);
    let is_with_it = |row: &ForecastRow| is_anyway(row) && row.runs_because_of_the_change();
    match forecast.is_upgrade {
        true => say(count(&is_with_it), "runs because of the upgrade", "run because of the upgrade"),
        false => say(count(&is_with_it), "runs with the change", "run with the change"),
    }
    if forecast.is_live {
        say(count(&is_anyway), "runs", "run");
    } else if !is_next {
        let is_same = |row: &ForecastRow| is_anyway(row) && !row.runs_because_of_the_change();
        say(count(&is_same), "runs as at every sync", "run as at every sync");
    }
    say(count(&|row| row.outcome == Outcome::Applied && row.runs_because_of_the_change()), "is applied", "are applied");
    say(count(&|row| row.outcome == Outcome::Deleted), "is deleted", "are deleted");
    let is_deleted_if = |row: &ForecastRow| row.outcome == Outcome::DeletedIfPruned;
    say(count(&is_deleted_if), "is deleted if prune is on", "are deleted if prune is on");
    parts.extend(if_the_earlier_job_is_there(forecast, sync));
    // A sync that fails or waits says which one it is.
    match parts.first_mut() {
        Some(first) if is_next && forecast.end.is_none() => *first = format!("{first} at the next sync"),
        _ => {}
    }
    of_versions(forecast, parts)
}

/// The parts, and between them what another version of Argo CD does differently with Jobs of which nothing else is said.
fn of_versions(forecast: &Forecast, parts: Vec<String>) -> Vec<String> {
    let count = |is_meant: &dyn Fn(&ForecastRow) -> bool| count(forecast.rows.iter().filter(|row| is_meant(row)), "");
    let blocked = count(&ForecastRow::is_blocked).map(|(of, _)| format!("the next change of {of} fails"));
    let is_other = |row: &ForecastRow| row.is_treated_differently() && !row.is_bad() && !row.is_changed();
    let others = count(&is_other).map(|(of, is_one)| {
        let are = if is_one { "is" } else { "are" };
        format!("{of} {are} treated differently")
    });
    blocked.into_iter().chain(parts).chain(others).collect()
}

/// That the sync fails if a Job of which it is taken that its TTL has deleted it is still there; none if there is no such Job.
fn if_the_earlier_job_is_there(forecast: &Forecast, sync: &str) -> Option<String> {
    let may_fail = |row: &&ForecastRow| row.why.contains(&Reason::If(Condition::ThereFails));
    let earlier = match forecast.rows.iter().filter(may_fail).count() {
        0 => return None,
        1 => "the earlier Job".to_owned(),
        jobs => format!("one of {jobs} earlier Jobs"),
    };
    Some(format!("{sync} fails if {earlier} is still there"))
}

/// How many there are, in words, and whether it is one; none of none.
fn count<'r>(rows: impl Iterator<Item = &'r ForecastRow>, which: &str) -> Option<(String, bool)> {
    let all: Vec<_> = rows.map(|row| (&row.object.kind, row.is_hook)).collect();
    let is_one = all.len() == 1;
    (!all.is_empty()).then(|| (counted(all, which), is_one))
}
