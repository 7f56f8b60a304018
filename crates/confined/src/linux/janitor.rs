//! The janitor: this program under another name. It makes a private directory, and removes it when its standard input
//! ends.
//!
//! It is started as `argocd-jobs-janitor <path>`. It leaves our session, because Argo CD's cmp-server kills a whole
//! process group with SIGKILL. However we end, the kernel closes the pipe to the janitor. The janitor holds none of
//! our streams: cmp-server waits for every process that holds our standard output.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use crate::tree;

pub(super) const NAME: &str = "argocd-jobs-janitor";

/// Starts a janitor for the directory `dir`; `program` is the path of this program. The directory exists once
/// [`answer`] has returned.
pub(super) fn start(program: &Path, dir: &Path) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.arg0(NAME).arg(dir).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Waits until a janitor has made its directory; returns the error if that failed.
pub(super) fn answer(stdout: &mut ChildStdout) -> io::Result<()> {
    let mut answer = String::new();
    stdout.read_to_string(&mut answer)?;
    match answer.parse() {
        Ok(0) => Ok(()),
        Ok(number) => Err(io::Error::from_raw_os_error(number)),
        Err(_) => Err(io::Error::other("the janitor did not answer")),
    }
}

/// Does the work of the janitor. After the answer, errors go unreported: nobody reads them.
pub(super) fn work(arguments: &mut dyn Iterator<Item = OsString>) -> ExitCode {
    let Some(dir) = arguments.next() else { return ExitCode::FAILURE };
    let made = leave().and_then(|()| tree::make(Path::new(&dir)));
    // Answer with 0 or the number of the error.
    let number = made.as_ref().map_or_else(io::Error::raw_os_error, |()| Some(0));
    let told = tell(&number.map_or_else(String::new, |number| number.to_string()));
    if made.is_err() {
        return ExitCode::FAILURE;
    }
    if told.is_ok() {
        // Nobody writes to this pipe: the call returns when its last writer has closed it.
        drop(io::stdin().read(&mut [0]));
    }
    if tree::remove(Path::new(&dir)).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Leaves our session, process group and working directory.
fn leave() -> io::Result<()> {
    rustix::process::setsid()?;
    std::env::set_current_dir("/")
}

/// Writes the answer, and closes standard output.
fn tell(answer: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(answer.as_bytes())?;
    stdout.flush()?;
    Ok(rustix::stdio::dup2_stdout(File::options().write(true).open(OsStr::new("/dev/null"))?)?)
}
