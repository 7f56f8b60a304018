//! What is wrong with the command line or the environment itself, whatever the manifests are: `argocd-jobs test` does not let a case expect
//! that, unless the case says that it is wrong on purpose.

use std::path::Path;
use std::{fs, io};

use anyhow::Result;
use clap::ArgMatches;
use clap::error::ContextKind;
use deployment::{Environment, Run, versions};
use golden::{Mistake, Subject};
use rewrite::settings::{Error, ErrorKind, Layers, Provenance, RawLayers, WithPlugin};
use text::Message;

use super::arguments;
use super::usage::first;

/// The variable with the parameters of the Application.
const PARAMETERS: &str = "ARGOCD_APP_PARAMETERS";

/// The mistake that clap found; `message` is what people read about it.
pub(crate) fn of_usage(error: &clap::Error, message: Message) -> Mistake {
    let value = first(error, ContextKind::InvalidValue).filter(|value| !value.is_empty());
    let subject = match (first(error, ContextKind::InvalidSubcommand), first(error, ContextKind::InvalidArg)) {
        (Some(word), _) => Subject::Argument(word),
        (None, Some(flag)) if flag.starts_with('-') => {
            let name = flag.split([' ', '=', '[']).next().unwrap_or(&flag).to_owned();
            Subject::Flag { name, value }
        }
        (None, Some(word)) => Subject::Argument(value.unwrap_or(word)),
        (None, None) => Subject::Any,
    };
    Mistake { subject, message }
}

/// For a subcommand that reads manifests, an error with a [`Mistake`] when a setting or a path of the command line or the environment is wrong. `matches` are the arguments of the subcommand.
pub(super) fn find(matches: &ArgMatches, environment: &Environment) -> Result<()> {
    if !["generate", "check", "preview", "upgrade"].contains(&environment.subcommand.as_str()) {
        return Ok(());
    }
    let run = arguments::run(matches, environment).map_err(|error| match error.downcast_ref::<Error>() {
        Some(wrong) => of_setting(wrong).map_or(error, Into::into),
        None => of_error(&error),
    })?;
    settings(&run)?;
    for path in run.paths.iter().filter(|path| *path != "-") {
        if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            let message = Message::new(format!("`{path}`: no such file or directory"));
            let message = message.help(
                "the path is relative to the folder `in` of the case, or to the case's own folder if it has no `in`",
            );
            return Err(Mistake { subject: Subject::Argument(path.clone()), message }.into());
        }
    }
    Ok(())
}

/// The mistake of a subcommand that reads no manifests: its error cannot be about anything else.
pub(super) fn of_error(error: &anyhow::Error) -> anyhow::Error {
    Mistake { subject: Subject::Any, message: Message::of_error(&error.to_string()) }.into()
}

/// The mistake if an error is about the machine: a program that is not there. Any other error as it is.
pub(super) fn of_machine(error: anyhow::Error) -> anyhow::Error {
    if !versions::source_error(&error).is_some_and(source::Error::is_about_the_machine) {
        return error;
    }
    Mistake { subject: Subject::Machine, message: Message::of_error(&error.to_string()) }.into()
}

fn settings(run: &Run) -> Result<()> {
    let is_stream = run.paths.iter().any(|path| path == "-");
    let dir = run.paths.first().filter(|_| !is_stream).map(Path::new);
    let typed = run.settings.for_source(dir).map_err(|error| of_error(&error))?;
    let mut texts = RawLayers { with_plugin: WithPlugin::Yes, ..run.layers(&typed) };
    if is_stream && !run.settings.application_parameters {
        texts.application_parameters = None;
    }
    match Layers::read(&texts) {
        Err(error) => of_setting(&error).map_or(Ok(()), |mistake| Err(mistake.into())),
        Ok(_) => Ok(()),
    }
}

/// `None` for what the files decide too.
fn of_setting(error: &Error) -> Option<Mistake> {
    let is_value = !matches!(
        error.kind,
        ErrorKind::UnknownName { .. }
            | ErrorKind::Misplaced(_)
            | ErrorKind::PrefixedTwice { .. }
            | ErrorKind::LockFromTheApplication
    );
    let subject = match &error.by {
        _ if matches!(error.kind, ErrorKind::OtherSource { .. }) => return None,
        Provenance::Sidecar(name) | Provenance::ApplicationEnvironment(name) | Provenance::Locked(name) => {
            Subject::Variable { name: name.clone(), is_value }
        }
        Provenance::ApplicationParameter(_) => Subject::Variable { name: PARAMETERS.to_owned(), is_value: true },
        Provenance::CommandLine(written) => {
            // Behind the name of the flag there can be that of a file.
            let name = written.split(' ').next().unwrap_or(written).to_owned();
            let value = match &error.kind {
                ErrorKind::Value { value, .. } => Some(value.clone()),
                _ => None,
            };
            Subject::Flag { name, value }
        }
        Provenance::ConfigFile { .. } | Provenance::Annotation(_) | Provenance::Native => return None,
    };
    Some(Mistake { subject, message: error.message() })
}
