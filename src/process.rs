//! The one file that starts processes: no shell, no terminal, both streams read to their end, and none is left behind.
//!
//! Which program it is, with which arguments and environment, says who asks for it.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// A program that is to be started.
pub use std::process::Command;

/// Between two looks at a program that has closed its streams and not ended yet.
const PAUSE: Duration = Duration::from_millis(1);

/// What a program left behind.
#[derive(Debug)]
pub struct Output {
    /// All of standard output.
    pub stdout: Vec<u8>,
    /// All of standard error.
    pub stderr: Vec<u8>,
    /// The exit status; none when a signal ended the program.
    pub status: Option<i32>,
}

/// Runs a program to its end, with `input` or nothing as standard input; no output when it took longer than `limit` and was killed.
pub fn run(mut command: Command, input: Option<File>, limit: Duration) -> io::Result<Option<Output>> {
    command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
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

/// A program that answers questions, for as long as this lives.
#[derive(Debug)]
pub struct Session {
    process: Child,
    /// Its standard input.
    pub questions: ChildStdin,
    /// Its standard output.
    pub answers: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a program. What it says on standard error is not heard.
    pub fn open(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { process, questions, answers: BufReader::with_capacity(1 << 16, answers) })
            }
            _ => Err(io::Error::other("it has no standard input")),
        }
    }

    /// Ends the program: there are no more answers.
    pub fn end(&mut self) -> io::Result<()> {
        self.process.kill()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself, and waiting leaves no zombie behind.
        drop(self.process.kill());
        drop(self.process.wait());
    }
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
        command.args(["-c", script]);
        run(command, None, limit).unwrap()
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
