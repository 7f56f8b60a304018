//! Starts the program under test as Argo CD does: without a shell, with an environment that is spelled out; both
//! output streams are read to their ends.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use super::switches;
pub(crate) use crate::laws::generate::Output;

/// The text in the message about an internal error.
pub(crate) const BUG: &str = "this is a bug in argocd-jobs";

/// The program in the folder `dir`, with an empty environment.
pub(crate) fn program(dir: &Path) -> Command {
    let mut command = Command::new(switches::program());
    command.env_clear().current_dir(dir);
    command
}

/// Runs `command` with `input` on standard input.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program under test starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let output = thread::scope(|scope| {
        // A program that refuses early closes its input: that is not a failure of the test.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program's output can be read")
    });
    Output {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status.code(),
    }
}

/// Runs `generate - <arguments>` over one stream.
pub(crate) fn generate(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = program(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.args(["generate", "-"]).args(arguments);
    run(command, input)
}
