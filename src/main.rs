//! The program's entrance: parses the command line, reads the environment, runs a subcommand, prints an error.

mod cli;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::ArgMatches;
use clap::error::ErrorKind;
use deployment::Environment;
use golden::{BROKEN, IN_A_CASE, JUDGED, Mistake};
use system::threads::with_enough_stack;
use text::{Message, harmless_in_a_log, visible_lines};

use cli::Status;

/// Exit status when something was found.
const FOUND: u8 = 1;

/// Exit status when nothing is wrong, and something changes.
const CHANGED: u8 = 3;

/// Exit status after an error.
const FAILED: u8 = 2;

/// Where the last panic was. Argo CD shows standard error to users, so the default message of a panic must not be printed there.
static PANICKED_AT: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    if let Some(status) = render::become_other(std::env::args_os(), variable) {
        return status;
    }
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PANICKED_AT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone_from(&place);
    }));
    let matches = match cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let outcome =
        panic::catch_unwind(AssertUnwindSafe(|| with_enough_stack(|| cli::run(&matches, &environment(&matches)))));
    match outcome {
        Ok(Ok(Status::Done)) => ExitCode::SUCCESS,
        Ok(Ok(Status::Found)) => ExitCode::from(FOUND),
        Ok(Ok(Status::Changed)) => ExitCode::from(CHANGED),
        Ok(Err(error)) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Ok(Err(error)) => match error.downcast_ref::<Mistake>() {
            Some(mistake) => broken(mistake),
            None => fail(&format!("{error:#}")),
        },
        Err(_) => {
            let place = PANICKED_AT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
            let help = "this is a bug in argocd-jobs; please report it, with the manifests if you can share them";
            fail(&Message::new(format!("argocd-jobs failed at {place}")).help(help).to_string())
        }
    }
}

/// One variable, for the parts that this program plays under other names.
#[expect(clippy::disallowed_methods, reason = "the one place where the environment is read")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The only other place where the environment is read.
#[expect(clippy::disallowed_methods, reason = "the one place where the environment is read")]
fn environment(matches: &ArgMatches) -> Environment {
    let variables = std::env::vars_os();
    // A value that is not UTF-8 is visibly wrong instead of missing.
    let texts =
        variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())));
    Environment {
        variables: texts.collect::<BTreeMap<_, _>>(),
        in_a_case: matches.contains_id(IN_A_CASE),
        subcommand: matches.subcommand_name().unwrap_or_default().to_owned(),
        ..Environment::default()
    }
}

/// Help and version succeed. For errors, prints the message without the usage: Argo CD shows it to users.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return if error.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nothing can be done about a closed standard error.
        let _ = error.print();
        return ExitCode::from(FAILED);
    }
    let message = cli::usage_message(error);
    // Clap does not say what it has read before the mistake.
    let flag = format!("--{IN_A_CASE}={JUDGED}");
    let is_judged = std::env::args_os().nth(1).is_some_and(|first| first.to_str() == Some(&flag));
    if is_judged { broken(&cli::of_usage(error, message)) } else { fail(&message.to_string()) }
}

/// For `test`, which started the program for a case and prints the mistake at its place in the case.
fn broken(mistake: &Mistake) -> ExitCode {
    let json = serde_json::to_string(mistake).unwrap_or_default();
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "{json}");
    ExitCode::from(BROKEN)
}

fn fail(message: &str) -> ExitCode {
    // A message has only lines of its own; what another program or the system says in it can have anything.
    let message = visible_lines(message);
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "{}", harmless_in_a_log(&message));
    ExitCode::from(FAILED)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
