//! Checks what the `values.schema.json` of a chart and of its sub-charts refers to.
//!
//! helm validates the values whenever it renders, and loads what a schema refers to: local files and network
//! addresses. References are not relative to the path of the schema: helm 3.18.4 refuses `other.json`, and helm 4.2.1
//! reads it as `/other.json`. So no schema can need anything outside of itself, and every reference that leads out is
//! refused before helm starts.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use checkout::files;
use confined::Deadline;
use flate2::read::MultiGzDecoder;
use system::PathText;
use text::Message;

use crate::helm::archive::Names;
use crate::helm::references::{Outside, outside};
use crate::tool::RenderError;

const SCHEMA: &str = "values.schema.json";
const CHARTS: &str = "charts";

/// The limits for a chart together with all its sub-charts.
const LIMITS: Limits = Limits { bytes: 256 << 20, charts: 2000, depth: 16 };

/// The maximum size of a schema, and of a package inside a package, in bytes: helm's limit (`MaxDecompressedFileSize`
/// in `pkg/chart/loader/archive.go`).
const MAX_FILE: u64 = 5 << 20;

#[derive(Clone, Copy)]
struct Limits {
    /// The maximum number of bytes of schemas and unpacked packages.
    bytes: u64,
    charts: u32,
    /// The maximum depth of sub-charts inside sub-charts.
    depth: u32,
}

/// Why helm must not get the chart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaError {
    /// The path of the schema or package, relative to the chart. Inside a package it begins with the path of the
    /// package.
    path: PathBuf,
    fault: Fault,
}

#[derive(Debug, PartialEq, Eq)]
enum Fault {
    Refers(Outside),
    /// The file is not JSON, or not a package.
    NotUnderstood(String),
    /// The file exists, but cannot be read.
    Unreadable(String),
    TooMuch,
    /// The deadline of the rendering has passed.
    TooLong,
}

/// Checks the schemas of the chart in the directory `chart`, and of its sub-charts: directories and packages in
/// `charts/`, as helm finds them (`LoadDir`, `LoadFiles` and `LoadArchiveFiles` in `pkg/chart/loader`).
pub(crate) fn check(chart: &Path, deadline: Deadline) -> Result<(), SchemaError> {
    let mut search = Search { left: LIMITS, chart: chart.to_owned(), deadline };
    search.directory(Path::new(""))
}

struct Search {
    left: Limits,
    chart: PathBuf,
    deadline: Deadline,
}

impl Search {
    fn directory(&mut self, below: &Path) -> Result<(), SchemaError> {
        self.enter(below)?;
        let schema = below.join(SCHEMA);
        if let Some(file) = self.there(&schema, files::open)? {
            self.schema(&schema, file)?;
        }
        let charts = below.join(CHARTS);
        let names =
            |path: &Path| fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let mut names = self.there(&charts, names)?.unwrap_or_default();
        names.sort();
        for name in names {
            let path = charts.join(&name);
            let name = name.to_string_lossy();
            if is_left_out(&name) {
                continue;
            }
            match self.there(&path, |path| fs::metadata(path))? {
                Some(found) if found.is_dir() => self.directory(&path)?,
                Some(_) if is_package(&name) => {
                    if let Some(file) = self.there(&path, files::open)? {
                        self.package(&path, file)?;
                    }
                }
                _ => {}
            }
        }
        self.leave()
    }

    /// Reads a path in the chart with `read`; `None` if the path does not exist. A file that cannot be read is an
    /// error, because helm may be able to read it: Go follows more symlinks than the operating system.
    fn there<T>(&self, path: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<Option<T>, SchemaError> {
        match read(&self.chart.join(path)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(SchemaError { path: path.to_owned(), fault: Fault::Unreadable(error.to_string()) }),
        }
    }

    fn package(&mut self, path: &Path, packed: impl Read) -> Result<(), SchemaError> {
        self.enter(path)?;
        let unpacked = Counted { inner: MultiGzDecoder::new(packed), left: self.left.bytes };
        let mut archive = tar::Archive::new(unpacked);
        let wrong = |error: &io::Error| SchemaError { path: path.to_owned(), fault: fault_of(error) };
        let (mut names, mut found) = (Names::default(), Vec::new());
        for entry in archive.entries().map_err(|error| wrong(&error))?.raw(true) {
            let mut entry = entry.map_err(|error| wrong(&error))?;
            let Some(name) = names.of(&mut entry).map_err(|error| wrong(&error))? else { continue };
            let name = path_in_chart(&String::from_utf8_lossy(&name));
            let Some(part) = part(&name) else { continue };
            let mut bytes = Vec::new();
            let size = entry.by_ref().take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
            if size as u64 > MAX_FILE {
                return Err(SchemaError { path: path.join(name), fault: Fault::TooMuch });
            }
            // Schemas are checked at once and not stored, because there may be many.
            match part {
                Part::Schema => self.schema(&path.join(name), &bytes[..])?,
                Part::Package => found.push((path.join(name), bytes)),
            }
        }
        self.left.bytes = archive.into_inner().left;
        for (path, bytes) in found {
            self.package(&path, &bytes[..])?;
        }
        self.leave()
    }

    fn schema(&mut self, path: &Path, file: impl Read) -> Result<(), SchemaError> {
        let error = |fault| Err(SchemaError { path: path.to_owned(), fault });
        let mut bytes = Vec::new();
        if let Err(failure) = file.take(MAX_FILE + 1).read_to_end(&mut bytes) {
            return error(Fault::NotUnderstood(failure.to_string()));
        }
        self.left.bytes = self.left.bytes.saturating_sub(bytes.len() as u64);
        if bytes.len() as u64 > MAX_FILE || self.left.bytes == 0 {
            return error(Fault::TooMuch);
        }
        // helm treats an empty schema as no schema.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        match outside(text) {
            Err(why) => error(Fault::NotUnderstood(why.to_string())),
            Ok(Some(found)) => error(Fault::Refers(found)),
            Ok(None) => Ok(()),
        }
    }

    fn enter(&mut self, path: &Path) -> Result<(), SchemaError> {
        if self.deadline.is_over() {
            return Err(SchemaError { path: path.to_owned(), fault: Fault::TooLong });
        }
        let (Some(charts), Some(depth)) = (self.left.charts.checked_sub(1), self.left.depth.checked_sub(1)) else {
            return Err(SchemaError { path: path.to_owned(), fault: Fault::TooMuch });
        };
        self.left = Limits { charts, depth, ..self.left };
        Ok(())
    }

    /// Must be called after `enter`, when the chart has been checked.
    fn leave(&mut self) -> Result<(), SchemaError> {
        self.left.depth += 1;
        Ok(())
    }
}

/// A file that has to be checked.
enum Part {
    Schema,
    Package,
}

/// What a file in a chart is, by its path; `None` when it need not be checked.
fn part(path: &str) -> Option<Part> {
    let mut rest = path;
    while let Some(below) = rest.strip_prefix("charts/") {
        let Some((name, inner)) = below.split_once('/') else {
            return (is_package(below) && !is_left_out(below)).then_some(Part::Package);
        };
        if is_left_out(name) {
            return None;
        }
        rest = inner;
    }
    (rest == SCHEMA).then_some(Part::Schema)
}

/// The path of a file in a package relative to its chart, as helm computes it: without the folder that contains the
/// chart.
fn path_in_chart(name: &str) -> String {
    let delimiter = if name.contains('\\') { '\\' } else { '/' };
    let inner = name.split(delimiter).skip(1).collect::<Vec<_>>().join("/");
    let mut parts = Vec::new();
    for part in inner.split('/') {
        match part {
            "" | "." => {}
            // helm refuses a path that leads above the chart.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether helm ignores a sub-chart with this name.
fn is_left_out(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

fn is_package(name: &str) -> bool {
    Path::new(&format!("x{name}")).extension().is_some_and(|extension| extension == "tgz")
}

/// A stream with a maximum length.
struct Counted<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(length as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(length)
    }
}

fn fault_of(error: &io::Error) -> Fault {
    if error.kind() == io::ErrorKind::FileTooLarge { Fault::TooMuch } else { Fault::NotUnderstood(error.to_string()) }
}

impl SchemaError {
    /// Whether the schema itself is good, and refers to something outside of it.
    pub(super) fn is_about_a_reference(&self) -> bool {
        matches!(self.fault, Fault::Refers(_))
    }

    /// The message, with its `help:` line.
    pub(crate) fn message(&self) -> Message {
        const SKIP: &str = "`helm.skipSchemaValidation` skips the schema";
        let path = self.path.shown();
        match &self.fault {
            Fault::Refers(Outside::Schema(url)) => {
                Message::new(format!("`{path}` has the `$schema` `{url}`, which helm would load"))
                    .help(format!("use a `$schema` of json-schema.org; {SKIP}"))
            }
            Fault::Refers(Outside::Reference(url)) => Message::new(format!(
                "`{path}` refers to `{url}`, which helm would read from the system or the network"
            ))
            .help(format!("copy the content into the schema (`#/definitions/…`); {SKIP}")),
            Fault::TooLong => RenderError::NotReadInTime.message(&self.path),
            Fault::Unreadable(why) => Message::new(format!("`{path}` cannot be read: {why}"))
                .help(format!("put the file itself in its place; {SKIP}")),
            Fault::NotUnderstood(why) => Message::new(format!("`{path}` cannot be parsed: {why}"))
                .help(format!("package a chart with `helm package`; {SKIP}")),
            Fault::TooMuch => Message::new(format!("`{path}` is too large, or contains too many charts"))
                .help(format!("the schemas of charts are checked before helm starts; {SKIP}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use scratch::Scratch;

    const BAD: &str = r#"{"$ref": "file:///etc/passwd"}"#;

    fn never() -> Deadline {
        Deadline::after(Duration::MAX)
    }

    /// A package with these files, each with its whole path.
    fn package(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, bytes) in files {
            let mut header = tar::Header::new_gnu();
            // The crate refuses to write `..`.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            archive.append(&header, *bytes).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    /// The message for a chart that contains one file.
    fn said(path: &str, bytes: &[u8]) -> Option<String> {
        let scratch = Scratch::with(&["chart/Chart.yaml"]);
        let file = scratch.0.join("chart").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
        check(&scratch.0.join("chart"), never()).err().map(|error| error.message().to_string())
    }

    #[test]
    fn the_schemas_of_all_charts_are_looked_at() {
        for path in ["values.schema.json", "charts/a/values.schema.json", "charts/a/charts/b/values.schema.json"] {
            let said = said(path, BAD.as_bytes()).unwrap();
            assert!(said.starts_with(&format!("`{path}` refers to `file:///etc/passwd`, which")), "{said}");
            assert!(self::said(path, b"").is_none() && self::said(path, b"\xef\xbb\xbf{}").is_none());
        }
        for path in
            ["other.json", "files/values.schema.json", "charts/_a/values.schema.json", "charts/values.schema.json"]
        {
            assert_eq!(said(path, BAD.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn so_are_those_in_packages() {
        for path in [
            "web/values.schema.json",
            "./values.schema.json",
            "web/x/../values.schema.json",
            "web\\values.schema.json",
            "web/charts/sub/values.schema.json",
        ] {
            let packed = package(&[("web/Chart.yaml", b"x"), (path, BAD.as_bytes())]);
            let said = said("charts/web-1.0.0.tgz", &packed).unwrap_or_default();
            assert!(said.starts_with("`charts/web-1.0.0.tgz/") && said.contains("/etc/passwd"), "{path} {said}");
            let nested = package(&[("all/charts/web-1.0.0.tgz", &packed)]);
            assert!(self::said("charts/all.tgz", &nested).unwrap_or_default().contains("/etc/passwd"), "{path}");
            assert_eq!(self::said("charts/all.zip", &packed), None);
        }
        for path in ["values.schema.json", "web/files/values.schema.json", "web/charts/.x/values.schema.json"] {
            let packed = package(&[(path, BAD.as_bytes())]);
            assert_eq!(said("charts/web.tgz", &packed), None, "{path}");
        }
    }

    #[test]
    fn members_behind_the_first_count() {
        let mut packed = Vec::new();
        let whole = {
            let mut archive = Vec::new();
            MultiGzDecoder::new(&package(&[("web/values.schema.json", BAD.as_bytes())])[..])
                .read_to_end(&mut archive)
                .unwrap();
            archive
        };
        for part in whole.chunks(100) {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            io::Write::write_all(&mut encoder, part).unwrap();
            packed.extend(encoder.finish().unwrap());
        }
        assert!(said("charts/web.tgz", &packed).unwrap().contains("/etc/passwd"));
    }

    #[test]
    fn there_is_a_limit_to_everything() {
        let too_large = |said: Option<String>| assert!(said.unwrap().contains("is too large"));
        let scratch = Scratch::with(&["charts/web.tgz"]);
        fs::write(scratch.0.join("charts/web.tgz"), package(&[("web/zeros", &[0; 8 << 10])])).unwrap();
        let within = |bytes| {
            let left = Limits { bytes, ..LIMITS };
            let mut search = Search { left, chart: scratch.0.clone(), deadline: never() };
            search.directory(Path::new("")).err().map(|error| error.message().to_string())
        };
        too_large(within(8 << 10));
        assert_eq!(within(10 << 10), None);
        too_large(said("values.schema.json", &vec![b' '; MAX_FILE as usize + 1]));
        too_large(said(&format!("{}values.schema.json", "charts/a/".repeat(40)), b"{}"));
        let mut nested = package(&[("web/Chart.yaml", b"x")]);
        for _ in 0..20 {
            nested = package(&[("web/charts/web.tgz", &nested)]);
        }
        too_large(said("charts/web.tgz", &nested));
        let wrong = |said: Option<String>| assert!(said.unwrap().contains("cannot be parsed"));
        wrong(said("charts/web.tgz", b"no package"));
        wrong(said("values.schema.json", b"{} {}"));
    }
}
