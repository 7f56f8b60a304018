//! What is printed for a request: what the program prints, by the same functions.

use ::text::{diff, harmless_in_a_log, visible_lines};
use anyhow::{Result, anyhow};
use deployment::errors::{Refused, problems_error};
use kube_jobs::argocd::Version as ArgoCd;
use lint::count::Count;
use lint::survey::Compared;
use lint::{Analysis, compared_with};
use preview::compare;
use report::check::{Sheet, json, text};
use report::paint::Paint;
use report::plugin_effect::PluginEffect;
use report::preview::changes::changes;
use report::preview::text::{ShowDiff, View};
use report::preview::{compared, markdown};
use report::show::Show;
use rewrite::strategy::STRATEGIES;
use rewrite::version::Version;
use serde_json::json;
use system::PathText;

use crate::read::read;
use crate::request::{Answer, Command, Diff, Format, Request};

/// The oldest minor version of Argo CD 3 that a user can choose.
const OLDEST: u16 = 2;

/// Answers a request.
pub fn answer(request: &Request) -> Answer {
    match printed(request) {
        Ok(text) => Answer { text, is_error: false },
        Err(error) => Answer {
            text: harmless_in_a_log(&visible_lines(&format!("{error:#}"))).into_owned() + "\n",
            is_error: true,
        },
    }
}

fn printed(request: &Request) -> Result<String> {
    match request.command {
        Command::Choices => Ok(choices()),
        Command::Check => check(&read(request)?.0, request),
        Command::Preview => read(request).and_then(|(version, base)| previewed(&version, base.as_ref(), request)),
        Command::Generate => read(request)?.0.rewrite().map_err(|problems| problems_error(&problems)),
        Command::Diff => difference(&read(request)?.0),
    }
}

/// The versions of Argo CD, the newest first, and the strategies.
fn choices() -> String {
    let newest = ArgoCd::NEWEST.minor();
    let versions: Vec<String> = (OLDEST..=newest).rev().map(|minor| format!("3.{minor}")).collect();
    let strategies: Vec<&str> = STRATEGIES.iter().map(|row| row.id).collect();
    json!({ "versions": versions, "strategies": strategies, "maxBytes": crate::MAX_BYTES }).to_string()
}

fn show(request: &Request) -> Show {
    Show {
        paint: if request.color { Paint::Coloured } else { Paint::Plain },
        width: request.width,
        all: request.all,
        info: request.info,
        only_new: request.base.is_some(),
    }
}

fn check(version: &Version, request: &Request) -> Result<String> {
    let mut analysis = Analysis::among(version, None, Compared::No);
    if request.format == Format::Text {
        analysis.ask_the_plugin();
    }
    analysis.offer_fixes(&|_| false);
    let findings = analysis.findings()?;
    let shown_as = version.shown_as.in_slashes();
    let shown_as = if shown_as.is_empty() { "." } else { &*shown_as };
    let is_refused = !analysis.problems.is_empty();
    let sheets = [Sheet { findings, survey: &analysis.survey, shown_as, further: &[], is_refused }];
    let show = show(request);
    match request.format {
        Format::Json => Ok(json::print(&sheets, None, None, &[])),
        Format::Text => {
            let text =
                text::findings(&sheets, show) + &text::summary(&sheets, show) + &text::plugin_effect(&sheets, show);
            Ok(harmless_in_a_log(&text).into_owned())
        }
        Format::Markdown => Err(anyhow!("`check` has no format `markdown`")),
    }
}

fn previewed(version: &Version, base: Option<&Version>, request: &Request) -> Result<String> {
    let show = show(request);
    let (text, effect) = match base {
        Some(base) => against(version, base, request)?,
        None => alone(version, request)?,
    };
    Ok(harmless_in_a_log(&(text + &effect.line(show))).into_owned())
}

fn alone(version: &Version, request: &Request) -> Result<(String, PluginEffect)> {
    let mut analysis = Analysis::among(version, None, Compared::No);
    Refused::check(&analysis.problems)?;
    analysis.ask_the_plugin();
    let findings = analysis.findings()?;
    let [errors, ..] = Count::of(findings).open;
    let (report, changes) = (preview::report(&analysis), changes(&analysis.survey));
    let forecast = report.forecast();
    let text = match request.format {
        Format::Text => {
            let diff = match request.diff {
                Diff::Auto => ShowDiff::Short,
                Diff::Always => ShowDiff::Always,
                Diff::Never => ShowDiff::Never,
            };
            let view = View { report: &report, findings, changes: &changes, diff, show: show(request) };
            view.print(&forecast, true)
        }
        Format::Markdown => markdown::print(&report, &forecast, findings, &changes, true),
        Format::Json => return Err(anyhow!("`preview` has no format `json` here")),
    };
    Ok((text, PluginEffect::of_findings(&analysis, findings, errors)))
}

fn against(version: &Version, base: &Version, request: &Request) -> Result<(String, PluginEffect)> {
    let compared_with = compared_with(version);
    let (before, known) = Analysis::among(base, None, compared_with).into_base();
    deployment::versions::check_size(&before)?;
    let mut analysis = Analysis::after(&before, version, None, compared_with);
    Refused::check(&analysis.problems)?;
    let comparison = compare(&mut analysis, &before, known)?;
    let forecast = comparison.forecast();
    let text = match request.format {
        Format::Text => compared::print(&comparison, &forecast, show(request)),
        Format::Markdown => {
            let named = request.base.as_ref().map_or("", |base| &base.called);
            markdown::print_against(&comparison, &forecast, named)
        }
        Format::Json => return Err(anyhow!("`preview` has no format `json` here")),
    };
    Ok((text, PluginEffect::of_comparison(&before, &analysis, &comparison)))
}

/// The lines of the diffs of all files.
fn difference(version: &Version) -> Result<String> {
    let analysis = Analysis::without_findings(version);
    Refused::check(&analysis.problems)?;
    let lines = changes(&analysis.survey).into_iter().flat_map(|changes| changes.lines);
    Ok(lines.map(|line| diff::shown(&line) + "\n").collect())
}
