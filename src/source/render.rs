//! Renders a directory with helm or kustomize, as Argo CD does, in child processes with limits.

use std::path::Path;
use std::sync::Arc;

use super::encoding::{self, Utf16};
use super::helm::Again;
use super::masked::masked;
use super::places::{Places, Reader, Shown};
use super::tool::{RenderError, Session, Target, WorkTree};
use super::{Error, HELM_TEMPLATE, Renderer, helm, kustomize};
use crate::manifest::{self, Manifest};
use crate::process::Deadline;
use crate::settings::ApplicationSettings;
use crate::text::{Origin, Place};

/// Renders a directory on disk: one manifest, with all that the tool printed. `root` is the root of its repository, `prefix` what the paths of its
/// files begin with in messages.
pub(super) fn render(
    target: &Target<'_>,
    root: &Path,
    prefix: &Path,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, Error> {
    let unreadable = |error: std::io::Error| Error::unreadable(target.dir, error);
    let dir = std::fs::canonicalize(target.dir).map_err(unreadable)?;
    let tree = WorkTree::new(dir.clone(), root.to_owned(), target.rendering.application.name.is_some());
    // The files of the user: a copy of them is gone when a place is shown.
    let shown = Shown { prefix, written: target.dir };
    let reader = target.rendering.is_examined.then(|| Reader::new(&dir, root, shown));
    render_tree(target, (tree, reader), Deadline::after(settings.platform.time), renderer, settings)
}

/// Renders the directory of a tree before the deadline. With a reader, places of what is rendered are those of the files that it reads.
pub(super) fn render_tree(
    target: &Target<'_>,
    (tree, reader): (WorkTree, Option<Reader<'_>>),
    deadline: Deadline,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, Error> {
    let of_dir = |error: RenderError| Error::Render { dir: target.dir.to_owned(), error: Box::new(error) };
    let mut session = Session::open(target, tree, deadline, settings).map_err(of_dir)?;
    match renderer {
        Renderer::Helm => {
            let twice = target.rendering.is_examined;
            let (printed, again) = helm::render(&mut session, &settings.helm, twice).map_err(of_dir)?;
            let manifest = compared(manifest(HELM_TEMPLATE, printed)?, again);
            let places = reader.map(|reader| helm::places(&manifest.text, reader));
            Ok(with_places(manifest, places))
        }
        Renderer::Kustomize => {
            let built = kustomize::render(&mut session, &settings.kustomize, reader.is_some());
            let mut built = built.map_err(of_dir)?;
            let manifest = manifest(Origin::Rendered("kustomize build"), std::mem::take(&mut built.printed))?;
            let places = reader.map(|reader| kustomize::places(&manifest.text, &built, reader));
            Ok(with_places(manifest, places))
        }
    }
}

fn manifest(origin: Origin, printed: Vec<u8>) -> Result<Manifest, Error> {
    match encoding::decode(printed, Utf16::Refuse) {
        Ok(text) => Ok(Manifest::new(origin, text, manifest::Reader::Stream)),
        Err(failure) => Err(Error::Undecodable { place: Place::new(origin, failure.at), why: failure.why }),
    }
}

/// The manifest with words in the place of what differs when it is rendered again.
fn compared(manifest: Manifest, again: Option<Again>) -> Manifest {
    let Some(Again { now, later }) = again else { return manifest };
    let now = String::from_utf8_lossy(&now);
    let later = later.as_deref().map(String::from_utf8_lossy);
    let masked = masked(manifest.text.clone(), later.as_deref().unwrap_or(&now));
    let differing = masked.differing(&manifest.text, &now);
    Manifest::new(manifest.origin, masked.text, manifest.reader).with_random(differing)
}

fn with_places(manifest: Manifest, places: Option<Places>) -> Manifest {
    match places {
        Some(places) => manifest.rendered_from(Arc::new(places)),
        None => manifest,
    }
}
