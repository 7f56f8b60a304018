//! Ends the program when it needs more memory than it may.

use std::io::{self, Write};

use text::Message;

/// The exit status of an error.
const FAILED: i32 = 2;

/// Ends the program, whatever its other threads do. `limit` is in bytes.
#[expect(clippy::exit, reason = "the thread that takes the memory cannot be asked to stop")]
pub(super) fn exceeded(limit: u64) {
    let message = Message::new(format!("more than {} MiB of memory are needed", limit >> 20));
    let help = "pass fewer folders or Applications at once, or give the container more memory";
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "{}", message.help(help));
    std::process::exit(FAILED);
}
