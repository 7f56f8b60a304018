//! `argocd-jobs upgrade`: the same manifests in two versions of Argo CD, each rendered with the tools of its version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use checkout::Tools;
use clap::{ArgMatches, Command, ValueHint, value_parser};
use deployment::reading::{self, Reading};
use deployment::{Environment, Run, sources};
use kube_jobs::argocd::Version as ArgoCd;
use render::version_of;
use system::canonical;
use text::Message;

use super::flags::{self, flag, one_of, switch};
use super::notes::{note, tell};
use super::preview::{self, Arguments, Format};
use super::progress::Progress;
use super::status::Status;
use super::{application_flags, arguments, help, typed_settings};

/// The flag with the old version.
const OLD: &str = "from";

/// The flags that name the tools of the old version, and the programs.
const PROGRAMS: [(&str, &str); 2] = [("from-helm", "helm"), ("from-kustomize", "kustomize")];

/// The arguments of `upgrade`.
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
            "Exit status: 0 success, 1 if a sync fails, a Job cannot be synced any more, or there is a new error, 2 error.",
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
    let run = arguments::run(matches, environment)?;
    run.check_plugin()?;
    if run.paths.iter().any(|path| path == "-") {
        let message = Message::new("`upgrade` reads its sources twice, and standard input can be read once");
        return Err(anyhow!(message.help("pass a directory or a file")));
    }
    let sides = Sides::of(matches, &run)?;
    let progress = Progress::begin("reading the sources");
    let [old, new] = sides.read(&progress)?;
    sides.tell_tools(&[&old, &new]);
    let mut reading = new.since(old, sides.versions);
    reading.join_sources();
    let [_, run] = sides.runs;
    preview::print(&reading, &Arguments::of_upgrade(matches, run, sides.versions), progress)
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
