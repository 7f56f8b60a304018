//! Works off the pieces of manifests on all processors. What comes out is in the order of the manifests, whoever did the work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::text::Span;
use crate::yaml::Tree;
use crate::yaml::split::Pieces;

/// A thread takes so many bytes of documents at a time.
const BATCH: usize = 128 * 1024;

/// More threads than this gain nothing: the sidecar shares its node with hundreds of Applications.
const MAX_THREADS: usize = 4;

/// Neighbouring pieces of one manifest.
pub(super) struct Run {
    pub(super) manifest: usize,
    pub(super) first: usize,
    /// One past the last.
    pub(super) end: usize,
}

/// Does something with every piece of every manifest.
pub(crate) fn each_piece<T: Send>(pieces: &[Pieces], what: impl Fn(usize, Span, &mut Tree) -> T + Sync) -> Vec<T> {
    let runs = in_runs(pieces, |run, tree| {
        let own = &pieces[run.manifest];
        (run.first..run.end).map(|index| what(run.manifest, own.span(index), tree)).collect::<Vec<T>>()
    });
    runs.into_iter().flatten().collect()
}

/// Does something with neighbouring pieces together.
pub(super) fn in_runs<T: Send>(pieces: &[Pieces], what: impl Fn(&Run, &mut Tree) -> T + Sync) -> Vec<T> {
    let batches = batches(pieces);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(batches.len());
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut tree = Tree::default();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(index) else { return done };
            done.push((index, batch.iter().map(|run| what(run, &mut tree)).collect::<Vec<T>>()));
        }
    };
    let mut done = if threads <= 1 { worker() } else { in_threads(threads, &worker) };
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

fn in_threads<T: Send>(threads: usize, worker: &(impl Fn() -> Vec<T> + Sync)) -> Vec<T> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}

/// Cuts the pieces of all manifests into batches of about the same number of bytes.
fn batches(pieces: &[Pieces]) -> Vec<Vec<Run>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut size = 0;
    for (manifest, pieces) in pieces.iter().enumerate() {
        let mut first = 0;
        for index in 0..pieces.len() {
            let span = pieces.span(index);
            size += span.end - span.start;
            if size >= BATCH {
                batch.push(Run { manifest, first, end: index + 1 });
                batches.push(std::mem::take(&mut batch));
                first = index + 1;
                size = 0;
            }
        }
        if first < pieces.len() {
            batch.push(Run { manifest, first, end: pieces.len() });
        }
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}
