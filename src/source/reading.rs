//! Our own look at what helm and kustomize would read, for those who ask for it without a rendering: the helm wrapper, and the tests of the reading.

use std::path::Path;
use std::time::Duration;

use super::{Renderer, helm, kustomize, tool};
use crate::process::Deadline;

/// Why a kustomization, or a chart whose dependencies are built, would not be given to its tool where the kernel does not confine the tool; none
/// when it would. `dir` and `root`, the root of the repository, are absolute and without symlinks.
pub fn reason_to_refuse(renderer: Renderer, dir: &Path, root: &Path) -> Option<String> {
    let tree = tool::WorkTree::new(dir.to_owned(), root.to_owned(), false);
    let deadline = Deadline::after(Duration::MAX);
    let outcome = tree.check_links(deadline).and_then(|()| match renderer {
        Renderer::Kustomize => kustomize::check_reading(&tree, deadline),
        Renderer::Helm => helm::check_reading(&tree, deadline),
    });
    outcome.err().map(|error| error.to_string())
}

/// Looks at a chart that kustomize gives to helm; the message says why helm must not render it. kustomize, which waits for it, has a limit of
/// time.
pub fn check_chart(chart: &Path) -> Result<(), String> {
    let deadline = Deadline::after(Duration::MAX);
    helm::check_schemas(chart, deadline).map_err(|message| message.text)
}
