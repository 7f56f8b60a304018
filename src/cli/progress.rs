//! Progress on long work: only on a terminal, only on standard error, and only when there is something to wait for.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Delay before progress is shown.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows what is being done until it is dropped.
pub(super) struct Progress(Option<(Sender<String>, JoinHandle<()>)>);

impl Progress {
    /// Begins with `what`; shows nothing where standard error is not a terminal.
    pub(super) fn begin(what: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (sender, receiver) = mpsc::channel();
        let mut what = what.to_owned();
        let display = Builder::new().spawn(move || {
            let mut is_shown = false;
            let mut since = Instant::now();
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    // Steps can follow each other quickly: at most one is shown in each `PATIENCE`.
                    Ok(next) => {
                        what = next;
                        if since.elapsed() < PATIENCE {
                            continue;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                is_shown = true;
                since = Instant::now();
                let _ = write!(io::stderr(), "\r\x1b[K{what} …");
            }
            if is_shown {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        // Without a thread nothing is shown.
        Self(display.ok().map(|display| (sender, display)))
    }

    /// Goes on with `what`.
    pub(super) fn next(&self, what: impl Into<String>) {
        if let Some((sender, _)) = &self.0 {
            // The thread ends only when the sender is dropped.
            let _ = sender.send(what.into());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, display)) = self.0.take() {
            drop(sender);
            let _ = display.join();
        }
    }
}
