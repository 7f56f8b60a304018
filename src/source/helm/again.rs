//! A second rendering of a chart in which functions are in reach that give another value each time.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use super::super::fickle::{is_fickle, with_later_clock};
use super::super::tool::{RenderError, Session, Walk};
use super::reading::{Found, Templates};
use crate::manifest::Manifest;
use crate::process::Deadline;
use crate::settings::HelmSettings;
use crate::source::places::{Reader, pieces};
use crate::text::{Origin, Span};

/// The most bytes of a file that are read; of a packed chart, when it is unpacked.
const MOST: u64 = 16 << 20;

/// Whether a function of the chart, of its sub-charts or of its values can give another value each time. What cannot be read may have one.
pub(super) fn is_in_reach(
    session: &Session<'_>,
    settings: &HelmSettings,
    values: &[PathBuf],
) -> Result<bool, RenderError> {
    // Texts of it are escaped, which makes no difference.
    if is_fickle(&format!("{settings:?}")) || values.iter().any(|file| may_be_fickle(file)) {
        return Ok(true);
    }
    let mut is_found = false;
    Walk::new(&session.tree.root, session.deadline()).visit(&session.tree.dir, |entry| {
        let is_link_to_folder = entry.path_is_symlink() && entry.path().is_dir();
        is_found = is_found || is_link_to_folder || entry.path().is_file() && may_be_fickle(entry.path());
        Ok(())
    })?;
    Ok(is_found)
}

fn may_be_fickle(path: &Path) -> bool {
    read(path).is_none_or(|bytes| is_fickle(&String::from_utf8_lossy(&bytes)))
}

/// The bytes of a file; of an archive those of all its files.
fn read(path: &Path) -> Option<Vec<u8>> {
    let file = fs::File::open(path).ok()?;
    let is_packed = path.extension().is_some_and(|extension| extension == "tgz");
    let reader: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    reader.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST).then_some(bytes)
}

/// The templates that read the clock, by their paths in the chart, with texts that read one that is ahead. A packed chart keeps its clock.
pub(super) fn clocks(session: &Session<'_>) -> Result<Vec<(PathBuf, String)>, RenderError> {
    let mut found = Vec::new();
    let dir = &session.tree.dir;
    Walk::new(&session.tree.root, session.deadline()).visit(dir, |entry| {
        let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        if entry.file_type().is_file() && below.iter().any(|part| part == "templates") {
            let text = read(entry.path()).and_then(|bytes| with_later_clock(std::str::from_utf8(&bytes).ok()?));
            found.extend(text.map(|text| (below.to_owned(), text)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Writes these texts into a copy of the chart that only this session has. Returns whether that is done.
pub(super) fn put_ahead(session: &mut Session<'_>, clocks: &[(PathBuf, String)]) -> Result<bool, RenderError> {
    if clocks.is_empty() {
        return Ok(false);
    }
    let dir = session.tree.dir.clone();
    session.make_writable(Some(vec![dir]), &|_| Some(Vec::new()))?;
    if !session.is_in_private_copy() {
        return Ok(false);
    }
    let write = |(path, text): &(PathBuf, String)| fs::write(session.tree.dir.join(path), text);
    clocks.iter().try_for_each(write).map_err(RenderError::PrivateDirectory)?;
    Ok(true)
}

/// The manifest with a warning for each template of a Job that may give another value each time, as far as reading tells. A packed chart is not read.
pub(in crate::source) fn with_warnings(manifest: Manifest, reader: Reader<'_>) -> Manifest {
    let (root, dir) = (reader.root().to_owned(), reader.dir().to_owned());
    if !manifest.text.contains("kind: Job") {
        return manifest;
    }
    let shown = |path: &Path| reader.shown(path).to_string_lossy().into_owned();
    let mut templates = Templates::default();
    // What cannot be read is no reason to print nothing.
    let deadline = Deadline::after(READING);
    let _ = Walk::new(&root, deadline).visit(&dir, |entry| {
        if entry.file_type().is_file() && entry.path().iter().any(|part| part == "templates") {
            let text = read(entry.path()).and_then(|bytes| String::from_utf8(bytes).ok());
            text.iter().for_each(|text| templates.add(&shown(entry.path()), text));
        }
        Ok(())
    });
    if !templates.are_fickle() {
        return manifest;
    }
    let (pieces, text) = (pieces(&manifest.text), manifest.text.clone());
    let placed = manifest.clone().rendered_from(Arc::new(super::places(&text, reader)));
    let job = |piece: Span| Some(piece.start + piece.of(&text).find("\nkind: Job\n")? + 1);
    let files = pieces.into_iter().filter_map(job).map(|at| placed.place(at).origin);
    let file = |origin| if let Origin::File(path) = origin { Some(path.to_string_lossy().into_owned()) } else { None };
    let files: BTreeSet<String> = files.filter_map(file).collect();
    let warnings = files.iter().filter_map(|file| Some(warning(file, templates.fickle_in(file)?))).collect();
    manifest.with_warnings(warnings)
}

/// How long templates are read for warnings.
const READING: Duration = Duration::from_secs(5);

fn warning(file: &str, found: &Found) -> String {
    let Found { file: other, at, function } = found;
    format!(
        "{file}: warning: the Job may differ at every rendering, because of `{function}` ({other}:{at})\n\
         help: `argocd-jobs check` tells whether it does; see `argocd-jobs explain random-value`"
    )
}
