//! The versions that a command line names: the manifests with their settings, and what `--base` compares them with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use argocd_jobs::folders::Folder;
use argocd_jobs::settings::{CliParameter, Empty, Layers, RawLayers};
use argocd_jobs::source::{self, Input, Source, Surroundings};
use argocd_jobs::text::Message;
use argocd_jobs::version::{Analysis, Error, Version};

use super::other_tree;
use super::paths::RelativeTo;
use super::run::Run;
use super::status::problems_error;
use super::target::{InBase, Target};
use super::{applications, base};

/// What is opened, and what the command line says about it.
struct Opened<'o> {
    input: Input,
    /// The path on the command line, which `--base` shares with the other version.
    typed_path: Option<&'o Path>,
    /// The files of a plain folder that are read, when not all of them are.
    only: Option<Vec<PathBuf>>,
    /// The settings of one of its value sets.
    value_set: Vec<CliParameter>,
}

/// Reads a source.
pub(super) fn read(target: &Target, run: &Run, relative_to: RelativeTo) -> Result<Version> {
    check_rendered(target, run)?;
    let opened = match target {
        Target::Application(source, checkout, _) => {
            return applications::open(source, checkout, run, relative_to);
        }
        // Only the base has it.
        Target::Folder(_) | Target::ValueSet(..) | Target::ApplicationOfBase(..) if is_gone(&target.path()) => {
            return Ok(Version::default());
        }
        Target::ApplicationOfBase(source, checkout) => {
            return base::open_here(source, checkout, run, relative_to);
        }
        Target::StandardInput => Opened::of(standard_input(), None),
        Target::Typed(path) => Opened::of(Input::on_disk(path.clone()), Some(path)),
        Target::Folder(folder) => of_folder(folder, Input::on_disk(target.path())),
        Target::ValueSet(folder, set) => {
            Opened { value_set: set.parameters(), ..of_folder(folder, Input::on_disk(target.path())) }
        }
    };
    let mut version = open(opened, run, relative_to)??;
    if version.manifests.iter().any(|manifest| !manifest.without.is_empty()) {
        // What was left out may be all that there is.
        version.settings.output.empty = Empty::Allowed;
    }
    Ok(version)
}

/// Whether the path does not exist.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// An error for a flag that renders, where nothing is rendered: whoever types it expects an effect.
fn check_rendered(target: &Target, run: &Run) -> Result<()> {
    let what = match target {
        Target::StandardInput => "standard input",
        Target::Typed(path) if path.is_file() => "a file",
        _ => return Ok(()),
    };
    let Some(flag) = run.settings.flag_for_a_tool() else { return Ok(()) };
    let message = Message::new(format!("`{flag}` has no effect on {what}, which is not rendered"));
    Err(anyhow!(
        message.help("set it where the manifests are rendered, or pass the directory of the chart or kustomization")
    ))
}

/// An error if `--base` cannot be opened for one of the sources, before the first one is rendered, and if it is a file and the sources are not.
pub(super) fn check_base(targets: &[Target], run: &Run) -> Result<()> {
    let Some(named) = run.base_on_disk() else { return Ok(()) };
    for target in targets {
        let path = Some(target.path()).filter(|path| path != Path::new("-"));
        let opened = other_tree::base_of(named, path.as_deref(), run).and_then(|input| match input {
            Input::Revision { .. } => {
                let surroundings = run.environment.surroundings(&input, RelativeTo::WorkingDirectory);
                Source::open(input, &surroundings).map(|_| false)
            }
            input => Ok(matches!(input, Input::File(_)) && !Path::new(named).is_dir()),
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
pub(super) fn no_stream_for_several() -> anyhow::Error {
    anyhow!(Message::new("`--base -` compares one source, not several").help("pass one directory or file"))
}

/// Reads the version that `--base` names, with its own config file and otherwise the same settings; `None` without the flag. Of one of several sources it is the same folder, in a revision or below a directory; one that is not there is empty.
pub(super) fn read_base(target: &Target, run: &Run) -> Result<Option<Version>> {
    let Some(named) = &run.base else { return Ok(None) };
    let opened = match target {
        Target::Application(source, checkout, in_base) => {
            let version = match in_base {
                InBase::InItsFile => base::open(source, checkout, named, run)?,
                InBase::As(old) => base::open_as_said(old, checkout, named, run)?,
                InBase::Nowhere => Version::default(),
            };
            return Ok(Some(version));
        }
        Target::ApplicationOfBase(source, checkout) => {
            let version = base::open_as_said(source, checkout, named, run)?;
            return Ok(Some(version));
        }
        Target::StandardInput if named == "-" => {
            let message = Message::new("`-` and `--base -` cannot both be standard input");
            return Err(anyhow!(message.help("pass a file for one of the two")));
        }
        Target::Folder(_) | Target::ValueSet(..) if named == "-" => return Err(no_stream_for_several()),
        Target::StandardInput => Opened::of(other_tree::base_of(named, None, run)?, None),
        Target::Typed(path) => {
            let is_stream = named == "-";
            match if is_stream { standard_input() } else { other_tree::base_of(named, Some(path), run)? } {
                Input::Directory(other) if !other.exists() => return Ok(Some(Version::default())),
                input => Opened::of(input, Some(path)),
            }
        }
        Target::Folder(folder) | Target::ValueSet(folder, _) => {
            let path = target.path();
            match other_tree::base_of(named, Some(&path), run)? {
                Input::Directory(other) if !other.exists() => return Ok(Some(Version::default())),
                other => Opened { value_set: in_base(target), ..of_folder(folder, other) },
            }
        }
    };
    let is_revision = matches!(opened.input, Input::Revision { .. });
    match open(opened, run, RelativeTo::WorkingDirectory)? {
        Ok(version) => Ok(Some(version)),
        // The files have the paths of those in the directory.
        Err(error) if is_revision && !matches!(error, Error::Source(source::Error::Revision { .. })) => {
            let help = format!("the error is in `{named}`, the version to compare with");
            Err(anyhow!(Message::of_error(&error.to_string()).help_first(help)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether two versions have the same manifests, in the same order.
pub(super) fn have_same_manifests(one: &Version, other: &Version) -> bool {
    one.manifests.iter().map(|manifest| &manifest.text).eq(other.manifests.iter().map(|manifest| &manifest.text))
}

/// An error when a setting of the command line or of the environment is wrong, which is wrong for every source.
pub(super) fn check_settings(run: &Run) -> Result<()> {
    Layers::read(&run.layers(&run.settings.for_source(None)?))?;
    Ok(())
}

fn standard_input() -> Input {
    Input::Stream(Box::new(io::stdin()))
}

/// The settings of a value set in the other version, which may not have its files.
fn in_base(target: &Target) -> Vec<CliParameter> {
    let Target::ValueSet(_, set) = target else { return Vec::new() };
    let name = "helm-ignore-missing-value-files".to_owned();
    let ignored = CliParameter { written: format!("--{name}"), name, value: "true".to_owned().into() };
    set.parameters().into_iter().chain([ignored]).collect()
}

impl<'o> Opened<'o> {
    fn of(input: Input, typed_path: Option<&'o Path>) -> Self {
        Self { input, typed_path, only: None, value_set: Vec::new() }
    }
}

fn of_folder(folder: &Folder, input: Input) -> Opened<'_> {
    let only = Some(folder.files.clone()).filter(|files| !files.is_empty() && !folder.is_file);
    Opened { only, ..Opened::of(input, Some(&folder.dir)) }
}

fn open(
    Opened { input, typed_path, only, value_set }: Opened<'_>,
    run: &Run,
    relative_to: RelativeTo,
) -> Result<Result<Version, Error>> {
    let typed = [run.settings.for_source(typed_path)?, value_set].concat();
    let mut texts = RawLayers { without_selection: run.is_without_plugin(), ..run.layers(&typed) };
    // Behind another plugin the Application's parameters are that plugin's.
    if matches!(input, Input::Stream(_)) && !run.settings.application_parameters {
        texts.application_parameters = None;
    }
    let mut surroundings = Surroundings { only, ..run.environment.surroundings(&input, relative_to) };
    surroundings.rendering.stubs = run.renders_value_sets();
    let source = Source::open(input, &surroundings).map_err(Error::from);
    Ok(source.and_then(|source| Version::read(source, &texts, run.environment.application())))
}

impl super::environment::Environment {
    /// What a source has to know.
    pub(super) fn surroundings(&self, input: &Input, relative_to: RelativeTo) -> Surroundings {
        let shown_as = match input {
            Input::Directory(dir) | Input::File(dir) | Input::Revision { dir, .. } => {
                Some(self.shown_as(dir, relative_to))
            }
            Input::Stream(_) | Input::Files(_) => None,
        };
        Surroundings {
            shown_as,
            root: None,
            source_path: self.path_in_repository(),
            tools: self.tools(),
            rendering: self.rendering(),
            only: None,
        }
    }
}

/// An error for the other version of a comparison that is too large: everything would be new. Anything else may be wrong with it.
pub(super) fn check_size(base: &Analysis<'_>) -> Result<()> {
    if base.is_too_large() {
        Err(problems_error(&base.problems).context("the other version cannot be compared"))
    } else {
        Ok(())
    }
}
