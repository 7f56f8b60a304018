//! How a subcommand ends, and what it prints.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use deployment::notes::{Note, Notes};
use report::sources;
use text::{harmless_in_a_log, visible};

/// How a subcommand ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is nothing else to report.
    Done,
    /// It found something that the user wants to see in the exit status.
    Found,
    /// Nothing is wrong, but something changes, and the user wants to see that in the exit status (`preview --exit-code`).
    Changed,
}

/// Prints text for people on standard output, often the log of a CI job. XML reports are printed this way too: in them the escapes are plain text.
pub(super) fn print_text(text: &str) -> Result<()> {
    print(&harmless_in_a_log(text))
}

/// Prints on standard output, unescaped, what a program or a CI runner parses.
pub(super) fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context(NOT_WRITTEN)
}

/// The notes that have been printed: sources that are read for two versions of Argo CD would say all of them twice.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Prints a one-line note, which is not an error, on standard error; each only once.
pub(super) fn note(text: &str) {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.insert(text.to_owned()) {
        return;
    }
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "note: {}", harmless_in_a_log(&visible(text)));
}

/// Prints the notes of a run.
pub(super) fn tell(notes: &Notes) {
    for one in notes.take() {
        match one {
            Note::Text(text) => note(&text),
            Note::Required(values) => sources::required(&values).iter().for_each(|text| note(text)),
        }
    }
}

/// Why standard output fails.
pub(super) const NOT_WRITTEN: &str = "cannot write to standard output";
