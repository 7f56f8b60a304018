//! Plans neighbouring pieces of one manifest one after another, up to the first piece that cannot be read.

use goyaml::split::Pieces;
use goyaml::{SyntaxError, Tree};

use super::counted::Counted;
use super::document::{self, Planner};
use super::found::Found;
use super::parallel::{self, DocumentRange};
use super::references::Data;
use super::visit::{Reading, Visited, Visitor};
use super::{Request, json};
use crate::manifest::Reader;

/// The plan of some neighbouring pieces of one manifest.
#[derive(Debug)]
pub(super) struct Batch {
    /// The index of the manifest.
    pub(super) manifest: usize,
    pub(super) found: Found,
    /// The error of the first piece that cannot be read. The pieces after it are not planned.
    pub(super) broken: Option<SyntaxError>,
}

/// Plans every piece of every manifest, and calls `visitor` for the documents that it reads.
pub(super) fn plan_all<V: Visitor>(
    context: (&Request<'_>, &Data, Counted<'_>),
    pieces: &[Pieces],
    visitor: &V,
) -> Vec<(Batch, Vec<Visited<V::Kept>>)> {
    parallel::in_runs(pieces, |run, tree| plan_run(context, pieces, run, tree, visitor))
}

/// Plans the pieces of a run, up to the first piece that cannot be read.
fn plan_run<V: Visitor>(
    (request, data, counted): (&Request<'_>, &Data, Counted<'_>),
    pieces: &[Pieces],
    run: &DocumentRange,
    tree: &mut Tree,
    visitor: &V,
) -> (Batch, Vec<Visited<V::Kept>>) {
    let planner = Planner { request, manifest: run.manifest, data, counted };
    let mut visited = Vec::new();
    let mut batch = Batch { manifest: run.manifest, found: Found::default(), broken: None };
    let reader = request.manifests[run.manifest].reader;
    let pieces = &pieces[run.manifest];
    for index in run.first..run.end {
        let piece = pieces.span(index);
        let visit = |reading: Reading<'_>, is_plain: bool| {
            let size = counted.may_keep(reading.accepted())?;
            let plain = is_plain.then_some(size);
            Some(Visited { manifest: run.manifest, piece, plain, kept: visitor.visit(&reading) })
        };
        let found = &mut batch.found;
        let mut keep_json = |reading: Reading<'_>| visited.extend(visit(reading, false));
        let outcome = match reader {
            Reader::DirectoryJson => json::plan_file(&planner, piece, tree, found, &mut keep_json),
            Reader::DirectoryYaml if reader.reads_as_json(pieces, piece) => {
                json::plan(&planner, piece, tree, found, &mut keep_json)
            }
            Reader::DirectoryYaml | Reader::Stream => {
                if let Some((size, kept)) = visitor.known(piece.of(planner.text())) {
                    found.objects += 1;
                    let one = Visited { manifest: run.manifest, piece, plain: Some(size), kept };
                    visited.extend(counted.may_keep_known(size).then_some(one));
                    continue;
                }
                let (objects, rest) = found.counts();
                document::plan(&planner, piece, tree, found).map(|document| {
                    let is_plain = found.counts() == (objects + 1, rest) && document::has_no_hook(document);
                    visited.extend(visit(Reading::Accepted(document), is_plain));
                })
            }
        };
        if let Err(error) = outcome {
            batch.broken = Some(error);
            break;
        }
    }
    (batch, visited)
}
