//! Renders a directory with helm or kustomize as Argo CD does, in child processes with limits.

use std::path::Path;
use std::sync::Arc;

use super::again::Again;
use super::helm::{Also, Rendered, Templates, Upgrade};
use super::masked::masked;
use super::places::{Places, Reader, Shown};
use super::tool::{RenderError, Session, Target, WorkTree};
use super::{Error, Renderer, helm, kustomize, manifest};
use crate::manifest::{Chart, FixedValue, Manifest};
use crate::process::Deadline;
use crate::settings::{ApplicationSettings, Random};
use crate::system::canonical;
use crate::text::Origin;

/// Renders a directory on disk to a single manifest, the whole output of the tool. `root` is the root of its
/// repository; `prefix` is the prefix of its files' paths in messages.
pub(super) fn render(
    target: &Target<'_>,
    root: &Path,
    prefix: &Path,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, Error> {
    let unreadable = |error: std::io::Error| Error::unreadable(target.dir, error);
    let dir = canonical(target.dir).map_err(unreadable)?;
    let tree = WorkTree::new(dir.clone(), root.to_owned(), target.rendering.application.name.is_some());
    // Show the user's paths: the copy is deleted before messages are printed.
    let shown = Shown { prefix, written: target.dir };
    let reader = Reader::new(&dir, root, shown);
    render_tree(target, (tree, Some(reader)), Deadline::after(settings.platform.time), renderer, settings)
}

/// Renders the directory of a tree before the deadline. With a reader, places in the output refer to files that the
/// reader reads.
pub(super) fn render_tree(
    target: &Target<'_>,
    (tree, reader): (WorkTree, Option<Reader<'_>>),
    deadline: Deadline,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, Error> {
    let of_dir = |error: RenderError| Error::Render { dir: target.dir.to_owned(), error: Box::new(error) };
    let is_examined = target.rendering.is_examined;
    let (reader, unread) = if is_examined { (reader, None) } else { (None, reader) };
    let mut session = Session::open(target, tree, deadline, settings).map_err(of_dir)?;
    let twice = is_examined || settings.output.random == Random::Refused;
    match renderer {
        Renderer::Helm => {
            let also = Also { again: twice, upgrade: is_examined };
            let Rendered { printed, again, upgrade } =
                helm::render(&mut session, &settings.helm, also).map_err(of_dir)?;
            let printed = manifest(Origin::HELM_TEMPLATE, printed)?;
            let manifest = match (again, unread) {
                (Some(again), _) => compared(printed, &again, is_examined),
                (None, Some(reader)) if !twice => helm::with_warnings(printed, reader),
                (None, _) => printed,
            };
            let manifest = match reader {
                Some(reader) => with_chart(manifest, upgrade, reader)?,
                None => manifest,
            };
            Ok(manifest.rendered_without(session.stubs))
        }
        Renderer::Kustomize => {
            let built = kustomize::render(&mut session, &settings.kustomize, (reader.is_some(), twice));
            let mut built = built.map_err(of_dir)?;
            let printed = manifest(Origin::Rendered("kustomize build"), std::mem::take(&mut built.printed))?;
            let manifest = match &built.again {
                Some(again) => compared(printed, again, is_examined),
                None => printed,
            };
            let places = reader.map(|reader| kustomize::places(&manifest.text, &built, reader));
            Ok(with_places(manifest, places))
        }
    }
}

/// The manifest with the spans that differ in another rendering. If it is only examined, the differences are replaced
/// by fixed words.
fn compared(manifest: Manifest, again: &Again, is_examined: bool) -> Manifest {
    let now = String::from_utf8_lossy(&again.now);
    let later = again.later.as_deref().map(String::from_utf8_lossy);
    let masked = masked(&manifest.text, later.as_deref().unwrap_or(&now), is_examined);
    let differing = masked.differing(&manifest.text, &now);
    Manifest::new(manifest.origin, masked.text, manifest.reader).with_random(differing)
}

/// The output of a chart with its places, and with what its templates tell.
fn with_chart(printed: Manifest, upgrade: Upgrade, reader: Reader<'_>) -> Result<Manifest, Error> {
    let templates = Templates::of(&reader);
    let is_unknown = matches!(upgrade, Upgrade::Failed);
    let upgrade = match upgrade {
        Upgrade::Printed(text) => {
            let printed = manifest(Origin::HELM_TEMPLATE, text)?;
            let places = helm::places(&printed.text, reader.clone());
            Some(with_places(printed, Some(places)))
        }
        Upgrade::Same | Upgrade::Failed => None,
    };
    let places = helm::places(&printed.text, reader);
    let manifest = with_places(printed, Some(places));
    let mut reads = templates.reads(&manifest);
    reads.retain(|read| is_unknown || read.value != FixedValue::IsUpgrade);
    Ok(manifest.with_chart(Chart { upgrade, reads }))
}

fn with_places(manifest: Manifest, places: Option<Places>) -> Manifest {
    match places {
        Some(places) => manifest.rendered_from(Arc::new(places)),
        None => manifest,
    }
}
