//! All inputs in `testdata/`: those of the cases, the corpus, and the documents of the oracle.

use std::path::Path;
use std::{fs, thread};

use system::PathText;

use crate::support::case;

/// A manifest, read like standard input.
#[derive(Debug)]
pub(crate) struct Input {
    /// The path below `testdata/`.
    pub(crate) name: String,
    /// The bytes of the file.
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Whether the bytes contain `text`.
    pub(crate) fn contains(&self, text: &str) -> bool {
        memchr::memmem::find(&self.bytes, text.as_bytes()).is_some()
    }

    /// The output of `--strategy keep`: the input without its byte order mark, and with a separator at the end where
    /// Argo CD would trim an empty line.
    pub(crate) fn as_printed(&self) -> Vec<u8> {
        crate::laws::generate::as_printed(&self.bytes)
    }
}

pub(crate) fn of_cases() -> Vec<Input> {
    case::all().iter().flat_map(|case| read(&case::inputs(case))).collect()
}

/// The manifests below `testdata/<folder>`.
pub(crate) fn below(folder: &str) -> Vec<Input> {
    let found = read(&case::manifests_under(&case::root().join(folder)));
    assert!(!found.is_empty(), "no manifests below {folder}");
    found
}

/// All inputs of the cases, the corpus and the oracle.
pub(crate) fn all() -> Vec<Input> {
    let mut inputs = of_cases();
    inputs.extend(below("corpus"));
    inputs.extend(below("../crates/goyaml/testdata/oracle/documents"));
    inputs
}

fn read(paths: &[impl AsRef<Path>]) -> Vec<Input> {
    let root = case::root();
    let name = |path: &Path| path.strip_prefix(&root).unwrap_or(path).shown().to_string();
    paths.iter().map(|path| Input { name: name(path.as_ref()), bytes: fs::read(path).unwrap() }).collect()
}

/// Runs `check` on all `items`, two at a time, and fails with all complaints. A complaint names its input.
pub(crate) fn hold_for_all<T: Sync>(items: &[T], check: impl Fn(&T) -> Option<String> + Sync) {
    let complaints: Vec<String> = two_at_a_time(items, check).into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {}:\n\n{}", complaints.len(), items.len(), complaints.join("\n"));
}

/// Runs `make` on all items, two at a time. The results are in the order of the items.
pub(crate) fn two_at_a_time<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let half = items.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> =
            items.chunks(half).map(|part| scope.spawn(|| part.iter().map(&make).collect::<Vec<R>>())).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a check does not panic")).collect()
    })
}
