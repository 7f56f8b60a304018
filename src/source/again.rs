//! Renders a source again when its charts call functions that return a different value each time.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use super::fickle::{is_fickle, with_later_clock};
use super::tool::{RenderError, Session, Walk};

/// The maximum number of bytes read of a file; for a packaged chart, after unpacking.
const MOST: u64 = 16 << 20;

/// The time after which a clock with seconds shows another value.
const A_SECOND: Duration = Duration::from_millis(1_050);

/// The output of further renderings.
pub(super) struct Again {
    /// The output a second after the first rendering.
    pub(super) now: Vec<u8>,
    /// The output with a clock on another day, if a template reads the clock.
    pub(super) later: Option<Vec<u8>>,
}

impl Again {
    /// Renders the source again. `top` is the folder that contains the charts.
    pub(super) fn of(
        session: &mut Session<'_>,
        top: &Path,
        render: &dyn Fn(&mut Session<'_>) -> Result<Vec<u8>, RenderError>,
    ) -> Result<Self, RenderError> {
        let clocks = clocks(session, top)?;
        if !clocks.is_empty() {
            std::thread::sleep(A_SECOND);
        }
        let now = render(session)?;
        // The chart may refuse the changed time, so an error only means that there is no later output.
        let later = if put_ahead(session, top, &clocks)? { render(session).ok() } else { None };
        Ok(Self { now, later })
    }
}

/// Whether the files of a folder call a function that returns a different value each time. True if a file cannot be read.
pub(super) fn is_in_reach(session: &Session<'_>, top: &Path) -> Result<bool, RenderError> {
    let mut is_found = false;
    Walk::new(&session.tree.root, session.deadline()).visit(top, |entry| {
        let is_link_to_folder = entry.path_is_symlink() && entry.path().is_dir();
        is_found = is_found || is_link_to_folder || entry.path().is_file() && may_be_fickle(entry.path());
        Ok(())
    })?;
    Ok(is_found)
}

/// Whether a file calls a function that returns a different value each time. True if it cannot be read.
pub(super) fn may_be_fickle(path: &Path) -> bool {
    read(path).is_none_or(|bytes| is_fickle(&String::from_utf8_lossy(&bytes)))
}

/// The bytes of a file; of a packaged chart, the unpacked bytes of all its files. `None` if it cannot be read or is
/// too large.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let file = fs::File::open(path).ok()?;
    let is_packed = path.extension().is_some_and(|extension| extension == "tgz");
    let reader: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    reader.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST).then_some(bytes)
}

/// The templates that read the clock, changed so that the clock is ahead, by their paths relative to the root of the
/// repository. Packaged charts are left out.
fn clocks(session: &Session<'_>, top: &Path) -> Result<Vec<(PathBuf, String)>, RenderError> {
    let mut found = Vec::new();
    let root = &session.tree.root;
    Walk::new(root, session.deadline()).visit(top, |entry| {
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if entry.file_type().is_file() && below.iter().any(|part| part == "templates") {
            let text = read(entry.path()).and_then(|bytes| with_later_clock(std::str::from_utf8(&bytes).ok()?));
            found.extend(text.map(|text| (below.to_owned(), text)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Writes these texts into the session's own copy of the folder. Returns false when there are none, or no copy.
fn put_ahead(session: &mut Session<'_>, top: &Path, clocks: &[(PathBuf, String)]) -> Result<bool, RenderError> {
    if clocks.is_empty() {
        return Ok(false);
    }
    session.make_writable(Some(vec![top.to_owned()]), &|_| Some(Vec::new()))?;
    if !session.is_in_private_copy() {
        return Ok(false);
    }
    let write = |(path, text): &(PathBuf, String)| fs::write(session.tree.root.join(path), text);
    clocks.iter().try_for_each(write).map_err(RenderError::PrivateDirectory)?;
    Ok(true)
}
