//! Reads the sources of a command line side by side, each with its own config file and the same settings otherwise.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, anyhow};
use argocd_jobs::folders::Folder;
use argocd_jobs::output::sources::PassedOver;
use argocd_jobs::plan::{self, Problem, Together};
use argocd_jobs::settings::Empty;
use argocd_jobs::source::{self, Input};
use argocd_jobs::system::PathText;
use argocd_jobs::text::{Message, visible};
use argocd_jobs::threads::{self, MAX_THREADS};
use argocd_jobs::version::Version;

use super::applications;
use super::argocd;
use super::checkout_root;
use super::graph::{self, Graph};
use super::mistake;
use super::other_tree;
use super::parts;
use super::paths::RelativeTo;
use super::progress::Progress;
use super::read::Read;
use super::run::Run;
use super::sources::Sources;
use super::status::problems_error;
use super::target::Target;
use super::{changed, shared, unchanged, unseen, value_sets, versions};

/// Reads all sources, and leaves out parts of other sources. Also returns how many files and folders are not sources. An error if `--base` cannot be
/// read at all, because then no source can be compared, and if the only source cannot be read.
pub(super) fn read(
    sources: &mut Sources,
    run: &Run,
    relative_to: RelativeTo,
    progress: &Progress,
) -> Result<(Vec<Read>, PassedOver)> {
    let targets = std::mem::take(&mut sources.targets);
    if !sources.is_single {
        // Otherwise each source would have it.
        versions::check_settings(run)?;
    }
    versions::check_base(&targets, run)?;
    let mut sets = None;
    let mut graph = sources.checkout.clone().map(|checkout| Graph::new(checkout, run));
    let mut read: Vec<Read> = Vec::new();
    let mut next = targets;
    if let ([target], true) = (next.as_slice(), sources.is_single) {
        sets = value_sets::of(target, run)?;
        let one = match &sets {
            Some(sets) => read_one(&sets.own(), run, relative_to)?,
            None => read_single(target, run, relative_to, progress)?,
        };
        if graph.is_none() && is_root(&one, run) {
            let checkout = Arc::new(applications::checkout_of(&target.path(), run)?);
            sources.checkout = Some(Arc::clone(&checkout));
            graph = Some(Graph::new(checkout, run));
        }
        read.push(one);
        next = next_of(&mut graph, &read, 0)?;
        let is_whole = sets.is_none() && read[0].without().next().is_none();
        if next.is_empty() && is_whole && !graph.as_ref().is_some_and(Graph::has_skipped) {
            argocd::settle(&mut read, sources.checkout.as_deref());
            return Ok((read, PassedOver::default()));
        }
        sources.is_single = false;
    } else if run.base.as_deref() == Some("-") {
        return Err(versions::no_stream_for_several());
    }
    while !next.is_empty() {
        let first = read.len();
        read_round(&next, &mut read, (run, relative_to), progress)?;
        next = next_of(&mut graph, &read, first)?;
        if next.is_empty() && !read.iter().any(|one| one.target.is_application()) {
            next = std::mem::take(&mut sources.aside);
        }
    }
    if let Some(graph) = graph {
        read = graph.finish(read, sources);
    }
    let (mut read, parts) = parts::without_parts(read);
    if !sources.skipped.is_empty() {
        // An Application that is not known may name the folder, with other sources.
        read.iter_mut().filter(|one| matches!(one.target, Target::Folder(_))).for_each(|one| one.may_be_a_part = true);
    }
    let round = |targets: &[Target], all: &mut Vec<Read>| read_round(targets, all, (run, relative_to), progress);
    let mut read = value_sets::add(read, sets, run, round)?;
    if read.is_empty() && sources.skipped.is_empty() && sources.rendered.is_empty() {
        let message = Message::new("no manifest, chart or kustomization that is a source of its own");
        return Err(anyhow!(message.help("pass the directory of a source")));
    }
    argocd::settle(&mut read, sources.checkout.as_deref());
    let passed_over = PassedOver { parts, ..sources.passed_over(&read, run) };
    Ok((read, passed_over))
}

/// The sources of the Applications that those from number `first` render, and at the end of those that nothing declares.
fn next_of(graph: &mut Option<Graph<'_>>, read: &[Read], first: usize) -> Result<Vec<Target>> {
    let Some(graph) = graph else { return Ok(Vec::new()) };
    let next = graph.next(read, first)?;
    if next.is_empty() { graph.assumed_roots(read) } else { Ok(next) }
}

/// Reads `targets` side by side, and adds them to `read`.
fn read_round(
    targets: &[Target],
    read: &mut Vec<Read>,
    (run, relative_to): (&Run, RelativeTo),
    progress: &Progress,
) -> Result<()> {
    let (before, begun) = (read.len(), AtomicUsize::new(read.len()));
    let count = before + targets.len();
    no_excess(plan::too_many_sources(count, 0))?;
    let read_next = |target: &Target| {
        let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
        progress.next(format!("reading the sources: {number} of {count}, {}", name_of(target)));
        read_one(target, run, relative_to)
    };
    for part in targets.chunks(AT_A_TIME) {
        let firsts = shared::firsts(part, run);
        let alone: Vec<usize> = (0..part.len()).filter(|index| firsts[*index] == *index).collect();
        let of_alone = threads::in_order(alone.len(), MAX_THREADS, || (), |(), at| read_next(&part[alone[at]]));
        let (before, mut of_alone) = (read.len(), of_alone.into_iter());
        for (index, first) in firsts.into_iter().enumerate() {
            let one = match of_alone.as_slice() {
                [_, ..] if first == index => of_alone.next().transpose()?,
                _ => None,
            };
            let one = one.unwrap_or_else(|| shared::like(&read[before + first], &part[index], run));
            read.push(one);
        }
        let manifests = read.iter().flat_map(|one| &one.version.manifests);
        no_excess(plan::too_many_sources(read.len(), manifests.map(|manifest| manifest.text.len()).sum()))?;
    }
    Ok(())
}

/// Whether the only source of a command line is followed to the sources of its Applications: in Argo CD, and where somebody says what a source is,
/// it stays the only one; and so it does when it is compared with a file, or with a directory that is not another checkout.
fn is_root(one: &Read, run: &Run) -> bool {
    let (Target::Typed(path) | Target::Folder(Folder { dir: path, .. })) = &one.target else { return false };
    let is_checkout = |named| {
        let root = checkout_root::of(path, run).ok();
        let base = root.and_then(|root| other_tree::base_of(named, Some(&root), run).ok());
        named != "-" && matches!(base, Some(Input::Revision { .. } | Input::Directory(_)))
    };
    graph::may_declare(one) && !run.is_told() && run.base.as_deref().is_none_or(is_checkout)
}

/// What a source is called while it is read: its Application, or else its path.
fn name_of(target: &Target) -> String {
    match target.application() {
        Some(name) => format!("Application {}", visible(name)),
        None => visible(&target.path().in_slashes()).into_owned(),
    }
}

/// Reads the only source of a command line, which is called as its version is.
fn read_single(target: &Target, run: &Run, relative_to: RelativeTo, progress: &Progress) -> Result<Read> {
    let version =
        versions::read(target, run, relative_to).inspect_err(|error| value_sets::tell_required(target, error, run))?;
    let version = Box::new(version);
    progress.next("reading the other version");
    let base = versions::read_base(target, run)?.map(Box::new);
    let unseen = unseen::reasons(target, &version, base.as_deref(), run)?;
    let shown_as = shown(&version.shown_as);
    Ok(Read { version, base, unseen, ..Read::of(shown_as, target.clone()) })
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

fn read_one(target: &Target, run: &Run, relative_to: RelativeTo) -> Result<Read> {
    let version = versions::read(target, run, relative_to);
    // Without `--base` this reads nothing. What cannot be read now may have been so before.
    let base = match version.as_ref().ok().filter(|version| unchanged::is_unchanged(target, version, run)) {
        Some(version) => Ok(Some(version.clone())),
        None => versions::read_base(target, run),
    };
    let base = match base {
        Err(error) if mistake::of_source(&error).is_some_and(source::Error::is_about_the_base) => return Err(error),
        base => base,
    };
    // In a box: a list of thousands of them is moved while it grows.
    let checked = |version: Version| -> Result<Box<Version>> {
        version.check_ignored()?;
        Ok(Box::new(version))
    };
    let base = base.and_then(|base| base.map(checked).transpose());
    let elsewhere = target.source().and_then(applications::shown_elsewhere);
    let path = elsewhere.unwrap_or_else(|| run.environment.shown_as(&target.path(), relative_to));
    let shown_as = shown(&path);
    let target = target.clone();
    let version = version.and_then(checked);
    let is_old = base.is_err() && version.is_err();
    let is_broken = matches!(&base, Ok(Some(base)) if !base.manifests.is_empty());
    let read = match (version, base) {
        (Err(error), Ok(base)) => Err((error, base)),
        // The change may be why the new version cannot be read.
        (Err(_), Err(error)) if matches!(target, Target::ApplicationOfBase(..)) => Err((error, None)),
        (version, base) => version.and_then(|version| Ok((version, base?))).map_err(|error| (error, None)),
    };
    Ok(match read {
        Ok((mut version, base)) => {
            // Nobody has said that Argo CD applies it: such a folder or file can be empty on purpose. A pipe is so when what writes it fails, and a
            // folder when a glob in its config file is wrong.
            let is_for_nothing = is_pipe(&target.path()) || version.is_emptied_by_its_config_file();
            if matches!(target, Target::Folder(_) | Target::ApplicationOfBase(..)) && !is_for_nothing {
                version.settings.output.empty = Empty::Allowed;
            }
            let unseen = unseen::reasons(&target, &version, base.as_deref(), run)?;
            Read { version, base, unseen, ..Read::of(shown_as, target) }
        }
        Err((error, base)) => {
            let error_at = mistake::in_config_file(&error);
            let may_work = mistake::of_source(&error)
                .is_some_and(|error| error.may_work_in_argocd(matches!(target, Target::Application(..))));
            let told = without_path(&format!("{error:#}"), &target, &shown_as);
            let missing = mistake::of_source(&error).filter(|_| !may_work).and_then(|_| missing_part(&target, &told));
            let may_work = may_work || missing.is_some();
            let is_broken = is_broken && !may_work;
            let requires = if run.renders_value_sets() { value_sets::required(&target, &told) } else { Vec::new() };
            let error = Some(missing.unwrap_or(told));
            // What the change removes is known from the base.
            let base = base.filter(|_| matches!(target, Target::ApplicationOfBase(..)));
            let base = base.or_else(|| run.base.is_some().then(Box::default));
            let changed = changed::of_target(&target, run);
            let read = Read::of(shown_as, target);
            Read { base, error, requires, error_at, is_old, may_work, is_broken, changed, ..read }
        }
    })
}

/// Why a source cannot be read, if a part of it is missing here and may be there in Argo CD: what Git keeps elsewhere.
fn missing_part(target: &Target, error: &str) -> Option<String> {
    let Message { text, help, .. } = source::missing_part(&target.path(), &target.top()?, error)?;
    let Message { text: why, lines, .. } = Message::of_error(error);
    Some(Message { text: format!("{text}: {why}"), lines, help }.to_string())
}

/// Counts what is kept of several sources; none for a single source, which reports too much of it as its own problem.
pub(super) fn together(sources: &Sources) -> Option<Together> {
    (!sources.is_single).then(Together::default)
}

/// An error when there is more in all sources than can be kept.
pub(super) fn check_size<'t>(counted: impl IntoIterator<Item = &'t Together>) -> Result<()> {
    no_excess(counted.into_iter().find_map(Together::excess))
}

/// Whether a path is neither a file nor a folder: `/dev/fd/63`, `/dev/null`.
fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// An error without the path of its source and the name of its Application, which are beside it.
fn without_path(error: &str, target: &Target, shown_as: &str) -> String {
    let typed = target.path();
    let error = match target.source() {
        Some(source) => {
            let subject = applications::subject(source);
            error.strip_prefix(&subject).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(error)
        }
        None => error,
    };
    let paths = [shown_as.to_owned(), visible(&typed.in_slashes()).into_owned(), format!("./{shown_as}")];
    let rest = paths.iter().find_map(|path| error.strip_prefix(path.as_str())?.strip_prefix(": "));
    rest.unwrap_or(error).to_owned()
}
