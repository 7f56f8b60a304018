//! The version that `--base` names: where a directory is in it, and what its Applications render.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use anyhow::{Result, anyhow};
use argocd_jobs::applications::{
    self as declared, ApplicationSource, Checkout, Declared, MAX_OVERRIDES, Skipped, SkippedBecause,
};
use argocd_jobs::settings::{ApplicationSettings, Recurse, SourceKind};
use argocd_jobs::source::{self, Counterpart, Input, NoFolder, Source};
use argocd_jobs::system::{PathText, canonical};
use argocd_jobs::text::{Message, Origin, plural};
use argocd_jobs::version::Version;

use super::applications;
use super::by_name::ByName;
use super::checkout_root;
use super::other_tree;
use super::paths::RelativeTo;
use super::run::Run;
use super::status::note;
use super::target::dir_of;

/// The directory in the version that `--base` names; none without the flag, or if that version does not have the directory.
pub(super) fn of(path: &Path, run: &Run) -> Result<Option<Counterpart>> {
    let Some(named) = run.base_on_disk().filter(|_| path.is_dir()) else { return Ok(None) };
    match other_tree::base_of(named, Some(path), run)? {
        Input::Revision { dir, revision } => {
            let input = Input::Directory(dir.clone());
            let surroundings = run.environment.surroundings(&input, RelativeTo::WorkingDirectory);
            let base = source::copy_of_revision(&dir, &revision, &surroundings)?;
            base.iter().for_each(|base| tell_missing(base, run));
            Ok(base)
        }
        Input::Directory(dir) if dir.is_dir() => {
            // Two directories that are not checkouts are compared without anything above them.
            let root = match other_tree::base_of(named, Some(&checkout_root::of(path, run)?), run) {
                Ok(Input::Directory(root)) => canonical(root),
                _ => canonical(&dir),
            };
            let root =
                root.map_err(|error| anyhow!(Message::new(format!("cannot be read: {error}")).about(dir.shown())))?;
            Ok(Some(Counterpart { root, dir, missing: Arc::default() }))
        }
        _ => Ok(None),
    }
}

/// Tells on standard error, once, that the clone does not have all of the version that `--base` names.
fn tell_missing(base: &Counterpart, run: &Run) {
    static TOLD: Once = Once::new();
    let Some(first) = base.missing.first() else { return };
    TOLD.call_once(|| {
        note(&format!(
            "this clone lacks {} of `{}`, such as `{}`; what needs them is not compared; clone without `--filter`",
            plural(base.missing.len(), "file"),
            run.base_name(),
            first.shown()
        ));
    });
}

/// Whether the clone lacks the file of the Application in the version that `--base` names, so that nobody knows what that version says.
pub(super) fn lacks_file(base: &Counterpart, source: &ApplicationSource, checkout: &Checkout) -> bool {
    let Origin::File(path) = &source.place.origin else { return false };
    let real = canonical(path).ok();
    real.is_some_and(|real| real.strip_prefix(&checkout.root).is_ok_and(|below| base.missing.contains(below)))
}

/// Whether the revision that `--base` names has manifests in folders below a directory, or files that cannot be read. Always true if `--base` names
/// a directory.
pub(super) fn has_files_below(dir: &Path, run: &Run) -> Result<bool> {
    let Some(named) = run.base_on_disk() else { return Ok(false) };
    let input = other_tree::base_of(named, Some(dir), run)?;
    if !matches!(input, Input::Revision { .. }) {
        return Ok(true);
    }
    let surroundings = run.environment.surroundings(&input, RelativeTo::WorkingDirectory);
    let opened = Source::open(input, &surroundings)?;
    let top = opened.shown_as();
    let settings = ApplicationSettings { source: SourceKind::Directory, recurse: Recurse::Yes, ..Default::default() };
    let is_at_top = |origin: &Origin| matches!(origin, Origin::File(path) if path.parent() == Some(&top));
    Ok(opened.manifests(&settings).map_or(true, |found| !found.iter().all(|one| is_at_top(&one.origin))))
}

/// The Applications in the same directory of the base, and the folders with files in which Applications can be.
pub(super) fn found_in(dir: &Path, base: &Counterpart, checkout: &Checkout) -> Result<(Declared, BTreeSet<PathBuf>)> {
    let checkout = Checkout { root: base.root.clone(), sets: checkout.sets.elsewhere(), ..checkout.clone() };
    applications::declared_in(&base.dir, dir, &checkout)
}

/// The version of a source in this checkout, rendered as the Application of the base declares it.
pub(super) fn open_here(
    source: &ApplicationSource,
    checkout: &Checkout,
    run: &Run,
    relative_to: RelativeTo,
) -> Result<Version> {
    let source = laid_over(source, Input::Directory(dir_of(source, checkout)), run)?;
    applications::open(&source, checkout, run, relative_to)
}

/// The same source in the version that `--base` names: in a revision of this checkout, or in another checkout, whose root is the named directory.
/// It is rendered as the Application of that version declares it; an empty version if that version does not have the Application.
pub(super) fn open(source: &ApplicationSource, checkout: &Checkout, named: &str, run: &Run) -> Result<Version> {
    match of_base(source, checkout, named, run)? {
        Some(source) => open_as_said(&source, checkout, named, run),
        None => Ok(Version::default()),
    }
}

/// A source in the version that `--base` names. `source` is already from an Application of that version.
pub(super) fn open_as_said(source: &ApplicationSource, checkout: &Checkout, named: &str, run: &Run) -> Result<Version> {
    let dir = dir_of(source, checkout);
    let input = || match source.elsewhere {
        Some(_) => Ok(Input::Directory(dir.clone())),
        None => match other_tree::base_of(named, Some(&dir), run)? {
            Input::Directory(_) => match other_tree::base_of(named, Some(&checkout.root), run)? {
                Input::Directory(other) => in_other_checkout(&other, source),
                input => Ok(input),
            },
            input => Ok(input),
        },
    };
    let source = laid_over(source, input()?, run)?;
    let root = match source.elsewhere {
        // Only its value files are in this checkout.
        Some(_) => root_in(checkout, named, run)?,
        None => None,
    };
    let root = root.unwrap_or_else(|| checkout.root.clone());
    let opened = applications::open_at(input()?, &source, &root, run, RelativeTo::WorkingDirectory)?;
    opened.map_err(|error| {
        let help = format!("the error is in `{named}`, the version to compare with");
        anyhow!(Message::of_error(&format!("{:#}", applications::about(&source, error))).help_first(help))
    })
}

/// The source as the Application declares it in the version that `--base` names; none, with a note, if that version does not have the Application.
/// If that Application cannot be rendered, or nothing says whether that version has it, prints a note and returns `source`.
fn of_base(
    source: &ApplicationSource,
    checkout: &Checkout,
    named: &str,
    run: &Run,
) -> Result<Option<ApplicationSource>> {
    let as_it_is = || Ok(Some(source.clone()));
    let Origin::File(path) = &source.place.origin else { return as_it_is() };
    let real = canonical(path).ok();
    let Some(below) = real.as_deref().and_then(|real| real.strip_prefix(&checkout.root).ok()) else {
        return as_it_is();
    };
    let subject = || applications::subject(source);
    let is_new = || {
        note(&format!("{}: it is not in `{named}`, so all of its Jobs are new", subject()));
        Ok(None)
    };
    let text = match other_tree::base_of(named, path.parent().map(or_here), run)? {
        Input::Directory(_) => {
            let Some(other) = root_in(checkout, named, run)? else { return is_new() };
            let text = source::small_file_in(&other, below, applications::MAX_FILE)?;
            // The directory may be only a part of a checkout.
            if text.is_none() && !other.join(".git").exists() {
                note(&format!("{}: its file is not in `{named}`; using the Application as it is now", subject()));
                return as_it_is();
            }
            text
        }
        input => file_in(input, path, run)?,
    };
    let Some(text) = text else { return is_new() };
    let files = [(path.to_path_buf(), text)];
    let declared = declared::read(&files, checkout);
    if let Some(other) = ByName::of(declared.sources).take(source) {
        return Ok(Some(other));
    }
    let Some(skipped) = declared.skipped.into_iter().find(|skipped| skipped.name == source.name()) else {
        return is_new();
    };
    // The change can remove the folder, and name another one.
    if matches!(skipped.why, SkippedBecause::NoSuchDirectory(_))
        && let Some(root) = root_in(checkout, named, run)?
        && let Some(other) = ByName::of(
            declared::read(&files, &Checkout { root, sets: checkout.sets.elsewhere(), ..checkout.clone() }).sources,
        )
        .take(source)
    {
        return Ok(Some(other));
    }
    note(&format!("in `{named}`: {}; using the Application as it is now", skipped.message().text));
    as_it_is()
}

/// An error if `--base` names a directory that is not another checkout: Applications name paths of the whole checkout.
pub(super) fn check_checkout(checkout: &Checkout, run: &Run) -> Result<()> {
    if let Some(named) = run.base_on_disk() {
        other_tree::base_of(named, Some(&checkout.root), run)?;
    }
    Ok(())
}

/// Where the checkout is in the version that `--base` names; none if it is not there.
pub(super) fn root_in(checkout: &Checkout, named: &str, run: &Run) -> Result<Option<PathBuf>> {
    Ok(match other_tree::base_of(named, Some(&checkout.root), run)? {
        Input::Directory(other) => Some(canonical(other)?),
        Input::Revision { dir, revision } => {
            let surroundings =
                run.environment.surroundings(&Input::Directory(dir.clone()), RelativeTo::WorkingDirectory);
            source::copy_of_revision(&dir, &revision, &surroundings)?.map(|base| base.dir)
        }
        _ => None,
    })
}

/// The text of a file in a revision of its directory; none if the revision does not have it.
fn file_in(revision: Input, path: &Path, run: &Run) -> Result<Option<String>> {
    let surroundings = run.environment.surroundings(&revision, RelativeTo::WorkingDirectory);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(Source::open(revision, &surroundings)?.small_file(name, applications::MAX_FILE)?)
}

/// An error if `--base` names a revision, and a file with Applications is neither in it nor in `HEAD`: the file is rendered, or new and not committed,
/// and all of its Jobs would seem to be new.
pub(super) fn check_committed(sources: &[ApplicationSource], run: &Run) -> Result<()> {
    let Some(named) = &run.base else { return Ok(()) };
    let files = sources.iter().filter_map(|source| match &source.place.origin {
        Origin::File(path) => Some(path),
        _ => None,
    });
    for path in files.collect::<BTreeSet<_>>() {
        // A file outside of the checkout has no other version in a directory.
        let base =
            source::base(named, path.parent().map(or_here), &run.environment.tools(), &run.environment.revisions)?;
        let Input::Revision { dir, .. } = &base else { return Ok(()) };
        let head = Input::Revision { dir: dir.clone(), revision: "HEAD".to_owned() };
        if file_in(base, path, run)?.is_none() && file_in(head, path, run)?.is_none() {
            let message =
                Message::new(format!("not in `{named}`, and not committed: there is nothing to compare with"));
            return Err(anyhow!(message.about(path.shown()).help(format!(
                "if the file is rendered, check out `{named}` into a directory, render it there too, and pass `--base DIR`; if it is new, commit it"
            ))));
        }
    }
    Ok(())
}

/// Replaces an empty path by `.`.
fn or_here(dir: &Path) -> &Path {
    if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
}

/// The source with the overriding files (`.argocd-source.yaml`) that `input` has in its folder.
fn laid_over(source: &ApplicationSource, input: Input, run: &Run) -> Result<ApplicationSource> {
    let surroundings = applications::surroundings(source, &input, run, RelativeTo::WorkingDirectory);
    let mut opened = Source::open(input, &surroundings)?;
    let mut files = Vec::new();
    for name in source.overriding_files() {
        if let Some(text) = opened.small_file(&name, MAX_OVERRIDES)? {
            files.push((name, text));
        }
    }
    source.laid_over(&files).map_err(|why| {
        let skipped = Skipped { place: source.place.clone(), name: source.name().to_owned(), why, declaration: None };
        anyhow!(skipped.message())
    })
}

/// The folder of a source in another checkout; no files when it has none.
fn in_other_checkout(other: &Path, source: &ApplicationSource) -> Result<Input> {
    let path = source.dir.in_slashes();
    match source::folder_in(&canonical(other)?, &path) {
        Ok(below) => Ok(Input::Directory(other.join(below))),
        Err(NoFolder::Missing) => Ok(Input::Files(BTreeMap::new())),
        Err(NoFolder::Leaves) => Err(anyhow!(Message::new(format!("`{path}` leads out of `{}`", other.shown())))),
        Err(NoFolder::Unreadable(error)) => {
            Err(anyhow!(Message::new(error.to_string()).about(other.join(&source.dir).shown())))
        }
    }
}
