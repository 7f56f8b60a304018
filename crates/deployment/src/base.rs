//! The version that `--base` names: where a path is in it, and which Applications it has.
//!
//! A directory that `--base` names is the other version of a directory here. Everything below the two is compared path by path, folders and
//! the sources of Applications alike.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use checkout::clean;
use rewrite::settings::{ApplicationSettings, Recurse, SourceKind};
use source::{Counterpart, Input, Source};
use system::{PathText, canonical};
use text::{Message, Origin, plural};

use crate::applications::{ApplicationSource, Checkout, Declared};
use crate::errors::unreadable;
use crate::paths::{or_here, real};
use crate::run::{Run, is_checkout};
use crate::search;

/// The other version of the directory or file `path`, or of standard input if `path` is `None`. If `--base` names a directory, the other version need
/// not exist. `None` without `--base`, and if the base is standard input.
pub fn input(path: Option<&Path>, run: &Run) -> Result<Option<Input>, source::Error> {
    let Some(named) = run.base_on_disk() else { return Ok(None) };
    let base = source::base(named, path, &run.environment.tools(), &run.environment.revisions)?;
    let (Input::Directory(dir), Some(path)) = (&base, path) else { return Ok(Some(base)) };
    let other = OtherTree::of(dir, run).ok().and_then(|tree| tree.at(path));
    Ok(Some(Input::on_disk(other.ok_or_else(|| source::Error::NotACheckout(named.to_owned()))?)))
}

/// The directory in the version that `--base` names; none without the flag, or if that version does not have the directory.
pub(crate) fn of(path: &Path, run: &Run) -> Result<Option<Counterpart>> {
    if !path.is_dir() {
        return Ok(None);
    }
    match input(Some(path), run)? {
        Some(Input::Revision { dir, revision }) => {
            let base = copy(&dir, &revision, run)?;
            base.iter().for_each(|base| tell_missing(base, run));
            Ok(base)
        }
        Some(Input::Directory(dir)) if dir.is_dir() => {
            // Two directories that are not checkouts are compared without anything above them.
            let root = match input(Some(&run.checkout_root(path)?), run) {
                Ok(Some(Input::Directory(root))) => canonical(root),
                _ => canonical(&dir),
            };
            let root = root.map_err(|error| unreadable(&dir, &error))?;
            Ok(Some(Counterpart { root, dir, missing: Arc::default() }))
        }
        _ => Ok(None),
    }
}

/// A copy on disk of a revision of a directory; `None` if the revision does not have the directory.
fn copy(dir: &Path, revision: &str, run: &Run) -> Result<Option<Counterpart>> {
    let surroundings = run.environment.surroundings(&Input::Directory(dir.to_owned()));
    Ok(source::copy_of_revision(dir, revision, &surroundings)?)
}

/// Notes that the clone does not have all of the version that `--base` names.
fn tell_missing(base: &Counterpart, run: &Run) {
    let Some(first) = base.missing.first() else { return };
    run.environment.notes.add(format!(
        "this clone lacks {} of `{}`, such as `{}`; what needs them is not compared; clone without `--filter`",
        plural(base.missing.len(), "file"),
        run.base_name(),
        first.shown()
    ));
}

/// Whether the clone lacks the file of the Application in the version that `--base` names, so that nobody knows what that version says.
pub(crate) fn lacks_file(base: &Counterpart, source: &ApplicationSource, checkout: &Checkout) -> bool {
    let Origin::File(path) = &source.place.origin else { return false };
    let real = canonical(path).ok();
    real.is_some_and(|real| real.strip_prefix(&checkout.root).is_ok_and(|below| base.missing.contains(below)))
}

/// Whether the revision that `--base` names has manifests in folders below a directory, or files that cannot be read. Always true if `--base` names
/// a directory.
pub(crate) fn has_files_below(dir: &Path, run: &Run) -> Result<bool> {
    let Some(input) = input(Some(dir), run)? else { return Ok(false) };
    if !matches!(input, Input::Revision { .. }) {
        return Ok(true);
    }
    let surroundings = run.environment.surroundings(&input);
    let opened = Source::open(input, &surroundings)?;
    let top = opened.shown_as();
    let settings = ApplicationSettings { source: SourceKind::Directory, recurse: Recurse::Yes, ..Default::default() };
    let is_at_top = |origin: &Origin| matches!(origin, Origin::File(path) if path.parent() == Some(&top));
    Ok(opened.manifests(&settings).map_or(true, |found| !found.iter().all(|one| is_at_top(&one.origin))))
}

/// The Applications in the same directory of the base, and the folders with files in which Applications can be.
pub(crate) fn found_in(dir: &Path, base: &Counterpart, checkout: &Checkout) -> Result<(Declared, BTreeSet<PathBuf>)> {
    search::declared_in(&base.dir, dir, &self::checkout(base.root.clone(), checkout))
}

/// The checkout of the version that `--base` names, which has this root.
pub(crate) fn checkout(root: PathBuf, here: &Checkout) -> Checkout {
    Checkout { root, sets: here.sets.elsewhere(), ..here.clone() }
}

/// A source cannot be read in the version to compare with.
#[derive(Debug)]
pub(crate) struct Unread(pub(crate) Message);

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unread {}

/// Adds a help line to an error: it is in the base, not in the new version.
pub(crate) fn in_base(error: &anyhow::Error, run: &Run) -> anyhow::Error {
    let help = format!("the error is in `{}`, the version to compare with", run.base_name());
    Unread(Message::of_error(&error.to_string()).help_first(help)).into()
}

/// Where the checkout is in the version that `--base` names; none if it is not there. An error if `--base` names a directory that is not another
/// checkout: Applications name paths of the whole checkout.
pub(crate) fn root_in(checkout: &Checkout, run: &Run) -> Result<Option<PathBuf>> {
    Ok(match input(Some(&checkout.root), run)? {
        Some(Input::Directory(other)) => Some(canonical(other)?),
        Some(Input::Revision { dir, revision }) => copy(&dir, &revision, run)?.map(|base| base.dir),
        _ => None,
    })
}

/// The text of a file in a revision of its directory; none if the revision does not have it.
pub(crate) fn file_in(revision: Input, path: &Path, run: &Run) -> Result<Option<String>> {
    let surroundings = run.environment.surroundings(&revision);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(Source::open(revision, &surroundings)?.small_file(name, search::MAX_FILE)?)
}

/// An error if `--base` names a revision, and a file with Applications is neither in it nor in `HEAD`: the file is rendered, or new and not committed,
/// and all of its Jobs would seem to be new.
pub(crate) fn check_committed(sources: &[ApplicationSource], run: &Run) -> Result<()> {
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

/// Two directories that are versions of each other.
struct OtherTree {
    /// The directory here, absolute.
    here: PathBuf,
    /// The directory that `--base` names, or a directory above it.
    there: PathBuf,
}

impl OtherTree {
    /// The directory `named` and the directory here that it is a version of: the root of the checkout, if `named` has the path that was typed,
    /// is the top of a working tree, or is that path in another checkout. Otherwise the path that was typed; for several paths the
    /// working directory.
    fn of(named: &Path, run: &Run) -> Result<Self> {
        let working_dir = std::env::current_dir()?;
        let typed = match run.paths.as_slice() {
            [one] => clean(&working_dir.join(one)),
            _ => working_dir,
        };
        let root = match &run.applications {
            Some(files) => run.root_of_applications(files)?,
            None => run.checkout_root(&typed)?,
        };
        let below = match below(&typed, &root) {
            Some(below) => below,
            None if run.applications.is_some() => PathBuf::new(),
            None => return Ok(Self { here: typed, there: named.to_owned() }),
        };
        if named.join(&below).exists() || is_checkout(&root) && is_checkout(named) {
            return Ok(Self { here: root, there: named.to_owned() });
        }
        let cleaned = clean(named);
        if cleaned.ends_with(&below) {
            let above = cleaned.components().count() - below.components().count();
            return Ok(Self {
                here: root,
                there: Path::new(".").join(cleaned.components().take(above).collect::<PathBuf>()),
            });
        }
        Ok(Self { here: typed, there: named.to_owned() })
    }

    /// The other version of a path; none if it is not below the directory that is compared.
    fn at(&self, path: &Path) -> Option<PathBuf> {
        let whole = clean(&std::env::current_dir().ok()?.join(path));
        let below = below(&whole, &self.here)?;
        Some(if below.as_os_str().is_empty() { self.there.clone() } else { self.there.join(below) })
    }
}

/// The path below `top`, as it is written if possible: a symlink below `top` is not followed.
fn below(path: &Path, top: &Path) -> Option<PathBuf> {
    let written = path.strip_prefix(top).map(Path::to_owned).ok();
    written.or_else(|| real(path).strip_prefix(top).map(Path::to_owned).ok())
}
