//! The checks of charts and kustomizations without a rendering, for the helm wrapper and for the tests that compare them with helm and kustomize.

use std::path::Path;
use std::time::Duration;

use super::{Renderer, helm, kustomize, tool};
use crate::process::Deadline;

/// Why this program would refuse a kustomization, or a chart whose dependencies are built, on a kernel without Landlock; none if it would pass it to
/// the tool. `dir` and `root`, the root of the repository, are absolute and without symlinks.
pub fn reason_to_refuse(renderer: Renderer, dir: &Path, root: &Path) -> Option<String> {
    let tree = tool::WorkTree::new(dir.to_owned(), root.to_owned(), false);
    let deadline = Deadline::after(Duration::MAX);
    let outcome = tree.check_links(deadline).and_then(|()| match renderer {
        Renderer::Kustomize => kustomize::check_reading(&tree, deadline),
        Renderer::Helm => helm::check_reading(&tree, deadline),
    });
    outcome.err().map(|error| error.to_string())
}

/// Checks the schemas of a chart that kustomize passes to helm; the error says why helm must not render it. It has no deadline of its own, because
/// kustomize, which waits for it, has one.
pub fn check_chart(chart: &Path) -> Result<(), String> {
    let deadline = Deadline::after(Duration::MAX);
    helm::check_schemas(chart, deadline).map_err(|message| message.text)
}
