//! The end of a command that needs too much memory.

use std::io::{self, Write};

use text::Message;

/// Ends the program with an error, whatever its other threads do. `limit` is in bytes.
#[expect(clippy::exit, reason = "the thread that takes the memory cannot be asked to stop")]
pub(super) fn exceeded(limit: u64) {
    let message = Message::new(format!("more than {} MiB of memory are needed", limit >> 20));
    let message = message.help("pass fewer folders or Applications at once, or give the container more memory");
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "{message}");
    std::process::exit(2);
}
