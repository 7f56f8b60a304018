//! Processes the pieces of manifests in parallel. Returns the results in the order of the manifests.

use goyaml::Tree;
use goyaml::split::Pieces;
use system::threads::{self, MAX_THREADS};
use text::Span;

/// The size of a batch in bytes.
const BATCH: usize = 128 * 1024;

/// Neighbouring pieces of one manifest, by their indices.
pub(super) struct DocumentRange {
    pub(super) manifest: usize,
    pub(super) first: usize,
    /// One past the last piece.
    pub(super) end: usize,
}

/// Calls `what` for every piece of every manifest, with a tree to read it into. Returns all results.
pub fn each_piece<I: IntoIterator<Item: Send>>(
    pieces: &[Pieces],
    what: impl Fn(usize, Span, &mut Tree) -> I + Sync,
) -> Vec<I::Item> {
    let runs = in_runs(pieces, |run, tree| {
        let own = &pieces[run.manifest];
        (run.first..run.end).flat_map(|index| what(run.manifest, own.span(index), tree)).collect::<Vec<I::Item>>()
    });
    runs.into_iter().flatten().collect()
}

/// Calls `what` for runs of neighbouring pieces, with a tree to read them into. Returns all results.
pub(super) fn in_runs<T: Send>(pieces: &[Pieces], what: impl Fn(&DocumentRange, &mut Tree) -> T + Sync) -> Vec<T> {
    let batches = batches(pieces);
    let batch = |tree: &mut Tree, index: usize| batches[index].iter().map(|run| what(run, tree)).collect::<Vec<T>>();
    threads::in_order(batches.len(), MAX_THREADS, Tree::default, batch).into_iter().flatten().collect()
}

/// Divides the pieces of all manifests into batches of about the same number of bytes.
fn batches(pieces: &[Pieces]) -> Vec<Vec<DocumentRange>> {
    let mut batches = Vec::new();
    let mut batch: Vec<DocumentRange> = Vec::new();
    let mut size = 0;
    for (manifest, pieces) in pieces.iter().enumerate() {
        let mut first = 0;
        for index in 0..pieces.len() {
            if size >= BATCH {
                batch.extend((first < index).then_some(DocumentRange { manifest, first, end: index }));
                batches.push(std::mem::take(&mut batch));
                first = index;
                size = 0;
            }
            size += pieces.span(index).len();
        }
        batch.extend((first < pieces.len()).then_some(DocumentRange { manifest, first, end: pieces.len() }));
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use goyaml::split::split;

    #[test]
    fn every_piece_is_in_one_batch_and_in_order() {
        let document = |bytes: usize| format!("---\na: {}\n", "x".repeat(bytes - 8));
        let texts = [
            document(BATCH),
            String::new(),
            document(10).repeat(2 * BATCH / 10 + 3),
            document(BATCH / 2).repeat(5),
            document(2 * BATCH),
            document(10),
        ];
        let pieces: Vec<Pieces> = texts.iter().map(|text| split(text)).collect();
        let all: Vec<(usize, usize)> = (0..pieces.len())
            .flat_map(|manifest| (0..pieces[manifest].len()).map(move |index| (manifest, index)))
            .collect();
        let batches = batches(&pieces);
        let in_batches = batches.iter().flatten();
        let found: Vec<(usize, usize)> =
            in_batches.flat_map(|run| (run.first..run.end).map(|index| (run.manifest, index))).collect();
        assert!(found == all, "{} pieces of {}", found.len(), all.len());
        let bytes = |runs: &Vec<DocumentRange>| -> usize {
            runs.iter()
                .flat_map(|run| (run.first..run.end).map(|index| pieces[run.manifest].span(index)))
                .map(Span::len)
                .sum()
        };
        let sizes: Vec<usize> = batches.iter().map(bytes).collect();
        // The piece that fills a batch is its last one.
        assert!(sizes.iter().all(|size| *size < 3 * BATCH), "{sizes:?}");
        assert!(sizes.len() <= sizes.iter().sum::<usize>() / BATCH + 4, "{sizes:?}");
    }
}
