//! `argocd-jobs upgrade`: the same manifests in two versions of Argo CD, each rendered with the tools of its version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use checkout::Tools;
use clap::{ArgMatches, Command, ValueHint, value_parser};
use deployment::reading::{self, Reading};
use deployment::{Environment, Read, Run, sources, versions};
use kube_jobs::argocd::Version as ArgoCd;
use lint::{Analysis, compared_with};
use preview::Upgrade;
use render::version_of;
use report::preview::upgrade::{Named, NotCompared, Report, json, markdown, text};
use report::show::Show;
use rewrite::plan::Together;
use system::canonical;
use system::threads::{self, MAX_THREADS};
use text::Message;

use super::flags::{self, flag, one_of, switch, value};
use super::notes::{note, tell};
use super::preview::{Format, check_problems};
use super::progress::Progress;
use super::status::{self, Status};
use super::{application_flags, arguments, help, terminal, typed_settings};

/// The flag with the old version.
const OLD: &str = "from";

/// The flags that name the tools of the old version, and the programs.
const PROGRAMS: [(&str, &str); 2] = [("from-helm", "helm"), ("from-kustomize", "kustomize")];

/// Value files are read by the rules of this version, whichever Argo CD is meant (`src/source/helm/value_files.rs`).
const VALUE_FILES: ArgoCd = ArgoCd::new(3, 4, 0);

/// Its arguments.
pub(super) fn command() -> Command {
    let program = |name: &'static str, help: &'static str| {
        flag(name, "PATH").help(help).value_hint(ValueHint::ExecutablePath).value_parser(value_parser!(PathBuf))
    };
    let format = one_of::<Format>("format", "FORMAT", "text").help("Output format; `markdown` is for a ticket");
    Command::new("upgrade")
        .about("Show what an upgrade of Argo CD, with its Helm and kustomize, changes for the Jobs")
        .after_help(help::examples(
            &[
                ("See what an upgrade from Argo CD 3.4 changes", "argocd-jobs upgrade . --from 3.4"),
                (
                    "See also what its Helm renders differently",
                    "argocd-jobs upgrade . --from 3.4 --from-helm /tmp/argocd-3.4/helm",
                ),
                (
                    "Upgrade to a version that is not the newest",
                    "argocd-jobs upgrade . --from 3.2 --argocd-version 3.4.13",
                ),
            ],
            "Exit status: 0 success, 1 if a Job cannot be synced any more, 2 error.",
        ))
        .arg(flags::paths())
        .args([
            flag(OLD, "VERSION")
                .help("The version of Argo CD before the upgrade; the new one is `--argocd-version`")
                .required(true),
            program("from-helm", "The helm of the old version; the new one is that on PATH"),
            program("from-kustomize", "The kustomize of the old version; the new one is that on PATH"),
            flags::plugin(),
            format,
            switch("all").help("List every Job, without grouping or shortening"),
            flags::color(),
        ])
        .args(application_flags::flags())
        .args(application_flags::search_flags())
        .args(typed_settings::flags())
}

/// The two versions, and the run of each.
struct Sides {
    versions: [ArgoCd; 2],
    runs: [Run; 2],
}

/// Prints what the upgrade changes.
pub(super) fn run(matches: &ArgMatches, environment: &Environment) -> Result<Status> {
    let typed = arguments::run(matches, environment)?;
    typed.check_plugin()?;
    if typed.paths.iter().any(|path| path == "-") {
        let message = Message::new("`upgrade` reads its sources twice, and standard input can be read once");
        return Err(anyhow!(message.help("pass a directory or a file")));
    }
    let show = Show {
        paint: terminal::paint(environment, value(matches, "color")),
        width: terminal::width(environment),
        all: matches.get_flag("all"),
        ..Show::default()
    };
    let sides = Sides::of(matches, &typed)?;
    let progress = Progress::begin("reading the sources");
    let [old, new] = sides.read(&progress)?;
    sides.tell_tools(&[&old, &new]);
    progress.next("comparing");
    let report = report(old, new, sides.versions)?;
    drop(progress);
    match value(matches, "format") {
        Format::Json => status::print(&json(&report))?,
        Format::Text => status::print_text(&text(&report, show))?,
        Format::Markdown => status::print_text(&markdown(&report))?,
    }
    let is_partial =
        typed.requires_coverage && !(report.not_compared.is_empty() && report.passed_over.skipped.is_empty());
    Ok(if report.is_harmful() || is_partial { Status::Found } else { Status::Done })
}

impl Sides {
    fn of(matches: &ArgMatches, run: &Run) -> Result<Self> {
        let parse = |flag: &str, value: Option<&str>| match value {
            None => Ok(ArgoCd::NEWEST),
            Some(text) => ArgoCd::parse(text).ok_or_else(|| {
                let message = Message::new(format!("`--{flag}`: `{text}` is not a version of Argo CD"));
                anyhow!(message.help("write a version such as `3.4` or `3.4.13`"))
            }),
        };
        let old = parse(OLD, matches.get_one::<String>(OLD).map(String::as_str))?;
        let new = parse("argocd-version", run.settings.last("argocd-version"))?;
        let mut programs = BTreeMap::new();
        for (flag, program) in PROGRAMS {
            if let Some(path) = matches.get_one::<PathBuf>(flag) {
                let named = |dir: PathBuf| Tools::named(path, &dir).map_err(|message| anyhow!("`--{flag}`: {message}"));
                programs.insert(program, named(canonical(".")?)?);
                for dir in run.paths.iter().filter_map(|path| canonical(path).ok()) {
                    named(dir)?;
                }
            }
        }
        let with = |version: ArgoCd| Run {
            settings: run.settings.with("argocd-version", &version.to_string()),
            base: None,
            ..run.clone()
        };
        let mut before = with(old);
        before.environment.programs = programs;
        Ok(Self { versions: [old, new], runs: [before, with(new)] })
    }

    /// Prints on standard error which tools that render a source are in another version than their Argo CD has.
    fn tell_tools(&self, sides: &[&Reading]) {
        let is_used = |program: &str| sides.iter().flat_map(|side| &side.read).any(|one| one.target.kind() == program);
        let first = self.runs[1].paths.first().map_or(Path::new("."), Path::new);
        let dir = if first.is_dir() { first } else { Path::new(".") };
        for (version, run) in self.versions.into_iter().zip(&self.runs) {
            let rendering = run.environment.rendering();
            let Some(launcher) = rendering.launcher else { return };
            for (_, program) in PROGRAMS.into_iter().filter(|(_, program)| is_used(program)) {
                let found = version_of(program, &run.environment.tools(), dir, &launcher, &rendering.temporary);
                if let Some(warning) = found.and_then(|found| version.differs(program, &found)) {
                    note(&format!("{warning}: what it renders is not what that Argo CD renders"));
                }
            }
        }
    }

    /// The sources of both sides. An error, with the side, if the only source cannot be read.
    fn read(&self, progress: &Progress) -> Result<[Reading; 2]> {
        let read = |side: usize| {
            let run = &self.runs[side];
            let read = sources::of(run).and_then(|sources| reading::read(sources, run, &|what| progress.next(what)));
            read.map_err(|error| error.context(format!("not compared: with Argo CD {}", self.versions[side])))
        };
        // An error that both versions have is reported for the new one.
        let new = read(1)?;
        let old = read(0)?;
        tell(&self.runs[0].environment.notes);
        Ok([old, new])
    }
}

/// The name of a source, and its number among the sources with this name.
type Key = (Named, usize);

fn keyed(read: Vec<Read>) -> Vec<(Key, Read)> {
    let mut known: BTreeMap<Named, usize> = BTreeMap::new();
    let key = |one: Read| {
        let named = Named {
            path: one.shown_as.clone(),
            application: one.target.application().map(ToOwned::to_owned),
            from: one.from.clone(),
        };
        let count = known.entry(named.clone()).or_default();
        *count += 1;
        ((named, *count), one)
    };
    read.into_iter().map(key).collect()
}

fn report(old: Reading, new: Reading, versions: [ArgoCd; 2]) -> Result<Report> {
    let mut before: BTreeMap<Key, Read> = keyed(old.read).into_iter().collect();
    let pairs: Vec<(Key, [Option<Read>; 2])> = keyed(new.read)
        .into_iter()
        .map(|(key, now)| {
            let known = before.remove(&key);
            (key, [known, Some(now)])
        })
        .collect();
    let pairs: Vec<_> =
        pairs.into_iter().chain(before.into_iter().map(|(key, read)| (key, [Some(read), None]))).collect();
    let both = [Together::default(), Together::default()];
    let work = |(): &mut (), index: usize| compare(&pairs[index].1, &both, versions);
    let outcomes = threads::in_order(pairs.len(), MAX_THREADS, || (), work);
    reading::check_size(&both)?;
    let (mut changed, mut not_compared, mut unchanged) = (Vec::new(), Vec::new(), 0);
    for (((named, _), _), outcome) in pairs.iter().zip(outcomes) {
        match outcome {
            Err(error) => not_compared.push(NotCompared { named: named.clone(), reason: format!("{error:#}") }),
            Ok(upgrade) if upgrade.is_a_change() || !upgrade.nulls.is_empty() => changed.push((named.clone(), upgrade)),
            Ok(_) => unchanged += 1,
        }
    }
    Ok(Report { versions, changed, unchanged, not_compared, passed_over: new.passed_over })
}

/// The changes for one source. An error, with the side, if they are not known.
fn compare(pair: &[Option<Read>; 2], both: &[Together; 2], versions: [ArgoCd; 2]) -> Result<Upgrade> {
    let only = |version: ArgoCd| {
        anyhow!(
            "this source exists only with Argo CD {version}: what renders its Application renders something else with the other version"
        )
    };
    let [Some(old), Some(new)] = pair else {
        return Err(only(if pair[0].is_some() { versions[0] } else { versions[1] }));
    };
    for (read, version) in [(new, versions[1]), (old, versions[0])] {
        if let Some(failure) = read.failure() {
            return Err(anyhow!("with Argo CD {version}: {failure}"));
        }
        if let Some(why) = read.unseen.first() {
            return Err(anyhow!("with Argo CD {version}: not all Jobs are known: {why}"));
        }
    }
    check_value_files(new, versions)?;
    let compared = compared_with(new.version());
    let (base, known) = Analysis::among(old.version(), Some(&both[0]), compared).into_base();
    let mut analysis = Analysis::among(new.version(), Some(&both[1]), compared);
    for (problems, version) in [(&analysis.problems, versions[1]), (&base.problems, versions[0])] {
        check_problems(problems).map_err(|error| error.context(format!("with Argo CD {version}")))?;
    }
    versions::check_size(&base)?;
    Ok(preview::upgrade(&mut analysis, &base, known)?)
}

/// An error where Argo CD reads value files differently before 3.4: what this program renders is not what the old version renders.
fn check_value_files(read: &Read, [old, new]: [ArgoCd; 2]) -> Result<()> {
    let files = &read.version().settings.helm.value_files;
    let is_other = |(index, file): (usize, &String)| file.contains(['*', '?', '[']) || files[..index].contains(file);
    match files.iter().enumerate().find(|entry| is_other(*entry)) {
        Some((_, file)) if old.min(new) < VALUE_FILES => Err(anyhow!(
            "Argo CD before {VALUE_FILES} reads its value files differently: `{file}` is a glob, or is listed twice"
        )),
        _ => Ok(()),
    }
}
