//! The versions that a command line names: the manifests with their settings, and what `--base` compares them with.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use anyhow::{Result, anyhow};
use lint::Analysis;
use rewrite::settings::{self, CliParameter, Empty, Layers, PluginUse};
use rewrite::version::Version;
use source::{Input, Source, VersionError};
use system::PathText;
use text::{Message, Origin, Place};

use crate::errors::problems_error;
use crate::pair::Pair;
use crate::run::{Run, VALUES_SET};
use crate::target::Target;
use crate::typed::{self, Opened};
use crate::{application_version, base};

/// Reads a source.
pub fn read(target: &Target, run: &Run) -> Result<Version> {
    let mut version = match target {
        // Only the base has it.
        Target::Folder(_) | Target::ValueSet(..) if is_gone(&target.path()) => return nothing(run),
        Target::Application(Pair::Old(_), _) if is_gone(&target.path()) => return Ok(Version::default()),
        Target::Application(Pair::Old(source), checkout) => {
            return application_version::open_as_in_base(source, checkout, run);
        }
        Target::Application(pair, checkout) => return application_version::open(pair.source(), checkout, run),
        Target::StandardInput => typed::read(None, run)?,
        Target::Typed(path) => typed::read(Some(path), run)?,
        Target::Folder(_) | Target::ValueSet(..) => typed::open(opened(target, Input::on_disk(target.path())), run)?,
    };
    if version.manifests.iter().any(|manifest| !manifest.without.is_empty()) {
        // The part that was left out may be all that there is.
        version.settings.output.empty = Empty::Allowed;
    }
    Ok(version)
}

/// Whether the path does not exist.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The target with what the version that `--base` names declares of it, if only the Application's file there says that.
pub(crate) fn found_in_base(target: &Target, run: &Run) -> Result<Target> {
    match target {
        Target::Application(Pair::Single(source), checkout) if run.base.is_some() => {
            let pair = application_version::in_its_file(source, checkout, run)?;
            Ok(Target::Application(pair, Arc::clone(checkout)))
        }
        _ => Ok(target.clone()),
    }
}

/// An error if `--base` cannot be opened for one of the sources, before the first one is rendered, and if it is a file and the sources are not.
pub(crate) fn check_base(targets: &[Target], run: &Run) -> Result<()> {
    let Some(named) = run.base_on_disk() else { return Ok(()) };
    // `--base` names a version of this checkout. Other repositories and tags have none there.
    for target in targets.iter().filter(|target| !target.is_elsewhere()) {
        let path = Some(target.path()).filter(|path| path != Path::new("-"));
        let opened = base::input(path.as_deref(), run).and_then(|input| match input {
            Some(input @ Input::Revision { .. }) => {
                let surroundings = run.environment.surroundings(&input);
                Source::open(input, &surroundings).map(|_| false)
            }
            input => Ok(matches!(input, Some(Input::File(_))) && !Path::new(named).is_dir()),
        });
        match opened {
            Err(error) if error.is_about_the_base() => return Err(error.into()),
            Ok(true) if targets.len() > 1 || target.source().is_some() => {
                let message = Message::new(format!(
                    "`--base`: `{named}` is a file, which only one directory or file can be compared with"
                ));
                return Err(anyhow!(message.help("pass a revision, or the directory of another checkout")));
            }
            // Any other error is about one source, and is reported with it.
            _ => {}
        }
    }
    Ok(())
}

/// The error that standard input cannot be the other version of several sources.
pub(crate) fn no_stream_for_several() -> anyhow::Error {
    anyhow!(Message::new("`--base -` compares one source, not several").help("pass one directory or file"))
}

/// Reads the version that `--base` names, with its own config file and otherwise the same settings; `None` without the flag. For one of several
/// sources it is the same folder, in a revision or below a directory; a folder that is not there is empty.
pub fn read_base(target: &Target, run: &Run) -> Result<Option<Version>> {
    let Some(named) = &run.base else { return Ok(None) };
    let path = match target {
        Target::Application(Pair::New { .. }, _) => return Ok(Some(Version::default())),
        Target::Application(pair, checkout) => {
            let source = pair.in_old().unwrap_or_else(|| pair.source());
            return application_version::open_base(source, checkout, run).map(Some);
        }
        Target::StandardInput if named == "-" => {
            let message = Message::new("`-` and `--base -` cannot both be standard input");
            return Err(anyhow!(message.help("pass a file for one of the two")));
        }
        Target::Folder(_) | Target::ValueSet(..) if named == "-" => return Err(no_stream_for_several()),
        Target::StandardInput => None,
        Target::Typed(_) | Target::Folder(_) | Target::ValueSet(..) => Some(target.path()),
    };
    let input = match base::input(path.as_deref(), run)? {
        Some(Input::Directory(other)) if path.is_some() && !other.exists() => return nothing(run).map(Some),
        input => input.unwrap_or_else(typed::standard_input),
    };
    let is_revision = matches!(input, Input::Revision { .. });
    let mut opened = opened(target, input);
    if matches!(target, Target::ValueSet(_, set) if !set.files.is_empty()) {
        // The other version may not have the files of the value set.
        opened.value_set.push(CliParameter::by_flag(VALUES_SET, "helm", "ignoreMissingValueFiles: true"));
    }
    typed::open(opened, run).map(Some).map_err(|error| {
        let is_of_revision = matches!(source_error(&error), Some(source::Error::Revision { .. }));
        // The message names the file as it is called in the directory, and does not say which version is meant.
        if is_revision && !is_of_revision && error.is::<VersionError>() { base::in_base(&error, run) } else { error }
    })
}

/// The run that reads a source with the plugin if its base is, and otherwise without: a pull request cannot choose. `None` if an Application or the command
/// line decides.
pub(crate) fn as_in_base(target: &Target, base: &Version, run: &Run) -> Option<Run> {
    let is_open = target.source().is_none() && run.asks_for_the_plugin().is_none();
    is_open.then(|| run.decided(base.layers.plugin()))
}

/// The new version of a source; read again if its base decides otherwise whether the plugin rewrites the Jobs, and if it cannot be read, which may be
/// because of a config file that does not count.
pub(crate) fn decided(target: &Target, new: Result<Version>, base: &Version, run: &Run) -> Result<Version> {
    if new.as_ref().is_ok_and(|new| new.layers.plugin() == base.layers.plugin()) {
        return new;
    }
    let Some(as_in_base) = as_in_base(target, base, run) else { return new };
    let read = read(target, &as_in_base)?;
    let (path, named) = (target.path().shown().to_string(), run.base_name());
    run.environment.notes.add(match base.layers.plugin() {
        PluginUse::Used => format!("{path}: shown with the plugin, as in `{named}`; `--plugin=false` shows it without"),
        _ => format!("{path}: shown without the plugin, as in `{named}`; `--plugin` shows it with the plugin"),
    });
    Ok(read)
}

/// A version of a source that has no files, and so nothing that configures the plugin.
fn nothing(run: &Run) -> Result<Version> {
    let layers = Layers::read(&run.layers(&[]))?;
    Ok(Version { layers, ..Version::default() })
}

/// Whether two versions have the same manifests, in the same order.
pub fn have_same_manifests(one: &Version, other: &Version) -> bool {
    one.manifests.iter().map(|manifest| &manifest.text).eq(other.manifests.iter().map(|manifest| &manifest.text))
}

/// An error when a setting of the command line or of the environment is wrong, which is wrong for every source.
pub(crate) fn check_settings(run: &Run) -> Result<()> {
    Layers::read(&run.layers(&run.settings.for_source(None)?))?;
    Ok(())
}

/// The files of a target that no Application names. `input` has the files of the version that is read.
fn opened(target: &Target, input: Input) -> Opened<'_> {
    let mut opened = Opened { input, typed_path: None, only: None, value_set: Vec::new() };
    match target {
        Target::Typed(path) => opened.typed_path = Some(path),
        Target::Folder(folder) | Target::ValueSet(folder, _) => {
            opened.typed_path = Some(&folder.dir);
            opened.only = Some(folder.files.clone()).filter(|files| !files.is_empty() && !folder.is_file);
        }
        _ => {}
    }
    if let Target::ValueSet(_, set) = target {
        opened.value_set = set.parameters();
    }
    opened
}

/// The error that a source cannot be read; none for any other error.
pub fn source_error(error: &anyhow::Error) -> Option<&source::Error> {
    match (error.downcast_ref::<source::Error>(), error.downcast_ref::<VersionError>()) {
        (Some(error), _) | (None, Some(VersionError::Source(error))) => Some(error),
        _ => None,
    }
}

/// Whether an error is about the files of one source, and not about `--base` itself.
pub(crate) fn is_of_source(error: &anyhow::Error) -> bool {
    error.is::<base::Unread>()
        || error.is::<VersionError>() && !source_error(error).is_some_and(source::Error::is_about_the_base)
}

/// The message of an error about a config file, and its place in that file.
pub(crate) fn config_file_error(error: &anyhow::Error) -> Option<(Message, Place)> {
    let setting = match (error.downcast_ref::<settings::Error>(), error.downcast_ref::<VersionError>()) {
        (Some(setting), _) | (None, Some(VersionError::Setting(setting))) => setting,
        _ => return None,
    };
    let place = setting.place().filter(|place| matches!(place.origin, Origin::File(_)))?;
    Some((setting.without_place(), place))
}

/// An error for the other version of a comparison that is too large: everything would be new. Anything else may be wrong with it.
pub fn check_size(base: &Analysis<'_>) -> Result<()> {
    if base.is_too_large() {
        Err(problems_error(&base.problems).context("the other version cannot be compared"))
    } else {
        Ok(())
    }
}
