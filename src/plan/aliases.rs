//! Aliases: what they stand for is bounded, for all manifests together.
//!
//! An alias costs a few bytes to write, and memory and output as large as what it stands for. Argo CD's reader has no limit for
//! that. The API server has one for each object: it takes 3 MiB (`MaxRequestBodyBytes` in `k8s.io/apiserver/pkg/server/config.go`).

use super::parallel;
use crate::manifest::Manifest;
use crate::text::Span;
use crate::yaml::expansion::{Expansion, expansion, may_have_aliases};
use crate::yaml::split::Pieces;
use crate::yaml::{SyntaxError, Tree};

/// How many bytes of memory all aliases together may stand for. `check --base` needs them nine times at its peak, and that is to fit
/// into 64 MiB.
const MAX_EXPANSION: u64 = 6 << 20;

/// Ends the pieces of a manifest before the first piece whose aliases stand for more than what is left of [`MAX_EXPANSION`].
pub(super) fn limit(manifests: &[Manifest], pieces: &mut [Pieces]) {
    if !manifests.iter().any(|manifest| may_have_aliases(&manifest.text)) {
        return;
    }
    let sizes = parallel::each_piece(pieces, |manifest, span, tree| {
        let found = measure(span.of(&manifests[manifest].text), u64::MAX, tree);
        (manifest, span, found.map_or(0, |found| found.size))
    });
    let mut left = MAX_EXPANSION;
    let mut ended = None;
    for (manifest, span, size) in sizes {
        if ended == Some(manifest) {
            continue;
        }
        if size <= left {
            left -= size;
        } else {
            let error = too_much(&manifests[manifest].text, span, left);
            pieces[manifest].end_before(span, error);
            ended = Some(manifest);
        }
    }
}

/// What the aliases of a document stand for; nothing for one without aliases, or that cannot be read, which is told elsewhere.
fn measure(text: &str, limit: u64, tree: &mut Tree) -> Option<Expansion> {
    if !may_have_aliases(text) || tree.read(text).is_err() {
        return None;
    }
    Some(expansion(tree, text, limit))
}

/// The error at the alias with which the piece `span` of a manifest takes more than `left`.
fn too_much(manifest: &str, span: Span, left: u64) -> SyntaxError {
    let found = measure(span.of(manifest), left, &mut Tree::default());
    SyntaxError {
        offset: span.start + found.and_then(|found| found.excess).unwrap_or(0),
        message: format!(
            "with this alias, the aliases of all manifests stand for more than {} MiB",
            MAX_EXPANSION >> 20
        ),
        help: Some(
            "write the value out where it is needed, or leave the file out with `exclude` if it is not a manifest",
        ),
    }
}
