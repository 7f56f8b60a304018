//! One case: a folder, how it is found and what its files say.
//!
//! A case is a folder with a file `case` or a folder `in`. What is below it belongs to it, also when it looks like a case.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::confine;
use super::error::{Error, LineError};
use super::line::{self, Lines};
use crate::source;

/// One case, read from its folder.
#[derive(Debug)]
pub struct Case {
    /// The folder.
    pub dir: PathBuf,
    /// Its path below the directory of all cases.
    pub name: String,
    /// The environment of the program, except `PATH`.
    pub environment: Vec<(String, String)>,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The line of `case` in which the arguments begin.
    pub(super) arguments_at: usize,
    /// The file that is standard input; otherwise it is empty.
    pub input: Option<PathBuf>,
    /// The file with what is printed. Its extension is the user's choice.
    pub stdout: PathBuf,
}

/// The cases in `dir` whose name contains `filter`, sorted by name, or all that is wrong with them. Symlinks are not followed.
pub fn find(dir: &Path, filter: &str) -> Result<Vec<Case>, Vec<Error>> {
    let one = |error| vec![error];
    let root = root(dir).map_err(one)?;
    let folders = folders(dir).map_err(one)?;
    if folders.is_empty() {
        return Err(one(Error::NoCase(dir.to_owned())));
    }
    let mut cases = Vec::new();
    let mut errors = Vec::new();
    for (name, folder) in folders.into_iter().filter(|(name, _)| name.contains(filter)) {
        match Case::read(folder, name, &root) {
            Ok(case) => cases.push(case),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if cases.is_empty() {
        return Err(one(Error::NoCaseNamed { dir: dir.to_owned(), filter: filter.to_owned() }));
    }
    Ok(cases)
}

/// What links and arguments may not leave.
pub(super) fn root(dir: &Path) -> Result<PathBuf, Error> {
    match fs::metadata(dir) {
        Ok(metadata) if !metadata.is_dir() => return Err(Error::NotADirectory(dir.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::NoSuchDirectory(dir.to_owned())),
        _ => {}
    }
    source::repository_root(dir).map_err(|error| Error::Unreadable(dir.to_owned(), error))
}

/// The folders of all cases with their names, sorted.
fn folders(dir: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let mut found = Vec::new();
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(dir).sort_by_file_name().into_iter();
    let mut walk = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()));
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(dir).to_owned();
            Error::Unreadable(path, error.into())
        })?;
        let path = entry.path();
        if is_standard_output(path) && entry.file_type().is_file() {
            return Err(Error::OutputWithoutCase(without_dot(path).to_owned()));
        }
        if is_case(path) {
            let below = path.strip_prefix(dir).unwrap_or(path);
            let name = if entry.depth() == 0 { dir.file_name().unwrap_or_default().as_ref() } else { below };
            found.push((name.display().to_string(), without_dot(path).to_owned()));
            walk.skip_current_dir();
        }
    }
    Ok(found)
}

/// A link counts even if it leads nowhere: a case must not vanish unseen.
fn is_case(dir: &Path) -> bool {
    let has_source = fs::symlink_metadata(dir.join("in")).is_ok_and(|found| found.is_dir() || found.is_symlink());
    has_source || dir.join("case").is_file()
}

fn is_standard_output(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "stdout")
}

/// `./a` as `a`.
fn without_dot(path: &Path) -> &Path {
    path.strip_prefix(".").ok().filter(|path| path.components().next().is_some()).unwrap_or(path)
}

impl Case {
    fn read(dir: PathBuf, name: String, root: &Path) -> Result<Self, Error> {
        let path = dir.join("case");
        let wrong = |(line, why)| Error::InCaseFile { path: path.clone(), line, why };
        let lines = file(&path)?.map_or(Ok(Lines::default()), |text| line::read(&text)).map_err(wrong)?;
        let input = match lines.input {
            Some((line, name)) => Some(input(&dir, &name, root).map_err(|why| wrong((line, why)))?),
            None => None,
        };
        let arguments_at = lines.arguments.first().map_or(0, |(line, _)| *line);
        let (at, mut arguments): (Vec<usize>, Vec<String>) = lines.arguments.into_iter().unzip();
        if arguments.is_empty() {
            arguments.push("generate".to_owned());
            arguments.extend(input.is_some().then(|| "-".to_owned()));
        }
        let stdout = standard_output(&dir, &arguments)?;
        for path in [stdout.clone(), dir.join("stderr.txt"), dir.join("status")] {
            is_file(&path)?;
        }
        let source = dir.join("in");
        if source.is_dir() {
            is_inside(&source, root)?;
        } else if fs::symlink_metadata(&source).is_ok() {
            return Err(Error::NoManifests(source));
        } else if input.is_none() {
            all_manifests_are_read(&dir, &stdout)?;
        }
        let case = Self { dir, name, environment: lines.environment, arguments, arguments_at, input, stdout };
        let working_dir = case.working_dir();
        let working_dir = fs::canonicalize(&working_dir).map_err(|error| Error::Unreadable(working_dir, error))?;
        for (line, argument) in at.into_iter().zip(&case.arguments) {
            confine::check(argument, &working_dir, root).map_err(|why| wrong((line, why)))?;
        }
        Ok(case)
    }

    /// True when the case runs cases itself.
    pub(super) fn is_test(&self) -> bool {
        self.arguments.first().is_some_and(|command| command == "test")
    }

    /// Why the case must not be run, if it must not: cases that run cases could go on without end.
    pub(super) fn refusal(&self, in_a_case: bool) -> Option<Error> {
        let why = match self.is_test() {
            true if self.arguments.iter().any(|argument| argument == "--update") => LineError::UpdateInTest,
            true if in_a_case => LineError::TestInTest,
            _ => return None,
        };
        Some(Error::InCaseFile { path: self.dir.join("case"), line: self.arguments_at, why })
    }

    /// Where the program runs: in the Application's source directory, or, when the case has none, in its own folder.
    pub fn working_dir(&self) -> PathBuf {
        let source = self.dir.join("in");
        if source.is_dir() { source } else { self.dir.clone() }
    }
}

/// A file of a case; nothing when there is none.
pub(super) fn file(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    if !is_file(path)? {
        return Ok(None);
    }
    fs::read(path).map(Some).map_err(|error| Error::Unreadable(path.to_owned(), error))
}

/// False when there is nothing. A link would let `--update` write somewhere else.
fn is_file(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(Error::NotAFile(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::Unreadable(path.to_owned(), error)),
    }
}

/// The file of standard input.
fn input(dir: &Path, name: &str, root: &Path) -> Result<PathBuf, LineError> {
    let path = dir.join(name);
    match fs::canonicalize(&path) {
        Ok(target) if !source::is_in_repository(&target, root) => Err(LineError::InputElsewhere(name.to_owned())),
        Ok(target) if target.is_file() => Ok(path),
        _ => Err(LineError::NoSuchInput(name.to_owned())),
    }
}

fn is_inside(path: &Path, root: &Path) -> Result<(), Error> {
    let target = fs::canonicalize(path).map_err(|error| Error::Unreadable(path.to_owned(), error))?;
    if source::is_in_repository(&target, root) { Ok(()) } else { Err(Error::LeavesRepository(path.to_owned())) }
}

/// The file that is there, or the one that `--update` is to write.
fn standard_output(dir: &Path, arguments: &[String]) -> Result<PathBuf, Error> {
    let mut found = files(dir)?.into_iter().filter(|path| is_standard_output(path));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => {
            Err(Error::TwoOutputs(one, other.file_name().unwrap_or_default().display().to_string()))
        }
        (None, _) => {
            let is_yaml = arguments.first().is_some_and(|command| command == "generate");
            Ok(dir.join(if is_yaml { "stdout.yaml" } else { "stdout.txt" }))
        }
    }
}

/// Without `in` it is easily forgotten, and then the expected output would be read as a manifest.
fn all_manifests_are_read(dir: &Path, stdout: &Path) -> Result<(), Error> {
    let is_manifest =
        |path: &Path| path.extension().is_some_and(|found| ["yaml", "yml", "json"].iter().any(|known| found == *known));
    match files(dir)?.into_iter().find(|path| path != stdout && is_manifest(path)) {
        Some(path) => Err(Error::ManifestOutsideIn(path)),
        None => Ok(()),
    }
}

/// What is in a folder, sorted.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let list = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut files = list().map_err(|error| Error::Unreadable(dir.to_owned(), error))?;
    files.sort();
    Ok(files)
}
