//! `argocd-jobs generate`

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{ArgMatches, Command};
use deployment::errors::problems_error;
use deployment::{Run, chart_templates, typed};
use rewrite::plan::Plan;
use rewrite::version::Version;
use text::{visible, visible_lines};

use super::flags::{self, switch};
use super::status::{NOT_WRITTEN, Status};
use super::{application_flags, help, typed_settings};

/// The arguments of `generate`.
pub(super) fn command() -> Command {
    Command::new("generate")
        .about("Rewrite the Jobs so that every sync can apply them")
        .after_help(help::examples(
            &[
                ("Rewrite the Jobs of a directory, a chart or a kustomization", "argocd-jobs generate apps/shop"),
                ("Rewrite rendered manifests", "helm template shop chart | argocd-jobs generate -"),
                ("Run ordinary Jobs as PreSync hooks", "argocd-jobs generate apps/shop --strategy hook --hook PreSync"),
            ],
            "Exit status: 0 success, 2 error; nothing is printed on standard output after an error.",
        ))
        .arg(flags::source())
        .arg(
            switch("summary")
                .help("On success, also print one line on standard error: Application, type of the source, Jobs by strategy, time; it is in the log of the sidecar")
                .hide_short_help(true),
        )
        .args(application_flags::flags())
        .args(typed_settings::flags())
}

/// Rewrites the source that was typed. Prints the output when all of it could be planned, and nothing otherwise.
pub(super) fn typed(run: &Run, matches: &ArgMatches, started: Instant) -> Result<Status> {
    let path = run.paths.first().map_or(".", String::as_str);
    let path = Some(Path::new(path)).filter(|_| path != "-");
    if let Some(path) = path.filter(|_| !run.settings.describe_a_source()) {
        chart_templates::refuse(path, &run.environment)?;
    }
    let version = typed::read(path, run)?;
    print(&version, matches, started, || typed::kind(path))
}

/// Prints the output, the warnings of the tools, and with `--summary` a line about a run that began at `started`. `kind` is what renders the source.
pub(super) fn print(
    version: &Version,
    matches: &ArgMatches,
    started: Instant,
    kind: impl FnOnce() -> &'static str,
) -> Result<Status> {
    let plan = version.plan().map_err(|problems| problems_error(&problems))?;
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    version.write(&plan, &mut out).and_then(|()| out.flush()).context(NOT_WRITTEN)?;
    for warning in version.manifests.iter().flat_map(|manifest| &manifest.warnings) {
        // Nobody has to read it.
        let _ = writeln!(io::stderr(), "{}", visible_lines(warning));
    }
    if matches.get_flag("summary") {
        let line = summary(version, &plan, kind(), started.elapsed());
        let _ = writeln!(io::stderr(), "{}", visible(&line));
    }
    Ok(Status::Done)
}

/// `application=shop source=helm jobs=3 strategies=hash-name:2,hook:1 seconds=0.120`, in the form of Argo CD's own log.
fn summary(version: &Version, plan: &Plan, source: &str, took: Duration) -> String {
    let mut strategies: BTreeMap<String, usize> = BTreeMap::new();
    for job in &plan.jobs {
        *strategies.entry(job.outcome.decision.strategy.to_string()).or_default() += 1;
    }
    let strategies: Vec<String> = strategies.iter().map(|(name, count)| format!("{name}:{count}")).collect();
    let strategies = if strategies.is_empty() { "none".to_owned() } else { strategies.join(",") };
    let application = version.application.name.as_deref().unwrap_or("unknown");
    let (jobs, seconds) = (plan.jobs.len(), took.as_secs_f64());
    format!("application={application} source={source} jobs={jobs} strategies={strategies} seconds={seconds:.3}")
}
