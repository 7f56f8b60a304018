//! Limits what the aliases of all manifests together expand to.
//!
//! An alias takes a few bytes in the file, but as much memory and output as its value. Argo CD's reader does not limit that. The API server
//! does, for each object: it takes at most 3 MiB (`MaxRequestBodyBytes` in `k8s.io/apiserver/pkg/server/config.go`).

use super::parallel;
use crate::manifest::Manifest;
use crate::yaml::expansion::{MAX, may_have_aliases};
use crate::yaml::split::Pieces;
use crate::yaml::{Document, Tree};

/// Ends the pieces of a manifest before the first piece whose aliases expand to more than what is left of [`MAX`], which holds for all
/// manifests together, as it does for one document.
pub(super) fn limit(manifests: &[Manifest], pieces: &mut [Pieces]) {
    if !manifests.iter().any(|manifest| may_have_aliases(&manifest.text)) {
        return;
    }
    let sizes = parallel::each_piece(pieces, |manifest, span, tree| {
        Some((manifest, span, expansion(span.of(&manifests[manifest].text), tree)))
    });
    let mut left = MAX;
    let mut ended = None;
    for (manifest, span, size) in sizes {
        if ended == Some(manifest) {
            continue;
        }
        if size <= left {
            left -= size;
        } else if let Err(error) = Tree::within(left).read(span.of(&manifests[manifest].text)) {
            pieces[manifest].end_before(span, error.shifted(span.start));
            ended = Some(manifest);
        }
    }
}

/// How many bytes the aliases of a document expand to; 0 for one that cannot be read, which is reported elsewhere.
fn expansion(text: &str, tree: &mut Tree) -> u64 {
    if may_have_aliases(text) { tree.read(text).map_or(0, Document::expansion) } else { 0 }
}
