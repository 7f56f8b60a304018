//! The janitor: this program under another name. It makes one private directory, and removes it when its standard input ends.
//!
//! `argocd-jobs-janitor <path>`. It leaves our session, because Argo CD's cmp-server ends a whole process group with SIGKILL. The kernel
//! closes the pipe however we end. It holds none of our streams: cmp-server waits for everybody who holds our standard output.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use super::tree;

/// The name of the janitor.
pub(super) const NAME: &str = "argocd-jobs-janitor";

/// Starts a janitor, which is this program at `program`, for the directory `dir`. It has made it when [`answer`] says so.
pub(super) fn start(program: &Path, dir: &Path) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.arg0(NAME).arg(dir).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Waits until a janitor has made its directory, and returns the error that it met.
pub(super) fn answer(stdout: &mut ChildStdout) -> io::Result<()> {
    let mut answer = String::new();
    stdout.read_to_string(&mut answer)?;
    match answer.parse() {
        Ok(0) => Ok(()),
        Ok(number) => Err(io::Error::from_raw_os_error(number)),
        Err(_) => Err(io::Error::other("the janitor did not answer")),
    }
}

/// Plays the janitor. Nobody hears what fails after the answer.
pub(super) fn work(arguments: &mut dyn Iterator<Item = OsString>) -> ExitCode {
    let Some(dir) = arguments.next() else { return ExitCode::FAILURE };
    let made = leave().and_then(|()| tree::make(Path::new(&dir)));
    // 0, or the number of the error.
    let number = made.as_ref().map_or_else(io::Error::raw_os_error, |()| Some(0));
    let told = tell(&number.map_or_else(String::new, |number| number.to_string()));
    if made.is_err() {
        return ExitCode::FAILURE;
    }
    if told.is_ok() {
        // Nothing is ever written there: the call returns when the last one who holds the other end has closed it.
        drop(io::stdin().read(&mut [0]));
    }
    if tree::remove(Path::new(&dir)).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Leaves our session, its process group, and our working directory.
fn leave() -> io::Result<()> {
    rustix::process::setsid()?;
    std::env::set_current_dir("/")
}

/// Answers, and closes standard output.
fn tell(answer: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(answer.as_bytes())?;
    stdout.flush()?;
    Ok(rustix::stdio::dup2_stdout(File::options().write(true).open(OsStr::new("/dev/null"))?)?)
}
