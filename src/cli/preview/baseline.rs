//! `argocd-jobs preview --baseline`: the content hashes of the Jobs as they are, on standard output or in the config file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use checkout::{NotReplaced, small_file_in};
use clap::Arg;
use deployment::{Target, versions};
use lint::Analysis;
use preview::report;
use report::check::patch::{self, Text};
use report::preview::baseline::{Recorded, hashes, print_recorded, recorded};
use rewrite::manifest::Manifest;
use rewrite::plan::{Problem, ProblemKind};
use rewrite::settings::baseline::{self, Hashes, Merged, Written, merge, read};
use rewrite::settings::{CONFIG_FILE, MAX_CONFIG_FILE, Provenance};
use rewrite::version::Version;
use system::{PathText, canonical};
use text::{Message, plural, visible};

use super::arguments::Arguments;
use super::report::check_problems;
use crate::cli::flags::{When, switch};
use crate::cli::notes::{note, tell};
use crate::cli::progress::Progress;
use crate::cli::status::{Status, print, print_text};
use crate::cli::terminal;

/// Its flags.
pub(super) fn flags() -> [Arg; 2] {
    let baseline = switch("baseline")
        .help("Print only the current content hash of every Job, for `baseline` in .argocd-jobs.yaml")
        .conflicts_with_all(["base", "format"]);
    let write = switch("write")
        .help("With --baseline: write the hashes into the .argocd-jobs.yaml of the directory, and keep everything else in it")
        .long_help(
            "With --baseline: write the hashes into the .argocd-jobs.yaml of the directory, which is created if there is none. Entries of other \
             Jobs and all other bytes of the file stay as they are. With `--diff always` nothing is written: the change is shown, and the exit \
             status is 1 if there is one",
        )
        .requires("baseline");
    [baseline, write]
}

/// Prints the hashes, or writes them.
pub(super) fn run(target: &Target, typed: &Arguments) -> Result<Status> {
    let file = file(target, typed)?;
    let progress = Progress::begin("reading manifests");
    let version = versions::read(target, &typed.run)?;
    tell(&typed.run.environment.notes);
    progress.next("planning");
    check_release_name(&version)?;
    let analysis = Analysis::without_findings(&version);
    check_problems_of_one(&analysis.problems)?;
    let report = report(&analysis);
    let jobs = recorded(&analysis.survey, &report);
    drop(progress);
    if jobs.is_empty() && version.application.is_native {
        note(
            "the Application does not use the plugin, so no Job has a content hash; `--strategy auto` shows what the plugin would rename",
        );
    }
    let Some(file) = file else {
        print(&print_recorded(&jobs))?;
        return Ok(Status::Done);
    };
    let change = file.change(&jobs)?;
    match change.new.added + change.new.changed {
        0 if file.shows_diff => note(nothing(&jobs)),
        0 => print_text(&format!("{}\n", nothing(&jobs)))?,
        _ if file.shows_diff => {
            file.show(&change, typed)?;
            return Ok(Status::Found);
        }
        _ => file.write(&change)?,
    }
    Ok(Status::Done)
}

/// The problems, as an error. A folder without manifests may be the top of a repository, and each source has a baseline of its own.
fn check_problems_of_one(problems: &[Problem]) -> Result<()> {
    let told = |problem: &Problem| match problem.kind {
        ProblemKind::Empty => Problem { help: Some(ONE_SOURCE.to_owned()), ..problem.clone() },
        _ => problem.clone(),
    };
    check_problems(&problems.iter().map(told).collect::<Vec<_>>())
}

const ONE_SOURCE: &str = "pass the directory of one Application: each has a baseline of its own, in its `.argocd-jobs.yaml`; to read subfolders as well, \
                          add `--recurse`";

/// An error for a chart whose release has no name: Jobs are called by it, so that the hashes would be of other Jobs.
fn check_release_name(version: &Version) -> Result<()> {
    let is_chart = version.manifests.iter().any(Manifest::is_of_a_chart);
    if !is_chart || version.application.name.is_some() || version.settings.helm.release_name.is_some() {
        return Ok(());
    }
    let message = Message::new("the baseline of a chart needs the Application's name: the hashes depend on it");
    Err(anyhow!(message.help("set `ARGOCD_APP_NAME` and `ARGOCD_APP_NAMESPACE` to those of the Application")))
}

/// The config file that is to be written or compared; none when the hashes are only printed.
fn file(target: &Target, typed: &Arguments) -> Result<Option<File>> {
    let shows_diff = typed.diff == When::Always;
    if !typed.write && !shows_diff {
        return Ok(None);
    }
    let dir = target.path();
    if matches!(target, Target::StandardInput) || dir.is_file() {
        let what = if dir.is_file() { "a single file" } else { "standard input" };
        let message = Message::new(format!("{what} has no config file"));
        return Err(anyhow!(message.help("pass the source directory of the Application")));
    }
    if target.is_elsewhere() {
        let message =
            Message::new("the source of the Application is in another repository, whose files are not written");
        return Err(anyhow!(message.help("run it in a checkout of that repository")));
    }
    if !shows_diff && typed.run.environment.in_a_case {
        let message = Message::new("`--write` cannot write files in a test case");
        return Err(anyhow!(message.help("add `--diff always`; the expected output is then the diff")));
    }
    let place = dir.join(CONFIG_FILE);
    Ok(Some(File { path: checkout::clean(&place), place, dir, shows_diff }))
}

/// The config file of a directory.
struct File {
    dir: PathBuf,
    /// Its path, as the system takes it: `..` is what is above the target of a symlink.
    place: PathBuf,
    /// Its path, as messages call it.
    path: PathBuf,
    shows_diff: bool,
}

/// What is to become of it.
struct Change {
    /// Its text; none when there is no file.
    old: Option<String>,
    new: Merged,
}

impl Change {
    /// Tells what an entry that changes can do: the Job that it is about goes back to the name that it was written under.
    fn warn(&self) {
        if self.new.changed > 0 {
            let count = plural(self.new.changed, "Job");
            note(&format!(
                "{count} had another hash in the baseline; a Job that already has a hashed name gets its old name back, \
                 and runs again"
            ));
        }
    }

    /// `2 Jobs added to the baseline, 1 changed`
    fn count(&self) -> String {
        let Merged { added, changed, .. } = self.new;
        match (added, changed) {
            (0, changed) => format!("{} changed in the baseline", plural(changed, "Job")),
            (added, 0) => format!("{} added to the baseline", plural(added, "Job")),
            (added, changed) => format!("{} added to the baseline, {changed} changed", plural(added, "Job")),
        }
    }
}

impl File {
    fn write(&self, change: &Change) -> Result<()> {
        let written = match &change.old {
            Some(old) => checkout::replace(&self.place, old, &change.new.text),
            None => checkout::create(&self.place, &change.new.text),
        };
        written.map_err(|reason| self.refused(&reason))?;
        change.warn();
        print_text(&format!("{}: {}\n", visible(&self.path.in_slashes()), change.count()))
    }

    fn show(&self, change: &Change, typed: &Arguments) -> Result<()> {
        let text = |text| Text { text, hidden: &[] };
        let (old, new) = (change.old.as_deref().unwrap_or_default(), change.new.text.as_str());
        let paint = terminal::paint(&typed.run.environment, typed.color);
        print_text(&patch::print(&self.path.shown().to_string(), text(old), text(new), paint))?;
        change.warn();
        note(&format!("`--write` would change the file: {}", change.count()));
        Ok(())
    }

    /// What becomes of the file; an error when it must not be written, or cannot be.
    fn change(&self, jobs: &[Recorded<'_>]) -> Result<Change> {
        if fs::symlink_metadata(&self.place).is_ok_and(|found| found.is_symlink()) {
            return Err(self.refused(&NotReplaced::Symlink));
        }
        let top = canonical(&self.dir)?;
        let old = small_file_in(&top, Path::new(CONFIG_FILE), MAX_CONFIG_FILE);
        let old = old.map_err(|error| self.refused(&NotReplaced::System(error)))?;
        let may_be_written = match &old {
            Some(old) => checkout::check_replaceable(&self.place, old),
            None => checkout::check_creatable(&self.place),
        };
        may_be_written.map_err(|reason| self.refused(&reason))?;
        let text = old.as_deref().unwrap_or_default();
        let known = read(text).unwrap_or_default();
        let (of_others, own): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| is_set_above(job, &known));
        tell_left_out(&of_others);
        check_namespaces(&own, &known.hashes)?;
        let hashes = hashes(own.into_iter());
        // Before it is merged, which takes longer the more there is.
        self.check_size(&baseline::print(&hashes))?;
        let new = merge(text, &hashes).ok_or_else(|| {
            let message = "not written: `baseline` cannot be changed in place";
            anyhow!(Message::new(message).about(self.path.shown()).help(
                "write it as a plain map, without anchors, aliases and merge keys, or copy what `argocd-jobs preview --baseline` prints"
            ))
        })?;
        self.check_size(&new.text)?;
        Ok(Change { old, new })
    }

    /// An error for a text that no config file may have: the next run could not read it.
    fn check_size(&self, text: &str) -> Result<()> {
        if text.len() as u64 <= MAX_CONFIG_FILE {
            return Ok(());
        }
        let message = format!("not written: it would be larger than {} KiB", MAX_CONFIG_FILE >> 10);
        let help = "record the Jobs of several directories one by one, or set `argocd-jobs/baseline` on the Jobs";
        Err(anyhow!(Message::new(message).about(self.path.shown()).help(help)))
    }

    fn refused(&self, reason: &NotReplaced) -> anyhow::Error {
        let message = Message::new(format!("not written: {reason}")).about(self.path.shown());
        anyhow!(message.help("copy what `argocd-jobs preview --baseline` prints"))
    }
}

/// The message when `--write` would change nothing.
fn nothing(jobs: &[Recorded<'_>]) -> &'static str {
    match jobs {
        [] => "nothing to write: no Job has the strategy `hash-name`",
        _ => "nothing to write: the baseline is up to date",
    }
}

/// Whether the baseline of a Job is set above the top of the config file, where it would be written.
fn is_set_above(job: &Recorded<'_>, known: &Written) -> bool {
    match job.set_by {
        None | Some(Provenance::Sidecar(_)) => false,
        by => by != known.by.as_ref(),
    }
}

fn tell_left_out(jobs: &[&Recorded<'_>]) {
    for Recorded { key, set_by, is_current, .. } in jobs {
        if let Some(by) = set_by.filter(|_| !is_current) {
            note(&format!("`{key}` is left out: {by} sets another hash"));
        }
    }
}

/// An error for a Job whose namespace is not known, when the file has another hash for its name in a namespace: in the cluster that one
/// would count.
fn check_namespaces(jobs: &[&Recorded<'_>], known: &Hashes) -> Result<()> {
    for job in jobs.iter().filter(|job| !job.key.contains('/')) {
        let is_other = |(name, hash): &(&String, &String)| {
            name.split_once('/').is_some_and(|(_, name)| name == job.key) && *hash != job.hash
        };
        if let Some((name, _)) = known.iter().find(is_other) {
            let message = format!("the namespace of Job `{}` is not known, and `{name}` has another hash", job.key);
            return Err(anyhow!(
                Message::new(message).help("set `ARGOCD_APP_NAMESPACE` to the namespace of the Application")
            ));
        }
    }
    Ok(())
}
