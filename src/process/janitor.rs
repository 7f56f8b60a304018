//! The janitor: this program under another name. It makes one private directory, and removes it when its standard input ends.
//!
//! `argocd-jobs-janitor <path>`. It leaves our session, because Argo CD's cmp-server ends a whole process group with SIGKILL. The kernel
//! closes the pipe however we end. It holds none of our streams: cmp-server waits for everybody who holds our standard output.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use super::tree;

/// The name of the janitor.
pub(super) const NAME: &str = "argocd-jobs-janitor";

/// What the janitor answers when the directory is there. Otherwise it answers the number of the error.
const DONE: &str = "0";

/// Starts a janitor, which is this program at `program`, and returns it when it has made the directory `dir`.
pub(super) fn start(program: &Path, dir: &Path) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.arg0(NAME).arg(dir).env_clear().current_dir("/");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut answer = String::new();
    let heard = child.stdout.take().map_or(Ok(0), |mut stdout| stdout.read_to_string(&mut answer));
    if heard.is_ok() && answer == DONE {
        return Ok(child);
    }
    // Its standard input is closed by this, so that it ends.
    child.wait()?;
    heard?;
    Err(answer.parse().map_or_else(|_| io::Error::other("the janitor did not answer"), io::Error::from_raw_os_error))
}

/// Plays the janitor. Nobody hears what fails after the answer.
pub(super) fn work(arguments: &mut dyn Iterator<Item = OsString>) -> ExitCode {
    let Some(dir) = arguments.next() else { return ExitCode::FAILURE };
    let made = leave().and_then(|()| tree::make(Path::new(&dir)));
    let answer = match &made {
        Ok(()) => DONE.to_owned(),
        Err(error) => error.raw_os_error().map_or_else(String::new, |number| number.to_string()),
    };
    let told = tell(&answer);
    if made.is_err() {
        return ExitCode::FAILURE;
    }
    if told.is_ok() {
        // Nothing is ever written there: the call returns when the last one who holds the other end has closed it.
        drop(io::stdin().read(&mut [0]));
    }
    if tree::remove(Path::new(&dir)).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Leaves our session and its process group.
fn leave() -> io::Result<()> {
    Ok(rustix::process::setsid().map(drop)?)
}

/// Answers, and closes standard output.
fn tell(answer: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(answer.as_bytes())?;
    stdout.flush()?;
    Ok(rustix::stdio::dup2_stdout(File::options().write(true).open(OsStr::new("/dev/null"))?)?)
}
