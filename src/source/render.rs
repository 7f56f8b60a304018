//! Renders a directory with helm or kustomize, as Argo CD does, in child processes with limits.

use super::encoding::{self, Utf16};
use super::tool::{RenderError, Session, Target};
use super::{Error, HELM_TEMPLATE, Renderer, helm, kustomize, repository};
use crate::manifest::{Manifest, Reader};
use crate::settings::ApplicationSettings;
use crate::text::{Origin, Place};

/// Renders a directory: one manifest, with all that the tool printed.
pub(super) fn render(
    target: &Target<'_>,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, Error> {
    let of_dir = |error: RenderError| Error::Render { dir: target.dir.to_owned(), error: Box::new(error) };
    let unreadable = |error: std::io::Error| Error::unreadable(target.dir, error);
    let dir = std::fs::canonicalize(target.dir).map_err(unreadable)?;
    let root = repository::root_of(&dir, target.source_path).map_err(unreadable)?;
    let mut session = Session::open(target, dir, root, settings).map_err(of_dir)?;
    let (origin, printed) = match renderer {
        Renderer::Helm => (HELM_TEMPLATE, helm::render(&mut session, &settings.helm)),
        Renderer::Kustomize => {
            (Origin::Rendered("kustomize build"), kustomize::render(&mut session, &settings.kustomize))
        }
    };
    match encoding::decode(printed.map_err(of_dir)?, Utf16::Refuse) {
        Ok(text) => Ok(Manifest::new(origin, text, Reader::Stream)),
        Err(failure) => Err(Error::Undecodable { place: Place { origin, at: failure.at }, why: failure.why }),
    }
}
