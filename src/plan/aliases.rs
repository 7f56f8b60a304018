//! Limits what the aliases of all manifests together expand to.
//!
//! An alias takes a few bytes in the file, but as much memory and output as its value. Argo CD's reader does not limit that. The API server
//! does, for each object: it takes at most 3 MiB (`MaxRequestBodyBytes` in `k8s.io/apiserver/pkg/server/config.go`).

use super::parallel;
use crate::manifest::Manifest;
use crate::text::Span;
use crate::yaml::expansion::{Expansion, expansion, may_have_aliases};
use crate::yaml::split::Pieces;
use crate::yaml::{SyntaxError, Tree};

/// How many bytes of memory all aliases together may expand to. At its peak `check --base` needs nine times as much, which has to fit
/// into 64 MiB.
const MAX_EXPANSION: u64 = 6 << 20;

/// Ends the pieces of a manifest before the first piece whose aliases expand to more than what is left of [`MAX_EXPANSION`].
pub(super) fn limit(manifests: &[Manifest], pieces: &mut [Pieces]) {
    if !manifests.iter().any(|manifest| may_have_aliases(&manifest.text)) {
        return;
    }
    let sizes = parallel::each_piece(pieces, |manifest, span, tree| {
        let found = measure(span.of(&manifests[manifest].text), u64::MAX, tree);
        Some((manifest, span, found.map_or(0, |found| found.size)))
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

/// What the aliases of a document expand to. None without aliases, or when it cannot be read, which is reported elsewhere.
fn measure(text: &str, limit: u64, tree: &mut Tree) -> Option<Expansion> {
    if !may_have_aliases(text) {
        return None;
    }
    Some(expansion(tree.read(text).ok()?, limit))
}

/// The error at the alias in the piece `span` that exceeds `left`.
fn too_much(manifest: &str, span: Span, left: u64) -> SyntaxError {
    let found = measure(span.of(manifest), left, &mut Tree::default());
    let offset = span.start + found.and_then(|found| found.excess).unwrap_or(0);
    let most = MAX_EXPANSION >> 20;
    let message = format!("with this alias, the aliases of all manifests together expand to more than {most} MiB");
    SyntaxError::new(offset, message).with_help(
        "write the value itself in place of the alias, or leave the file out with `exclude` if it is not a manifest",
    )
}
