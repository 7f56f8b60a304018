//! The first line about several sources: what the syncs of those that change do.

use std::collections::{BTreeMap, BTreeSet};

use deployment::row::{Outcome, PassedOver, Row};
use preview::{AutoSync, Forecast, ForecastRow, Halt, Outcome as SyncOutcome, counted};
use text::{capitalized, few, listed, plural};

use super::not_checked::{self, of};
use super::section::{Section, name};
use crate::sources::coverage;

/// More Applications than this are counted, and not named.
const NAMED: usize = 3;

/// What the sync of a source does that the change touches, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Fails,
    Waits,
    LeavesOut,
    FailsLater,
    Runs,
    RunsLater,
    Differs,
    RunsNothing,
    NotCompared,
    Gone,
}

impl Effect {
    fn of(forecast: &Forecast) -> Self {
        let stop = forecast.stop().map(|stop| stop.why);
        match () {
            () if forecast.gone.is_some() => Self::Gone,
            () if forecast.is_untouched => Self::RunsNothing,
            () if forecast.rows.iter().any(|row| row.outcome == SyncOutcome::Fails) => Self::Fails,
            () if matches!(stop, Some(Halt::Confirmation | Halt::Suspended)) => Self::Waits,
            () if forecast.start.is_none() => Self::NotCompared,
            () if forecast.rows.iter().any(|row| row.is_bad() && !row.is_blocked()) => Self::LeavesOut,
            () if forecast.rows.iter().any(ForecastRow::is_blocked) => Self::FailsLater,
            () if runs(forecast).next().is_none() && differently(forecast).next().is_some() => Self::Differs,
            () if runs(forecast).next().is_none() => Self::RunsNothing,
            () if is_started(forecast) => Self::Runs,
            () => Self::RunsLater,
        }
    }
}

/// Whether the change starts the sync. True if that is unknown.
fn is_started(forecast: &Forecast) -> bool {
    forecast.start.as_ref().is_none_or(AutoSync::may_start)
}

/// What a sync runs: all of it if the change starts it, otherwise what changes.
fn runs(forecast: &Forecast) -> impl Iterator<Item = &ForecastRow> {
    let is_started = is_started(forecast);
    forecast.rows.iter().filter(move |row| row.runs() && (is_started || row.is_changed()))
}

/// What another version of Argo CD treats differently.
fn differently(forecast: &Forecast) -> impl Iterator<Item = &ForecastRow> {
    forecast.rows.iter().filter(|row| row.is_treated_differently())
}

/// `2 Jobs and hooks`
fn jobs<'f>(forecasts: impl Iterator<Item = &'f Forecast>, is_meant: fn(&Forecast) -> Vec<&ForecastRow>) -> String {
    let rows: Vec<&ForecastRow> = forecasts.flat_map(is_meant).collect();
    counted(rows.iter().map(|row| (&row.object.kind, row.is_hook)), "")
}

/// `The sync of `shop` fails; `queue` runs 2 Jobs`; of many `9 of 44 Applications change: 1 sync fails (`shop`), 8 run 12 Jobs`.
pub(super) fn effects(sections: &[Section], rows: &[Row], passed_over: &PassedOver) -> String {
    let changed: Vec<&Section> = sections.iter().filter(|section| section.is_changed()).collect();
    let broken: Vec<String> = of(rows, |row| row.is_broken).into_iter().collect();
    let is_application = |section: &&Section| rows[section.row].application.is_some();
    let coverage = coverage(rows, passed_over).filter(|_| changed.iter().all(is_application));
    let (noun, total) = match coverage {
        Some(coverage) => ("Application", coverage.applications()),
        None => ("source", rows.len()),
    };
    let unchecked = not_checked::changed(rows, passed_over).whole;
    let count = changed.len() + broken.len() + unchecked.len();
    if count == unchecked.len() {
        let is_unknown = |row: &Row| matches!(row.outcome, Outcome::NotChecked(_));
        let is_partial = rows.iter().any(is_unknown) || !passed_over.skipped.is_empty();
        return match unchecked.len() {
            0 => format!("No {}{noun} changes", if is_partial { "checked " } else { "" }),
            1 => format!("No checked {noun} changes; 1 changes and was not checked"),
            many => format!("No checked {noun} changes; {many} change and were not checked"),
        };
    }
    let mut effects: BTreeMap<Effect, Vec<&Section>> = BTreeMap::new();
    for section in changed {
        effects.entry(Effect::of(&section.forecast)).or_default().push(section);
    }
    let idle = [Effect::RunsNothing, Effect::Gone];
    let told = effects.iter().filter(|(effect, _)| !idle.contains(effect)).flat_map(|(_, all)| all);
    let names: Vec<&String> = told.map(|section| name(&rows[section.row])).collect();
    let told = names.len();
    // Two clusters can have an Application of one name, and a chart has value sets.
    let is_named = told <= NAMED && names.iter().collect::<BTreeSet<_>>().len() == told;
    let broken = (!broken.is_empty()).then(|| format!("Argo CD can no longer render {}", few(&broken, NAMED)));
    let is_led = is_named && (told > 0 || broken.is_some());
    let parts = effects.iter().flat_map(|(effect, all)| match is_named && !idle.contains(effect) {
        true => all.iter().map(|section| named(*effect, section, &rows[section.row])).collect(),
        false => vec![several(*effect, all, rows, is_led)],
    });
    let unchecked = match (unchecked.len(), is_led) {
        (0, _) => None,
        (1, true) => Some("1 other changes and was not checked".to_owned()),
        (many, true) => Some(format!("{many} others change and were not checked")),
        (1, false) => Some("1 was not checked".to_owned()),
        (many, false) => Some(format!("{many} were not checked")),
    };
    let parts: Vec<String> = broken.into_iter().chain(parts).chain(unchecked).collect();
    if is_led {
        return capitalized(&parts.join("; "));
    }
    // Several rows can be one Application.
    let total = plural(total.max(count), noun);
    format!("{count} of {total} {}: {}", if count == 1 { "changes" } else { "change" }, parts.join(", "))
}

/// What the sync of one source does, with the name of the source.
fn named(effect: Effect, section: &Section, row: &Row) -> String {
    let name = format!("`{}`", name(row));
    let forecast = || std::iter::once(&section.forecast);
    match effect {
        Effect::Fails => format!("the sync of {name} fails"),
        Effect::Waits => format!("the sync of {name} waits"),
        Effect::LeavesOut => {
            let is_one = section.forecast.rows.iter().filter(|row| row.is_bad()).count() == 1;
            let lost = jobs(forecast(), |forecast| forecast.rows.iter().filter(|row| row.is_bad()).collect());
            format!("{lost} of {name} {} not run", if is_one { "does" } else { "do" })
        }
        Effect::Runs => format!("{name} runs {}", jobs(forecast(), |forecast| runs(forecast).collect())),
        Effect::RunsLater => {
            let jobs = jobs(forecast(), |forecast| runs(forecast).collect());
            format!("{name} runs {jobs} at its next sync")
        }
        Effect::FailsLater => {
            let jobs = jobs(forecast(), |forecast| forecast.rows.iter().filter(|row| row.is_blocked()).collect());
            format!("the next change of {jobs} of {name} fails")
        }
        Effect::Differs => {
            let jobs = jobs(forecast(), |forecast| differently(forecast).collect());
            format!(
                "{jobs} of {name} {} treated differently",
                if differently(&section.forecast).count() == 1 { "is" } else { "are" }
            )
        }
        Effect::RunsNothing => format!("{name} runs no Job"),
        Effect::NotCompared => format!("{name} could not be compared"),
        Effect::Gone => format!("{name} is gone"),
    }
}

/// What the syncs of several sources do, with the number of sources. `is_beside` says that others are named.
fn several(effect: Effect, all: &[&Section], rows: &[Row], is_beside: bool) -> String {
    let of = |one: &str, several: &str| match all.len() {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    };
    let names = || {
        let names: Vec<String> =
            all.iter().take(NAMED).map(|section| format!("`{}`", name(&rows[section.row]))).collect();
        format!(" ({})", listed(&names, all.len() - names.len()))
    };
    let forecasts = || all.iter().map(|section| &section.forecast);
    match effect {
        Effect::Fails => of("sync fails", "syncs fail") + &names(),
        Effect::Waits => of("sync waits", "syncs wait") + &names(),
        Effect::LeavesOut => of("does not run all its Jobs", "do not run all their Jobs") + &names(),
        Effect::Runs => {
            let jobs = jobs(forecasts(), |forecast| runs(forecast).collect());
            of(&format!("runs {jobs}"), &format!("run {jobs}"))
        }
        Effect::RunsLater => {
            let jobs = jobs(forecasts(), |forecast| runs(forecast).collect());
            of(&format!("runs {jobs} at its next sync"), &format!("run {jobs} at their next syncs"))
        }
        Effect::FailsLater => {
            of("cannot sync the next change of a Job", "cannot sync the next change of a Job") + &names()
        }
        Effect::Differs => {
            let jobs = jobs(forecasts(), |forecast| differently(forecast).collect());
            of(&format!("treats {jobs} differently"), &format!("treat {jobs} differently"))
        }
        Effect::RunsNothing if is_beside => of("other sync runs no Job", "other syncs run no Job"),
        Effect::RunsNothing => of("runs no Job", "run no Job"),
        Effect::NotCompared => of("could not be compared", "could not be compared"),
        Effect::Gone => of("is gone", "are gone"),
    }
}
