//! A second rendering of a chart in which functions are in reach that give another value each time.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::super::fickle::{is_fickle, with_later_clock};
use super::super::tool::{RenderError, Session, Walk};
use crate::settings::HelmSettings;

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

/// Puts the clock of the chart ahead, in a copy that only this session has: two dates that are rendered on one day are equal. A packed chart keeps its
/// clock. Returns the files that were changed, with their texts.
pub(super) fn put_clock_ahead(session: &mut Session<'_>) -> Result<Vec<(PathBuf, String)>, RenderError> {
    let mut found = Vec::new();
    let dir = session.tree.dir.clone();
    Walk::new(&session.tree.root, session.deadline()).visit(&dir, |entry| {
        let path = entry.path();
        let is_template = path.strip_prefix(&dir).is_ok_and(|below| below.iter().any(|part| part == "templates"));
        if is_template && entry.file_type().is_file() {
            let text = read(path).and_then(|bytes| String::from_utf8(bytes).ok());
            found.extend(text.filter(|text| with_later_clock(text).is_some()).map(|text| (path.to_owned(), text)));
        }
        Ok(())
    })?;
    if found.is_empty() {
        return Ok(found);
    }
    session.make_writable(Some(vec![dir.clone()]), &|_| Some(Vec::new()))?;
    if !session.is_in_private_copy() {
        return Ok(Vec::new());
    }
    for (path, text) in &mut found {
        *path = session.tree.dir.join(path.strip_prefix(&dir).unwrap_or(path));
        write(path, &with_later_clock(text).unwrap_or_default())?;
    }
    Ok(found)
}

/// Writes the texts of files as they were.
pub(super) fn put_back(files: &[(PathBuf, String)]) -> Result<(), RenderError> {
    files.iter().try_for_each(|(path, text)| write(path, text))
}

fn write(path: &Path, text: &str) -> Result<(), RenderError> {
    fs::write(path, text).map_err(RenderError::PrivateDirectory)
}
