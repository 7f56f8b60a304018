//! Checks charts and kustomizations without rendering them, for the helm wrapper and for tests that compare the
//! checks with helm and kustomize.

use std::path::Path;
use std::time::Duration;

use confined::Deadline;

use crate::{Renderer, helm, kustomize, tool};

/// The reason why this program would refuse a kustomization, or a chart whose dependencies are built, on a kernel
/// without Landlock; `None` if it would start the tool. `dir` and `root`, the root of the repository, must be
/// absolute and without symlinks.
pub fn reason_to_refuse(renderer: Renderer, dir: &Path, root: &Path) -> Option<String> {
    let tree = tool::WorkTree::new(dir.to_owned(), root.to_owned(), false);
    let deadline = Deadline::after(Duration::MAX);
    let outcome = tree.check_links(deadline).and_then(|()| match renderer {
        Renderer::Kustomize => kustomize::check_reading(&tree, deadline),
        Renderer::Helm => helm::check_reading(&tree, deadline),
    });
    outcome.err().map(|error| error.to_string())
}

/// Checks the schemas of a chart that kustomize passes to helm; the error is the reason why helm must not render it.
/// The check has no deadline, because kustomize, which waits for it, has one.
pub fn check_chart(chart: &Path) -> Result<(), String> {
    let deadline = Deadline::after(Duration::MAX);
    helm::check_schemas(chart, deadline).map_err(|message| message.text)
}
