//! The common parts of running helm and kustomize: the tree in which they work (`work_tree.rs`), their environment
//! and limits (`session.rs`), the walk through its folders (`walk.rs`), and their errors (`error.rs`, `cause.rs`).

mod caller;
mod cause;
mod copies;
mod error;
mod lack;
mod needed;
mod opened;
mod remedy;
mod rendering;
mod session;
mod version;
mod walk;
mod walls;
mod work_tree;

use std::path::Path;

use checkout::Tools;
use kube_jobs::argocd::Application;

pub use caller::Caller;
pub use cause::Cause;
pub use copies::Copies;
pub use error::RenderError;
pub use lack::Lack;
pub(super) use needed::resolve;
pub use opened::Opened;
pub use remedy::Remedy;
pub use rendering::Rendering;
pub use session::temporary;
pub(super) use session::{Call, Session};
pub use version::version_of;
pub(super) use walk::{Walk, in_time};
pub(super) use walls::named as named_files;
pub use work_tree::WorkTree;

/// A directory to render.
pub struct Target<'t> {
    /// The path as the user wrote it.
    pub dir: &'t Path,
    /// The programs that may be started.
    pub tools: &'t Tools,
    /// The path of this program, which starts the tools with their limits.
    pub launcher: &'t Path,
    /// What rendering needs from the caller.
    pub rendering: &'t Rendering,
}

/// The Kubernetes version for `--kube-version` or `--helm-kube-version`: the value of `field` in a block, or else the
/// version of the cluster.
pub(super) fn kube_version(
    field: &'static str,
    set: Option<&str>,
    application: &Application,
) -> Result<Option<String>, RenderError> {
    let cluster = application.kube_version.as_deref();
    let (of, version) = match (set, cluster) {
        (Some(version), _) => (field, version),
        (None, Some(version)) => ("KUBE_VERSION", version),
        (None, None) => return Ok(None),
    };
    match kube_jobs::argocd::kube_version(version) {
        Ok(version) => Ok(Some(version)),
        Err(_) => Err(RenderError::KubeVersion { of, version: version.to_owned() }),
    }
}
