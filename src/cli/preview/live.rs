//! `argocd-jobs preview --live`: what a sync does to the Jobs that are in the cluster.

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, ValueHint};
use deployment::applications::may_have_applications;
use deployment::row::{Outcome, PassedOver};
use deployment::{Read, Target, live_jobs, versions};
use lint::Analysis;
use lint::count::Count;
use preview::{Forecast, ForecastRow, Halt, judge};
use report::preview::section::Section;
use report::preview::{json, live};
use rewrite::manifest::{LeftOut, Manifest};
use system::PathText;
use text::{Message, Time};

use super::arguments::{Arguments, Format};
use super::report::check_problems;
use crate::cli::flags::flag;
use crate::cli::status::{Status, print, print_text};

/// The flags `--live` and `--now`.
pub(super) fn flags() -> [Arg; 2] {
    let live = flag("live", "FILE")
        .value_hint(ValueHint::FilePath)
        .help("Say what a sync now does to each Job, given the live Jobs in this file; `-` reads standard input")
        .long_help(
            "Say what a sync now does to each Job, given the live Jobs in this file: what `kubectl get jobs -n NAMESPACE -o json` prints, or \
             `argocd app manifests NAME --source live`, which leaves hooks out. `-` reads standard input. Nothing but Jobs is read, and of a live Job \
             only names, images, times and reasons are printed",
        )
        .conflicts_with_all(["base", "diff", "all"]);
    let now = flag("now", "TIME")
        .help("With --live: also print how long ago things happened, at this time (RFC 3339)")
        .requires("live")
        .hide_short_help(true)
        .value_parser(|text: &str| Time::parse(text).ok_or("expected a time such as `2026-11-26T10:00:00Z`"));
    [live, now]
}

/// Prints what a sync does to the live Jobs in `file`.
pub(super) fn run(target: &Target, file: &str, matches: &ArgMatches, typed: &Arguments) -> Result<Status> {
    if file == "-" && matches!(target, Target::StandardInput) {
        let message = Message::new("`-` and `--live -` cannot both be standard input");
        return Err(anyhow!(message.help("pass a file for one of the two")));
    }
    let cluster = live_jobs::read(file)?;
    let version = versions::read(target, &typed.run)?;
    if let Some(part) = version.manifests.iter().flat_map(|manifest| &manifest.without).find(|part| part.has_objects())
    {
        let what = match part {
            LeftOut::Copies { of, .. } => format!("the chart has `{of}` more than once, and Helm takes any of them"),
            LeftOut::Dependency(_) | LeftOut::Generator { .. } | LeftOut::Schema => {
                format!("{part} is missing, and so are its Jobs")
            }
        };
        let message = Message::new(what).about(target.path().shown());
        return Err(anyhow!(message.help("render it where all is there, and pass the output with `-`")));
    }
    let analysis = Analysis::without_findings(&version);
    check_problems(&analysis.problems)?;
    let is_application = |manifest: &Manifest| may_have_applications(&manifest.text);
    if analysis.survey.plan.jobs.is_empty() && version.manifests.iter().any(is_application) {
        let message = Message::new("the manifests are Applications, and have no Jobs").about(target.path().shown());
        return Err(anyhow!(message.help("pass the manifest of one Application with `--application`")));
    }
    let now = matches.get_one::<Time>("now");
    let judged = judge(&analysis, &cluster, now).map_err(|message| anyhow!(message))?;
    let forecast = judged.forecast();
    match typed.format {
        Format::Json => {
            let jobs = analysis.survey.plan.jobs.len();
            drop(analysis);
            let text = json::print_live(&judged, &forecast);
            let source = Read::new(target.path().shown().to_string(), target.clone(), Ok(Box::new(version)), None);
            let row = source.row(Outcome::Read { jobs, count: Count::default() }, false);
            let section =
                Section { row: 0, forecast: forecast.clone(), owner: source.owner, text, is_quiet: false, same: None };
            print(&json::document(&[section], &[row], &PassedOver::default(), json::Against::default()))?;
        }
        Format::Text | Format::Markdown => print_text(&live::text(&judged, &forecast, typed.show()))?,
    }
    Ok(if is_wrong(&forecast) { Status::Found } else { Status::Done })
}

/// Whether the sync fails, or a Job does not run although its manifest says that it does.
pub(super) fn is_wrong(forecast: &Forecast) -> bool {
    let is_lost = |row: &ForecastRow| matches!(row.outcome, preview::Outcome::Fails | preview::Outcome::Lost);
    forecast.stop().is_some_and(|stop| matches!(stop.why, Halt::Failure | Halt::Comparison))
        || forecast.rows.iter().any(is_lost)
}
