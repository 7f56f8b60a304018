//! Runs the program for one case: no shell, no environment but the case's, both streams read to their end, and not for ever.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::IN_A_CASE;
use super::case::Case;
use super::error::Error;

/// Between two looks at a program that has closed its streams and not ended yet.
const PAUSE: Duration = Duration::from_millis(1);

/// What one run left behind.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// None when a signal ended the program.
    pub(super) status: Option<i32>,
}

/// Runs `program` for a case; nothing when it took longer than `limit` and was killed.
pub(super) fn run(case: &Case, program: &Path, limit: Duration) -> Result<Option<Output>, Error> {
    let input = match &case.input {
        Some(path) => File::open(path).map_err(|error| Error::Unreadable(path.clone(), error))?.into(),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.env_clear().envs(case.environment.iter().map(|(key, value)| (key, value)));
    command.current_dir(case.working_dir()).args(&case.arguments);
    if case.is_test() {
        command.arg(format!("--{IN_A_CASE}"));
    }
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command, limit).map_err(|error| Error::NotStarted(case.dir.clone(), error))
}

fn finish(mut command: Command, limit: Duration) -> io::Result<Option<Output>> {
    let mut child = command.spawn()?;
    let end = Instant::now() + limit;
    let streams = (child.stdout.take().map(read), child.stderr.take().map(read));
    let output = (|| {
        let stdout = rest_of(streams.0, end)?;
        let stderr = rest_of(streams.1, end)?;
        Some(Output { stdout, stderr, status: wait(&mut child, end)?.code() })
    })();
    if output.is_none() {
        // It may have ended just now.
        drop(child.kill());
        child.wait()?;
    }
    Ok(output)
}

/// Reads a stream to its end, in a thread: only there it can be left alone when time is over.
fn read(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A stream that breaks off is one that ends; nobody may wait for it any more.
        drop(stream.read_to_end(&mut bytes));
        drop(sender.send(bytes));
    });
    receiver
}

fn rest_of(stream: Option<Receiver<Vec<u8>>>, end: Instant) -> Option<Vec<u8>> {
    stream?.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
}

fn wait(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= end {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Option<Output> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command, limit).unwrap()
    }

    #[test]
    fn a_program_that_hangs_is_killed() {
        for script in ["exec sleep 60", "exec >&- 2>&-; exec sleep 60", "sleep 3 & exit 0"] {
            let start = Instant::now();
            assert!(shell(script, Duration::from_millis(100)).is_none(), "{script}");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}");
        }
    }

    #[test]
    fn both_streams_are_read_to_their_end() {
        let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3";
        let output = shell(script, Duration::from_secs(60)).unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len(), output.status), (300_000, 300_000, Some(3)));
        assert_eq!(shell("kill -9 $$", Duration::from_secs(60)).unwrap().status, None);
    }
}
