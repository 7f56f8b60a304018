//! Reads the sources of a command line side by side, each with its own config file and the same settings otherwise.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, anyhow};
use lint::suppression;
use render::Lack;
use rewrite::plan::{self, Problem, Together};
use rewrite::settings::Empty;
use rewrite::version::Version;
use source::Input;
use system::PathText;
use system::threads::{self, MAX_THREADS};
use text::{Message, on_one_line, visible};

use crate::errors::problems_error;
use crate::folders::Folder;
use crate::graph::{self, Graph};
use crate::notes::Notes;
use crate::outcome::{Failure, Read, Standing};
use crate::row::PassedOver;
use crate::run::Run;
use crate::sources::Sources;
use crate::target::Target;
use crate::value_sets::Sets;
use crate::{
    application_version, argocd, base, kept_out, missing, not_followed, parts, rendered_alike, roots, same_files,
    search, unchecked_change, uncovered, unknown_jobs, unused, value_sets, versions,
};

/// Receives a text about what is being done, to show the progress.
pub type Progress<'p> = &'p (dyn Fn(String) + Sync);

/// All sources of a command line, as they were read.
pub struct Reading {
    /// The sources, without parts of other sources.
    pub read: Vec<Read>,
    /// The files, folders and Applications that are not among them.
    pub passed_over: PassedOver,
    /// Whether there is one source, which is printed without a table.
    pub is_single: bool,
}

impl Reading {
    /// A counter for the limits that several sources share; `None` for a single source, which reports an excess as its own problem.
    pub fn together(&self) -> Option<Together> {
        (!self.is_single).then(Together::default)
    }

    /// Notes why a single source may have Jobs that were not found. For several sources the table says so.
    pub fn tell_unseen(&self, notes: &Notes) {
        if self.is_single {
            self.read.iter().for_each(|one| unknown_jobs::tell(&one.unseen, notes));
        }
    }
}

/// Reads all sources. An error if `--base` cannot be read at all, because then no source can be compared, and if the only source cannot be read.
pub fn read(mut sources: Sources, run: &Run, progress: Progress<'_>) -> Result<Reading> {
    let mut next = std::mem::take(&mut sources.targets);
    if !sources.is_single {
        // Otherwise each source would have it.
        versions::check_settings(run)?;
    }
    versions::check_base(&next, run)?;
    let mut sets = None;
    let mut graph = sources.checkout.clone().map(|checkout| Graph::new(checkout, run));
    let mut read: Vec<Read> = Vec::new();
    if let ([target], true) = (next.as_slice(), sources.is_single) {
        sets = value_sets::of(target, run)?;
        let one = read_only(target, sets.as_ref(), run, progress)?;
        if graph.is_none() && is_root(&one, run) {
            let checkout = Arc::new(search::checkout_of(&target.path(), run)?);
            sources.checkout = Some(Arc::clone(&checkout));
            graph = Some(Graph::new(checkout, run));
        }
        read.push(one);
        next = next_of(&mut graph, &read, &[0])?;
        let is_whole = sets.is_none() && read[0].without().next().is_none();
        if next.is_empty() {
            graph.iter_mut().for_each(|graph| graph.tell_silent_roots(&mut read));
        }
        if next.is_empty() && is_whole && !graph.as_ref().is_some_and(Graph::has_skipped) {
            settle(&mut read, &sources, run);
            return Ok(Reading { read, passed_over: PassedOver::default(), is_single: true });
        }
    } else if run.base.as_deref() == Some("-") {
        return Err(versions::no_stream_for_several());
    }
    while !next.is_empty() {
        let first = read.len();
        read_round(&next, &mut read, run, progress)?;
        next = next_of(&mut graph, &read, &Vec::from_iter(first..read.len()))?;
        if next.is_empty() {
            next = pair_again(&mut graph, &mut read, run, progress)?;
        }
        if next.is_empty() && !read.iter().any(|one| one.target.is_application()) {
            next = sources.take_aside();
        }
    }
    if let Some(mut graph) = graph {
        graph.tell_silent_roots(&mut read);
        read = graph.finish(read, &mut sources);
    }
    let (mut read, parts) = parts::without_parts(read);
    if !sources.skipped.is_empty() {
        // An Application that is unknown may name the folder, with other sources.
        let folders = read.iter_mut().filter(|one| matches!(one.target, Target::Folder(_)));
        folders.filter(|one| one.standing == Standing::Applied).for_each(|one| one.standing = Standing::MayBeAPart);
    }
    let round = |targets: &[Target], all: &mut Vec<Read>| read_round(targets, all, run, progress);
    let mut read = value_sets::add(read, sets, run, round)?;
    unused::settle_owners(&mut read);
    if read.is_empty() && sources.skipped.is_empty() && sources.rendered.is_empty() {
        let message = Message::new("no manifest, chart or kustomization that is a source of its own");
        return Err(anyhow!(message.help("pass the directory of a source")));
    }
    settle(&mut read, &sources, run);
    let passed_over = PassedOver { parts, ..sources.passed_over(&read, run) };
    Ok(Reading { read, passed_over, is_single: false })
}

/// Puts into the sources what other sources and their Applications say of them.
fn settle(read: &mut [Read], sources: &Sources, run: &Run) {
    argocd::settle(read, sources.checkout.as_deref());
    kept_out::settle(read, run);
    uncovered::settle(read, run);
    missing::settle(read, sources);
}

/// Reads the sources again that were read as new ones and that the other version has in another place. Returns what is next then.
fn pair_again(
    graph: &mut Option<Graph<'_>>,
    read: &mut [Read],
    run: &Run,
    progress: Progress<'_>,
) -> Result<Vec<Target>> {
    let Some(found) = graph else { return Ok(Vec::new()) };
    let (numbers, targets): (Vec<usize>, Vec<Target>) = found.found_apart(read).into_iter().unzip();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let mut again = Vec::new();
    read_round(&targets, &mut again, run, progress)?;
    for (number, one) in numbers.iter().zip(again) {
        read[*number] = one;
    }
    next_of(graph, read, &numbers)
}

/// The sources of the Applications that the sources `numbers` render; at the end, the roots that nothing declares.
fn next_of(graph: &mut Option<Graph<'_>>, read: &[Read], numbers: &[usize]) -> Result<Vec<Target>> {
    let Some(graph) = graph else { return Ok(Vec::new()) };
    let next = graph.next(read, numbers)?;
    if next.is_empty() { graph.assumed_roots(read) } else { Ok(next) }
}

/// Reads `targets` side by side, and adds them to `read`.
fn read_round(targets: &[Target], read: &mut Vec<Read>, run: &Run, progress: Progress<'_>) -> Result<()> {
    let (before, begun) = (read.len(), AtomicUsize::new(read.len()));
    let count = before + targets.len();
    no_excess(plan::too_many_sources(count, 0))?;
    let read_next = |target: &Target| {
        let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
        progress(format!("reading the sources: {number} of {count}, {}", name_of(target)));
        // Threads end in any order; their notes come in that of the sources.
        let own = run.with_own_notes();
        (read_one(target, &own), own.environment.notes.take())
    };
    for part in targets.chunks(AT_A_TIME) {
        let firsts = rendered_alike::firsts(part, run);
        let alone: Vec<usize> = (0..part.len()).filter(|index| firsts[*index] == *index).collect();
        let of_alone = threads::in_order(alone.len(), MAX_THREADS, || (), |(), at| read_next(&part[alone[at]]));
        let (of_alone, notes): (Vec<_>, Vec<_>) = of_alone.into_iter().unzip();
        notes.into_iter().flatten().for_each(|note| run.environment.notes.push(note));
        let (before, mut of_alone) = (read.len(), of_alone.into_iter());
        for (index, first) in firsts.into_iter().enumerate() {
            let one = match of_alone.as_slice() {
                [_, ..] if first == index => of_alone.next().transpose()?,
                _ => None,
            };
            let one = one.unwrap_or_else(|| rendered_alike::like(&read[before + first], &part[index], run));
            read.push(one);
        }
        let manifests = read.iter().flat_map(|one| &one.version().manifests);
        no_excess(plan::too_many_sources(read.len(), manifests.map(|manifest| manifest.text.len()).sum()))?;
    }
    Ok(())
}

/// Whether the only source of a command line is followed to the sources of its Applications: in Argo CD, and where somebody says what a source is,
/// it stays the only one; and so it does when it is compared with a file, or with a directory that is not another checkout.
fn is_root(one: &Read, run: &Run) -> bool {
    let (Target::Typed(path) | Target::Folder(Folder { dir: path, .. })) = &one.target else { return false };
    let is_checkout = || {
        let base = run.checkout_root(path).ok().and_then(|root| base::input(Some(&root), run).ok());
        matches!(base, Some(Some(Input::Revision { .. } | Input::Directory(_))))
    };
    let may_declare = || graph::may_declare(one) || roots::can_make_applications(&one.target);
    !run.is_told() && may_declare() && (run.base.is_none() || is_checkout())
}

/// What a source is called while it is read: its Application, or else its path.
fn name_of(target: &Target) -> String {
    match target.application() {
        Some(name) => format!("Application {}", visible(name)),
        None => visible(&target.path().in_slashes()).into_owned(),
    }
}

/// Reads the only source of a command line; `sets` are its value sets.
fn read_only(target: &Target, sets: Option<&Sets>, run: &Run, progress: Progress<'_>) -> Result<Read> {
    let mut one = match sets {
        Some(sets) => read_one(&sets.own(), run)?,
        None => read_single(target, run, progress)?,
    };
    not_followed::tell(&mut one, run);
    Ok(one)
}

/// Reads the only source of a command line, which is called as its version is.
fn read_single(asked: &Target, run: &Run, progress: Progress<'_>) -> Result<Read> {
    let read_new =
        |run: &Run| versions::read(asked, run).inspect_err(|error| value_sets::tell_required(asked, error, run));
    let (mut target, mut unread_base) = (asked.clone(), None);
    let (new, base) = match asked {
        Target::StandardInput if run.base.is_some() => {
            let base = versions::read_base(asked, run)?;
            let as_base = base.as_ref().and_then(|base| versions::as_in_base(asked, base, run));
            (read_new(as_base.as_ref().unwrap_or(run))?, base)
        }
        _ => {
            let new = read_new(run);
            progress("reading the other version".to_owned());
            match (new, read_base(&mut target, run)) {
                (new, Ok(Some(base))) => (versions::decided(asked, new, &base, run)?, Some(base)),
                (Ok(new), Err(error)) if versions::is_of_source(&error) => {
                    run.environment
                        .notes
                        .add(format!("not compared, so nothing is new or old: {}", on_one_line(&format!("{error:#}"))));
                    unread_base = Some(error);
                    (new, None)
                }
                (new, base) => (new?, base?),
            }
        }
    };
    let mut read = Read::new(shown(&new.shown_as), target, Ok(Box::new(new)), base.map(|base| Ok(Box::new(base))));
    if let Some(error) = unread_base {
        read.old = Some(Err(Box::new(failure(&error, &read.target, &read.shown_as, run))));
    }
    read.tell_unknown(run);
    Ok(read)
}

/// Reads the version that `--base` names, and puts into `target` what that version declares, if that was unknown.
fn read_base(target: &mut Target, run: &Run) -> Result<Option<Version>> {
    *target = versions::found_in_base(target, run)?;
    versions::read_base(target, run)
}

/// The path of a source, as messages call it.
fn shown(path: &Path) -> String {
    match visible(&path.in_slashes()).into_owned() {
        empty if empty.is_empty() => ".".to_owned(),
        text => text,
    }
}

/// After how many sources it is looked whether there are too many: the rest is not read then.
const AT_A_TIME: usize = 1_000;

/// The problem, as an error.
fn no_excess(excess: Option<Problem>) -> Result<()> {
    excess.map_or(Ok(()), |excess| Err(problems_error(&[excess])))
}

/// Reads one of several sources. An error only if `--base` is wrong for every source.
fn read_one(asked: &Target, run: &Run) -> Result<Read> {
    let version = versions::read(asked, run);
    // Without `--base` this reads nothing. What cannot be read now may have been so before.
    let mut target = asked.clone();
    let base = match version.as_ref().ok().filter(|version| same_files::is_unchanged(asked, version, run)) {
        Some(version) => Ok(Some(version.clone())),
        None => read_base(&mut target, run),
    };
    let target = &target;
    let base = match base {
        Err(error) if versions::source_error(&error).is_some_and(source::Error::is_about_the_base) => {
            return Err(error);
        }
        base => base,
    };
    let checked = |version: Version| -> Result<Box<Version>> {
        suppression::check_ids(&version.layers)?;
        Ok(Box::new(version))
    };
    let version = match &base {
        Ok(Some(base)) => versions::decided(target, version, base, run),
        _ => version,
    };
    let base = base.and_then(|base| base.map(checked).transpose());
    let elsewhere = target.source().and_then(application_version::shown_elsewhere);
    let shown_as = shown(&elsewhere.unwrap_or_else(|| run.environment.shown_as(&target.path())));
    let failed = |error: &anyhow::Error| Box::new(failure(error, target, &shown_as, run));
    let is_of_base = target.old_source().is_some();
    let (mut new, old) = match (version.and_then(checked), base) {
        // The change may be why the new version cannot be read.
        (_, Err(error)) if is_of_base => (Err(failed(&error)), Some(Err(failed(&error)))),
        // Which files of a folder count is decided by the base.
        (Ok(new), Err(error)) if new.manifests.is_empty() => (Err(failed(&error)), Some(Ok(Box::default()))),
        (new, old) => (new.map_err(|error| failed(&error)), old.map_err(|error| failed(&error)).transpose()),
    };
    if let Ok(new) = &mut new {
        // Without an Application, a folder or file can be empty on purpose. A pipe is empty if the command before it fails, and a folder if a glob in
        // its config file is wrong.
        let is_for_nothing = is_pipe(&target.path()) || new.is_emptied_by_its_config_file();
        if (is_of_base || matches!(target, Target::Folder(_))) && !is_for_nothing {
            new.settings.output.empty = Empty::Allowed;
        }
    }
    let mut read = Read::new(shown_as, target.clone(), new, old);
    read.tell_unknown(run);
    Ok(read)
}

impl Read {
    /// Puts into it what is unknown of its Jobs and of its change.
    fn tell_unknown(&mut self, run: &Run) {
        let Ok(new) = &self.new else {
            self.changed = unchecked_change::of_target(&self.target, run);
            return;
        };
        let is_partly_rendered =
            |version: &Version| version.manifests.iter().any(|manifest| !manifest.without.is_empty());
        let base = self.base();
        let is_partly_known = base.is_some_and(|base| is_partly_rendered(base) || is_partly_rendered(new));
        let unseen = unknown_jobs::reasons(&self.target, new, base, run);
        // It reads the files of both versions.
        let is_asked = is_partly_known || !unseen.is_empty();
        let changed = if is_asked { unchecked_change::of_target(&self.target, run) } else { None };
        self.may_change_unseen = is_partly_known && changed != Some(false);
        self.unseen_changed = changed.filter(|_| !unseen.is_empty());
        self.unseen = unseen;
    }
}

/// Why a version of a source cannot be read.
fn failure(error: &anyhow::Error, target: &Target, shown_as: &str, run: &Run) -> Failure {
    let text = without_path(&application_version::without_subject(error), target, shown_as);
    let of_source = versions::source_error(error);
    let may_work = of_source.is_some_and(|error| error.may_work_in_argocd(target.is_application()));
    let missing = of_source.filter(|_| !may_work).and_then(|_| missing_part(target, &text));
    let lack = of_source.and_then(source::Error::lack);
    let needs_values = matches!(lack, Some(Lack::Values(_)));
    let requires =
        if needs_values && run.renders_value_sets() { value_sets::required(target, &text) } else { Vec::new() };
    let help_for_any = of_source.and_then(source::Error::help_for_any);
    let may_work = may_work || missing.is_some();
    let (message, at) = match versions::config_file_error(error) {
        Some((message, place)) => (message, Some(place)),
        None => (missing.unwrap_or_else(|| Message::of_error(&text)), None),
    };
    let is_unread = of_source.is_some_and(source::Error::is_unread);
    Failure { message, at, lack, help_for_any, requires, may_work, is_unread }
}

/// Why a source cannot be read, if a part of it is missing here and may be there in Argo CD: what Git keeps elsewhere.
fn missing_part(target: &Target, error: &str) -> Option<Message> {
    let Message { text, help, .. } = checkout::missing_part(&target.path(), &target.top()?, error)?;
    let Message { text: why, lines, .. } = Message::of_error(error);
    Some(Message { text: format!("{text}: {why}"), lines, help })
}

/// An error when there is more in all sources than can be kept.
pub fn check_size<'t>(counted: impl IntoIterator<Item = &'t Together>) -> Result<()> {
    no_excess(counted.into_iter().find_map(Together::excess))
}

/// Whether a path is neither a file nor a folder: `/dev/fd/63`, `/dev/null`.
fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// An error without the path of its source, which the report prints itself.
fn without_path(error: &str, target: &Target, shown_as: &str) -> String {
    let typed = visible(&target.path().in_slashes()).into_owned();
    let paths = [shown_as.to_owned(), typed, format!("./{shown_as}")];
    let rest = paths.iter().find_map(|path| error.strip_prefix(path.as_str())?.strip_prefix(": "));
    rest.unwrap_or(error).to_owned()
}
