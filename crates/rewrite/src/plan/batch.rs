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
        let span = pieces.span(index);
        let outcome = match reader {
            Reader::DirectoryJson => json::plan_file(&planner, span, tree, &mut batch.found),
            Reader::DirectoryYaml if index < pieces.json => json::plan(&planner, span, tree, &mut batch.found),
            Reader::DirectoryYaml | Reader::Stream => {
                let planned = document::plan(&planner, span, tree, &mut batch.found);
                planned.map(|document| {
                    // JSON files and values are visited later, in `visit_the_rest`: their documents can be read from another text than the piece.
                    let reading = Reading::Accepted(document);
                    if counted.may_keep(Some(document)) {
                        visited.push(Visited { manifest: run.manifest, piece: span, kept: visitor.visit(&reading) });
                    }
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
