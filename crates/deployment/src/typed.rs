//! Reads a source that was typed: a directory, a file, or standard input.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use render::Renderer;
use rewrite::settings::{CliParameter, SourceKind};
use rewrite::version::Version;
use source::{Input, Source, Surroundings, VersionError, read_version};
use text::Message;

use crate::folders;
use crate::run::Run;

/// The files of one version of a source, and what the command line says about the source.
pub(crate) struct Opened<'o> {
    pub(crate) input: Input,
    /// The path on the command line, which `--base` shares with the other version.
    pub(crate) typed_path: Option<&'o Path>,
    /// The files of a plain folder that are read, when not all of them are.
    pub(crate) only: Option<Vec<PathBuf>>,
    /// The settings of the value set with which a chart is rendered.
    pub(crate) value_set: Vec<CliParameter>,
}

/// Reads the directory or the file with this path. Without a path it is standard input.
pub fn read(path: Option<&Path>, run: &Run) -> Result<Version> {
    check_rendered(path, run)?;
    let input = path.map_or_else(standard_input, |path| Input::on_disk(path.to_owned()));
    open(Opened { input, typed_path: path, only: None, value_set: Vec::new() }, run)
}

/// What Argo CD renders the source with: `helm`, `kustomize`, or `directory`, also for a file and for standard input.
pub fn kind(path: Option<&Path>) -> &'static str {
    let renderer = path.and_then(|path| folders::renderer(path).ok().flatten());
    renderer.map_or(SourceKind::Directory, Renderer::source).as_str()
}

/// An error for a flag that renders, where nothing is rendered: whoever types it expects an effect. Without a path it is standard input.
fn check_rendered(path: Option<&Path>, run: &Run) -> Result<()> {
    let what = match path {
        None => "standard input",
        Some(path) if path.is_file() => "a file",
        Some(_) => return Ok(()),
    };
    let Some(flag) = run.settings.flag_for_a_tool() else { return Ok(()) };
    let message = Message::new(format!("`{flag}` has no effect on {what}, which is not rendered"));
    Err(anyhow!(
        message.help("set it where the manifests are rendered, or pass the directory of the chart or kustomization")
    ))
}

pub(crate) fn standard_input() -> Input {
    Input::Stream(Box::new(io::stdin()))
}

/// Reads the manifests. A [`VersionError`] if the settings were read, and the source cannot be.
pub(crate) fn open(Opened { input, typed_path, only, value_set }: Opened<'_>, run: &Run) -> Result<Version> {
    let typed = [run.settings.for_source(typed_path)?, value_set].concat();
    let mut texts = run.layers(&typed);
    // Behind another plugin the Application's parameters are that plugin's.
    if matches!(input, Input::Stream(_)) && !run.settings.application_parameters {
        texts.application_parameters = None;
    }
    let mut surroundings = Surroundings { only, ..run.environment.surroundings(&input) };
    surroundings.root = run.named_root(&input);
    let source = Source::open(input, &surroundings).map_err(VersionError::from)?;
    Ok(read_version(source, &texts, run.environment.application())?)
}
