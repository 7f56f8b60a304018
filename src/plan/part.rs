//! Neighbouring pieces of one manifest, planned one after the other up to the first that cannot be read.

use super::document::{self, Planner};
use super::parallel::{self, Run};
use super::references::Data;
use super::visit::{Reading, Visited, Visitor};
use super::{JobPlan, Problem, Request, Rewrite, json};
use crate::manifest::Reader;
use crate::text::Span;
use crate::yaml::split::Pieces;
use crate::yaml::{SyntaxError, Tree};

/// What came of some neighbouring pieces of one manifest.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) manifest: usize,
    pub(super) objects: usize,
    pub(super) jobs: Vec<JobPlan>,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) problems: Vec<Problem>,
    /// Documents that are a trigger of an earlier run.
    pub(super) triggers: Vec<(usize, Span)>,
    /// Documents with roles.
    pub(super) roles: Vec<(usize, Span)>,
    /// Where reading ended too early; the pieces after it do not count.
    pub(super) broken: Option<SyntaxError>,
}

/// Plans every piece of every manifest, and reads the documents as `visitor` does on the way.
pub(super) fn plan_all<V: Visitor>(
    request: &Request<'_>,
    pieces: &[Pieces],
    data: &Data,
    visitor: &V,
) -> Vec<(Part, Vec<Visited<V::Kept>>)> {
    parallel::in_runs(pieces, |run, tree| plan_run((request, data), pieces, run, tree, visitor))
}

/// Plans the pieces of a run up to the first that cannot be read.
fn plan_run<V: Visitor>(
    (request, data): (&Request<'_>, &Data),
    pieces: &[Pieces],
    run: &Run,
    tree: &mut Tree,
    visitor: &V,
) -> (Part, Vec<Visited<V::Kept>>) {
    let planner = Planner { request, manifest: run.manifest, data };
    let mut visited = Vec::new();
    let mut part = Part { manifest: run.manifest, ..Part::default() };
    let reader = request.manifests[run.manifest].reader;
    let pieces = &pieces[run.manifest];
    for index in run.first..run.end {
        let span = pieces.span(index);
        let outcome = match reader {
            Reader::DirectoryJson => json::plan_file(&planner, span, tree, &mut part),
            Reader::DirectoryYaml if index < pieces.json => json::plan(&planner, span, tree, &mut part),
            Reader::DirectoryYaml | Reader::Stream => {
                let planned = document::plan(&planner, span, tree, &mut part);
                planned.map(|document| {
                    // JSON is left to the second pass: it can be read as another text than the piece.
                    if V::KEEPS {
                        let kept = visitor.visit(&Reading::Accepted(document));
                        visited.push(Visited { manifest: run.manifest, piece: span, kept });
                    }
                })
            }
        };
        if let Err(error) = outcome {
            part.broken = Some(error);
            break;
        }
    }
    (part, visited)
}
