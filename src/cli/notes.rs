//! Notes on standard error.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use deployment::notes::{Note, Notes};
use report::show::Show;
use report::sources;
use text::{harmless_in_a_log, visible};

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
            Note::Required(values) => sources::required(&values, Show::default()).iter().for_each(|text| note(text)),
        }
    }
}
