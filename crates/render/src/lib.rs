#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "a test may start a process"))]

mod again;
pub mod chart;
mod fickle;
mod helm;
mod kustomize;
mod masked;
mod not_rendered;
mod places;
mod reading;
pub mod remote;
mod tool;
pub mod wrappers;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use checkout::encoding::{Utf16, decode};
use confined::{Deadline, HAS_LAUNCHER};
use rewrite::manifest::{Chart, FixedValue, Manifest, Reader as ReadAs};
use rewrite::settings::{ApplicationSettings, Random, SourceKind};
use system::canonical;
use text::{Origin, Place};

use again::Again;
use helm::{Also, Rendered, Templates, Upgrade};
use masked::masked;
pub use not_rendered::NotRendered;
use places::{Places, Reader, Shown};
pub use reading::{check_chart, reason_to_refuse};
use tool::Session;
pub use tool::{
    Caller, Cause, Copies, Lack, Opened, Remedy, RenderError, Rendering, Target, WorkTree, temporary, version_of,
};

/// The names of a kustomization's file, in the order in which Argo CD looks for them (`util/kustomize/kustomize.go`).
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A tool that renders manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// Renders with `kustomize build`.
    Kustomize,
    /// Renders with `helm template`.
    Helm,
}

impl Renderer {
    /// The kind of source that this tool renders.
    pub fn source(self) -> SourceKind {
        match self {
            Self::Kustomize => SourceKind::Kustomize,
            Self::Helm => SourceKind::Helm,
        }
    }
}

/// The tool with which Argo CD would render a directory, and the file that decides it, as in `util/app/discovery`: of
/// the files at the top, the last matching name decides. A name that only ends in `Chart.yaml` matches, too.
///
/// `names` are the names of the files in the directory, sorted by their bytes.
pub fn detect<'n>(names: impl DoubleEndedIterator<Item = &'n str>) -> (Option<Renderer>, Option<String>) {
    names.rev().find_map(|name| Some((Some(renderer_of(name)?), Some(name.to_owned())))).unwrap_or_default()
}

/// The tool that renders a directory with a file of this name.
pub fn renderer_of(name: &str) -> Option<Renderer> {
    match name {
        name if KUSTOMIZATIONS.contains(&name) => Some(Renderer::Kustomize),
        name if name.ends_with("Chart.yaml") => Some(Renderer::Helm),
        _ => None,
    }
}

/// Must be called first in `main`. If this process was started under another name, as launcher, janitor, or in place of git or helm, does its
/// work and returns the exit status; otherwise returns `None`. `arguments` begin with the name of the program; `variable` reads the environment.
pub fn become_other(
    mut arguments: impl Iterator<Item = OsString>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<ExitCode> {
    let name = arguments.next()?;
    if let Some(status) = confined::become_other(&name, &mut arguments) {
        return Some(status);
    }
    let name = Path::new(&name).file_name()?.to_str().filter(|_| HAS_LAUNCHER)?;
    wrappers::play(name, &mut arguments, &variable)
}

/// Renders a directory on disk to a single manifest, the whole output of the tool. `root` is the root of its
/// repository; `prefix` is the prefix of its files' paths in messages.
pub fn render(
    target: &Target<'_>,
    root: &Path,
    prefix: &Path,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, NotRendered> {
    let dir = canonical(target.dir).map_err(NotRendered::Unreadable)?;
    let tree = WorkTree::new(dir.clone(), root.to_owned(), target.rendering.application.name.is_some());
    // Show the user's paths: the copy is deleted before messages are printed.
    let shown = Shown { prefix, written: target.dir };
    let reader = Reader::new(&dir, root, shown);
    render_tree(target, (tree, Some(reader)), Deadline::after(settings.platform.time), renderer, settings)
}

/// Renders the directory of a tree, which is a copy of a revision, before the deadline. No editor can open files of a
/// revision, so places in the manifest refer to the tool's output.
pub fn render_copy(
    target: &Target<'_>,
    tree: WorkTree,
    deadline: Deadline,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, NotRendered> {
    let (dir, root, original) = (tree.dir.clone(), tree.root.clone(), tree.original.clone());
    let shown = Shown { prefix: &original, written: &original };
    // What templates read is a fact about both versions of a chart.
    let reader = (renderer == Renderer::Helm).then(|| Reader::new(&dir, &root, shown));
    Ok(render_tree(target, (tree, reader), deadline, renderer, settings)?.without_places())
}

/// Renders the directory of a tree before the deadline. With a reader, places in the output refer to files that the
/// reader reads.
fn render_tree(
    target: &Target<'_>,
    (tree, reader): (WorkTree, Option<Reader<'_>>),
    deadline: Deadline,
    renderer: Renderer,
    settings: &ApplicationSettings,
) -> Result<Manifest, NotRendered> {
    let is_examined = target.rendering.is_examined;
    let (reader, unread) = if is_examined { (reader, None) } else { (None, reader) };
    let mut session = Session::open(target, tree, deadline, settings)?;
    let twice = is_examined || settings.output.random == Random::Refused;
    match renderer {
        Renderer::Helm => {
            let also = Also { again: twice, upgrade: is_examined };
            let Rendered { printed, again, upgrade } = helm::render(&mut session, &settings.helm, also)?;
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
            let mut built = kustomize::render(&mut session, &settings.kustomize, (reader.is_some(), twice))?;
            let printed = manifest(Origin::Rendered("kustomize build"), std::mem::take(&mut built.printed))?;
            let manifest = match &built.again {
                Some(again) => compared(printed, again, is_examined),
                None => printed,
            };
            let places = reader.map(|reader| kustomize::places(&manifest.text, &built, reader));
            Ok(with_places(manifest, places).rendered_without(session.stubs))
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

/// The output of a chart with its places, and with what its templates say.
fn with_chart(printed: Manifest, upgrade: Upgrade, reader: Reader<'_>) -> Result<Manifest, NotRendered> {
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

/// What a tool has printed: a stream of documents in UTF-8.
fn manifest(origin: Origin, bytes: Vec<u8>) -> Result<Manifest, NotRendered> {
    let text = decode(bytes, Utf16::Refuse).map_err(|failure| NotRendered::Undecodable {
        place: Place::new(origin.clone(), failure.at),
        why: failure.why,
    })?;
    Ok(Manifest::new(origin, text, ReadAs::Stream))
}
