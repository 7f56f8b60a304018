//! Reads one version of an Application's source: here, or in the version that `--base` names.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use checkout::NoFolder;
use kube_jobs::argocd::Application;
use render::Rendering;
use rewrite::settings::{RawLayers, WithPlugin};
use rewrite::version::Version;
use source::{Input, Source, Surroundings, VersionError, read_version};
use system::{PathText, canonical};
use text::{Message, Origin, visible};

use crate::applications::{
    self as declared, ApplicationSource, Checkout, Declared, Elsewhere, MAX_OVERRIDES, RenderedBy, Skipped,
    SkippedBecause,
};
use crate::base;
use crate::pair::{Pair, pair};
use crate::paths::or_here;
use crate::run::{Run, is_checkout};
use crate::search::MAX_FILE;
use crate::target::dir_of;

/// The version of an Application's source in this checkout.
pub fn open(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Version> {
    let opened = open_at(Input::Directory(dir_of(source, checkout)), source, &checkout.root, run);
    opened.map_err(|error| if error.is::<VersionError>() { error.context(Subject::of(source)) } else { error })
}

/// The version of a source in this checkout, rendered as the Application of the base declares it.
pub(crate) fn open_as_in_base(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Version> {
    open(&laid_over(source, Input::Directory(dir_of(source, checkout)), run)?, checkout, run)
}

/// A source in the version that `--base` names: in a revision of this checkout, or in another checkout. `source` is as an Application of that
/// version declares it.
pub(crate) fn open_base(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Version> {
    let source = laid_over(source, input_of(source, checkout, run)?, run)?;
    let root = match source.elsewhere {
        // Only its value files are in this checkout.
        Some(_) => base::root_in(checkout, run)?,
        None => None,
    };
    let root = root.unwrap_or_else(|| checkout.root.clone());
    open_at(input_of(&source, checkout, run)?, &source, &root, run).map_err(|error| match error.is::<VersionError>() {
        true => base::in_base(&error, run).context(Subject::of(&source)),
        false => error,
    })
}

/// The version of a source that is read from `input`, in a checkout with this root. An [`Error`] if the typed settings were read, and the source
/// cannot be.
fn open_at(input: Input, source: &ApplicationSource, root: &Path, run: &Run) -> Result<Version> {
    let typed = run.settings.for_source(None)?;
    let native = source.native.clone().transpose().map_err(VersionError::from)?;
    let application = application(source, run);
    let is_of_another = |name: &str| name.starts_with("ARGOCD_ENV_");
    let mut variables: BTreeMap<String, String> =
        run.environment.variables.clone().into_iter().filter(|(name, _)| !is_of_another(name)).collect();
    variables.extend(source.variables(&application));
    let texts = RawLayers {
        environment: &variables,
        application_parameters: source.parameters.as_deref(),
        native: native.as_ref(),
        with_plugin: match run.asks_for_the_plugin().unwrap_or(source.by == RenderedBy::Plugin) {
            true => WithPlugin::Yes,
            false => WithPlugin::No,
        },
        ..run.layers(&typed)
    };
    let mut around = surroundings(source, &input, run);
    around.source_path.clone_from(&application.source_path);
    let references = references(source, root);
    around.rendering = Rendering { application: application.clone(), references, ..around.rendering };
    let opened = Source::open(input, &around).map_err(VersionError::from)?;
    Ok(read_version(opened, &texts, application)?)
}

/// The surroundings of a source. For a source in another repository, they have the root of that repository, and the name that messages use for the
/// source.
fn surroundings(source: &ApplicationSource, input: &Input, run: &Run) -> Surroundings {
    let mut around = run.environment.surroundings(input);
    if let Some(elsewhere) = &source.elsewhere {
        around.root = Some(elsewhere.root.clone());
        if let Some(shown_as) = shown_elsewhere(source) {
            around.shown_as = Some(shown_as);
            around.rendering.caller.is_of_a_copy = true;
        }
    }
    around
}

/// The source with the overriding files (`.argocd-source.yaml`) that `input` has in its folder. They can change everything that the source is read
/// with.
fn laid_over(source: &ApplicationSource, input: Input, run: &Run) -> Result<ApplicationSource> {
    let around = surroundings(source, &input, run);
    let mut opened = Source::open(input, &around)?;
    let mut files = Vec::new();
    for name in source.overriding_files() {
        if let Some(text) = opened.small_file(&name, MAX_OVERRIDES)? {
            files.push((name, text));
        }
    }
    source.laid_over(&files).map_err(|why| anyhow!(skipped_because(source, why).message()))
}

/// Where the files of a source are in the version that `--base` names; no files if its folder is not there.
fn input_of(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Input> {
    let dir = dir_of(source, checkout);
    if source.elsewhere.is_some() {
        return Ok(Input::Directory(dir));
    }
    match base::input(Some(&dir), run)? {
        Some(Input::Directory(_)) => {}
        Some(other) => return Ok(other),
        None => return Ok(Input::Files(BTreeMap::new())),
    }
    match base::input(Some(&checkout.root), run)? {
        Some(Input::Directory(other)) => in_other_checkout(&other, source),
        other => Ok(other.unwrap_or(Input::Files(BTreeMap::new()))),
    }
}

/// The folder of a source in another checkout; no files when it has none.
fn in_other_checkout(other: &Path, source: &ApplicationSource) -> Result<Input> {
    let path = source.dir.in_slashes();
    match checkout::folder_in(&canonical(other)?, &path) {
        Ok(below) => Ok(Input::Directory(other.join(below))),
        Err(NoFolder::Missing) => Ok(Input::Files(BTreeMap::new())),
        Err(NoFolder::Leaves) => Err(anyhow!(Message::new(format!("`{path}` leads out of `{}`", other.shown())))),
        Err(NoFolder::Unreadable(error)) => {
            Err(anyhow!(Message::new(error.to_string()).about(other.join(&source.dir).shown())))
        }
    }
}

/// The source with what its file declares in the version that `--base` names. Notes it if that version does not have the Application, and if nothing is
/// known of that version: if that Application cannot be rendered, or nothing says whether that version has it.
pub(crate) fn in_its_file(source: &ApplicationSource, checkout: &Checkout, run: &Run) -> Result<Pair> {
    let named = run.base_name();
    let as_it_is = || Ok(Pair::single(source.clone()));
    let Origin::File(path) = &source.place.origin else { return as_it_is() };
    let real = canonical(path).ok();
    let Some(below) = real.as_deref().and_then(|real| real.strip_prefix(&checkout.root).ok()) else {
        return as_it_is();
    };
    let subject = || Subject::of(source);
    let is_new = || {
        run.environment.notes.add(format!("{}: it is not in `{named}`, so all of its Jobs are new", subject()));
        Ok(Pair::new(source.clone()))
    };
    let text = match base::input(path.parent().map(or_here), run)? {
        Some(Input::Directory(_)) => {
            let Some(other) = base::root_in(checkout, run)? else { return is_new() };
            let text = checkout::small_file_in(&other, below, MAX_FILE)?;
            // The directory may be only a part of a checkout.
            if text.is_none() && !is_checkout(&other) {
                run.environment
                    .notes
                    .add(format!("{}: its file is not in `{named}`; using the Application as it is now", subject()));
                return as_it_is();
            }
            text
        }
        Some(input) => base::file_in(input, path, run)?,
        None => None,
    };
    let Some(text) = text else { return is_new() };
    let files = [(path.to_path_buf(), text)];
    let declared = declared::read(&files, checkout);
    let mut now = Declared { sources: vec![source.clone()], ..Declared::default() };
    now.leave_out_moved(&declared, checkout);
    let is_at_another =
        |one: &Skipped| one.name == source.name() && matches!(one.why, SkippedBecause::AnotherRevision { .. });
    if now.sources.is_empty() || declared.skipped.iter().any(is_at_another) {
        let what = format!(
            "{}: in `{named}` it is at another revision, and that is not the revision of these files",
            subject()
        );
        return Err(base::Unread(Message::new(what)).into());
    }
    if let Some(pair) = paired(source, declared.sources, checkout) {
        return Ok(pair);
    }
    let Some(skipped) = declared.skipped.into_iter().find(|skipped| skipped.name == source.name()) else {
        return is_new();
    };
    // The change can remove the folder, and name another one.
    if matches!(skipped.why, SkippedBecause::NoSuchDirectory(_))
        && let Some(root) = base::root_in(checkout, run)?
        && let Some(pair) = paired(source, declared::read(&files, &base::checkout(root, checkout)).sources, checkout)
    {
        return Ok(pair);
    }
    run.environment.notes.add(format!("in `{named}`: {}; using the Application as it is now", skipped.message().text));
    as_it_is()
}

/// The pair of a source with one of those that the other version declares, if that has its Application. Each of the other sources of the Application takes
/// its own.
fn paired(source: &ApplicationSource, old: Vec<ApplicationSource>, checkout: &Checkout) -> Option<Pair> {
    let is_itself = |one: &ApplicationSource| one.place == source.place && one.says_the_same(source);
    let mut new = match &source.place.origin {
        Origin::File(path) if source.application.has_several_sources && path.is_file() => {
            let text = checkout::read_named(path, MAX_FILE).unwrap_or_default();
            declared::read(&[(path.to_path_buf(), text)], checkout).sources
        }
        _ => Vec::new(),
    };
    if !new.iter().any(is_itself) {
        new = vec![source.clone()];
    }
    pair(old, new).into_iter().find(|pair| match pair {
        Pair::Both { new, .. } | Pair::New { new, has_application: true } => is_itself(new),
        _ => false,
    })
}

/// The path of a source's folder, as messages call it, if the folder is in the cache; `None` for any other source.
pub(crate) fn shown_elsewhere(source: &ApplicationSource) -> Option<PathBuf> {
    let shown_as = source.elsewhere.as_ref()?.shown_as.as_ref()?;
    Some(checkout::clean(&shown_as.join(&source.dir)))
}

/// The names of the sources to which a source refers, and the roots of their repositories where these are others than its own. `root` is the
/// root of this checkout.
fn references(source: &ApplicationSource, root: &Path) -> BTreeMap<String, Option<PathBuf>> {
    let root_of = |elsewhere: &Option<Elsewhere>| elsewhere.as_ref().map_or(root, |other| &other.root).to_owned();
    let own = root_of(&source.elsewhere);
    let reference = |(name, elsewhere): (&String, &Option<Elsewhere>)| {
        (name.clone(), Some(root_of(elsewhere)).filter(|root| *root != own))
    };
    source.references.iter().map(reference).collect()
}

/// The Application of a source, with what is known of the cluster and the commit.
pub(crate) fn application(source: &ApplicationSource, run: &Run) -> Application {
    let Application { revision, kube_version, api_versions, .. } = run.environment.application();
    Application { revision, kube_version, api_versions, ..source.application.clone() }
}

/// An Application that is not read for this reason, which has to do with other sources.
pub(crate) fn skipped_because(source: &ApplicationSource, why: SkippedBecause) -> Skipped {
    Skipped {
        place: source.place.clone(),
        name: source.name().to_owned(),
        why,
        declaration: None,
        removal: source.removal,
        set: source.set.as_ref().map(|(set, _)| Arc::clone(set)),
    }
}

/// The Application of an error, and its place. `{error:#}` prints both.
#[derive(Debug)]
pub(crate) struct Subject(String);

impl Subject {
    /// The Application of this source.
    pub(crate) fn of(source: &ApplicationSource) -> Self {
        Self(visible(&format!("Application `{}` at {}", source.name(), source.place)).into_owned())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of an error without the Application, for a report that prints the name of the Application itself.
pub fn without_subject(error: &anyhow::Error) -> String {
    let causes = error.chain().skip(usize::from(error.is::<Subject>()));
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
