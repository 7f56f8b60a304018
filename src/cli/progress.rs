//! Progress on long work: only on a terminal, only on standard error, and only when there is something to wait for.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Nobody wants to read of work that is done by then.
const PATIENCE: Duration = Duration::from_millis(700);

/// Tells what is being done until it is dropped.
pub(super) struct Progress(Option<(Sender<&'static str>, JoinHandle<()>)>);

impl Progress {
    /// Begins with `what`; says nothing where nobody watches.
    pub(super) fn begin(what: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (sender, receiver) = mpsc::channel();
        let teller = thread::spawn(move || {
            let mut what = what;
            let mut told = false;
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(next) => what = next,
                    Err(RecvTimeoutError::Timeout) => {
                        told = true;
                        let _ = write!(io::stderr(), "\r\x1b[K{what} …");
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            if told {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        Self(Some((sender, teller)))
    }

    /// Goes on with something else.
    pub(super) fn next(&self, what: &'static str) {
        if let Some((sender, _)) = &self.0 {
            // A teller that is gone has nothing to tell.
            let _ = sender.send(what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, teller)) = self.0.take() {
            drop(sender);
            let _ = teller.join();
        }
    }
}
