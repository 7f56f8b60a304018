//! Plans JSON in a directory. Argo CD reads it there as JSON, but reads the output of a plugin as YAML: JSON that means something else as YAML is
//! printed again.

use goyaml::edit::EditKind;
use goyaml::json_document::{self, JsonDocument};
use goyaml::{SyntaxError, Tree};
use text::Span;

use super::document::{self, Planner, RootPlanner};
use super::found::Found;
use super::{Reading, Rewrite};

/// Plans a `.json` file, which must contain exactly one object. Calls `visit` as [`plan`] does.
pub(super) fn plan_file(
    planner: &Planner<'_>,
    span: Span,
    tree: &mut Tree,
    found: &mut Found,
    visit: &mut dyn FnMut(Reading<'_>),
) -> Result<(), SyntaxError> {
    json_document::only_one(span.of(planner.text()))?;
    plan(planner, span, tree, found, visit)
}

/// Plans the piece `span` of a manifest, which is one JSON value. Calls `visit` with the document that it reads.
pub(super) fn plan(
    planner: &Planner<'_>,
    span: Span,
    tree: &mut Tree,
    found: &mut Found,
    visit: &mut dyn FnMut(Reading<'_>),
) -> Result<(), SyntaxError> {
    let piece = span.of(planner.text());
    json_document::read(piece, tree, |JsonDocument { document, is_printed }| {
        let Some(root) = document::object_of(document)? else { return Ok(()) };
        found.objects += 1;
        document::only_objects(root)?;
        let before = found.rewrites.len();
        RootPlanner { planner, root, span }.plan_jobs(found)?;
        if is_printed && found.rewrites.len() == before {
            let text = document.text().to_owned();
            found.rewrites.push(Rewrite { place: (planner.manifest, span), text, kind: EditKind::Reemitted });
        }
        visit(if is_printed { Reading::Printed { document, piece } } else { Reading::Accepted(document) });
        Ok(())
    })
    .map_err(|error| error.shifted(span.start))
}
