//! Renders a source again when its charts call functions that return a different value each time.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::fickle::{is_fickle, with_later_clock};
use crate::tool::{RenderError, Session, Walk};

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

/// What a text asks for that another rendering can answer differently.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asks {
    /// It calls a function that returns a different value each time.
    pub(super) is_fickle: bool,
    /// It asks whether the release is installed or upgraded.
    pub(super) is_upgrade: bool,
}

impl Asks {
    /// Everything: for a file that cannot be read.
    const ALL: Self = Self { is_fickle: true, is_upgrade: true };

    /// What a text asks for.
    pub(super) fn of(text: &str) -> Self {
        Self {
            is_fickle: is_fickle(text),
            is_upgrade: ["IsUpgrade", "IsInstall"].iter().any(|word| text.contains(word)),
        }
    }

    /// What a file asks for.
    pub(super) fn of_file(path: &Path) -> Self {
        read(path).map_or(Self::ALL, |bytes| Self::of(&String::from_utf8_lossy(&bytes)))
    }

    /// What the files of a folder ask for.
    pub(super) fn of_folder(session: &Session<'_>, top: &Path) -> Result<Self, RenderError> {
        let mut all = Self::default();
        Walk::new(&session.tree.root, session.deadline()).visit(top, |entry| {
            let path = entry.path();
            match entry.path_is_symlink() && path.is_dir() {
                true => all = Self::ALL,
                false if !(all.is_fickle && all.is_upgrade) && path.is_file() => all = all.or(Self::of_file(path)),
                false => {}
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// What one of the two asks for.
    pub(super) fn or(self, other: Self) -> Self {
        Self { is_fickle: self.is_fickle || other.is_fickle, is_upgrade: self.is_upgrade || other.is_upgrade }
    }
}

/// The bytes of a file; of a packaged chart, the unpacked bytes of all its files. `None` if it cannot be read or is
/// too large.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let file = fs::File::open(path).ok()?;
    let reader: Box<dyn Read> = if is_packed(path) { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    reader.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST).then_some(bytes)
}

/// Whether a file is a packaged chart.
fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tgz")
}

/// The templates that read the clock, and the packaged charts with such templates, changed so that the clock is ahead,
/// by their paths relative to the root of the repository.
fn clocks(session: &Session<'_>, top: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, RenderError> {
    let mut found = Vec::new();
    let root = &session.tree.root;
    Walk::new(root, session.deadline()).visit(top, |entry| {
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if entry.file_type().is_file() {
            let ahead = if is_packed(below) { repacked(entry.path()) } else { ahead(below, || read(entry.path())) };
            found.extend(ahead.map(|bytes| (below.to_owned(), bytes)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// The file with a clock that is ahead; `None` if it is not a template that reads the clock.
fn ahead(path: &Path, read: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let bytes = path.iter().any(|part| part == "templates").then(read)??;
    with_later_clock(std::str::from_utf8(&bytes).ok()?).map(String::into_bytes)
}

/// The packaged chart with a clock that is ahead; `None` if no template in it reads the clock, or if it cannot be read. Charts that are packaged
/// inside it are left as they are.
fn repacked(path: &Path) -> Option<Vec<u8>> {
    let unpacked = read(path)?;
    let mut packed = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut is_changed = false;
    for entry in tar::Archive::new(unpacked.as_slice()).entries().ok()? {
        let mut entry = entry.ok()?;
        let (name, mut header) = (entry.path().ok()?.into_owned(), entry.header().clone());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).ok()?;
        if let Some(ahead) = ahead(&name, || Some(bytes.clone())) {
            (bytes, is_changed) = (ahead, true);
        }
        header.set_size(bytes.len() as u64);
        packed.append_data(&mut header, &name, bytes.as_slice()).ok()?;
    }
    packed.into_inner().ok()?.finish().ok().filter(|_| is_changed)
}

/// Writes these files into the session's own copy of the folder. Returns false when there are none, or no copy.
fn put_ahead(session: &mut Session<'_>, top: &Path, clocks: &[(PathBuf, Vec<u8>)]) -> Result<bool, RenderError> {
    if clocks.is_empty() {
        return Ok(false);
    }
    session.make_writable(Some(vec![top.to_owned()]), &|_| Some(Vec::new()))?;
    if !session.tree.is_private() {
        return Ok(false);
    }
    let write = |(path, bytes): &(PathBuf, Vec<u8>)| fs::write(session.tree.root.join(path), bytes);
    clocks.iter().try_for_each(write).map_err(RenderError::PrivateDirectory)?;
    Ok(true)
}
