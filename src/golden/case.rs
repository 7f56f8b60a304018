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
use super::line::{self, Lines, Word};
use super::root::Root;
use crate::source;
use crate::text::LineColumn;

/// The file with what is printed, unless it is a YAML stream.
const STANDARD_OUTPUT: &str = "stdout.txt";

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
    /// Where each argument is in the file `case`; empty when it has none.
    pub(super) arguments_at: Vec<LineColumn>,
    /// The line of each variable in it.
    pub(super) variables_at: Vec<usize>,
    /// Where the case says that it is wrong on purpose.
    pub(super) on_purpose: Option<LineColumn>,
    /// The file that is standard input; otherwise it is empty.
    pub input: Option<PathBuf>,
    /// The file with what is printed. Its extension is the user's choice.
    pub stdout: PathBuf,
}

/// A folder that is a case, or should be one.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) dir: PathBuf,
    pub(super) name: String,
    /// The case, or the mistake in its files.
    pub(super) case: Result<Case, Error>,
}

/// The cases in `dir` whose name contains `filter`, sorted by name, or all that is wrong with them. Symlinks are not followed.
pub fn find(dir: &Path, filter: &str) -> Result<Vec<Case>, Vec<Error>> {
    let found = root(dir).and_then(|root| find_all(dir, filter, &root)).map_err(|error| vec![error])?;
    let (cases, errors): (Vec<_>, Vec<_>) = found.into_iter().map(|found| found.case).partition(Result::is_ok);
    let errors: Vec<Error> = errors.into_iter().filter_map(Result::err).collect();
    if errors.is_empty() { Ok(cases.into_iter().filter_map(Result::ok).collect()) } else { Err(errors) }
}

/// What the links and arguments of the cases in `dir` may not leave.
pub(super) fn root(dir: &Path) -> Result<Root, Error> {
    match fs::metadata(dir) {
        Ok(metadata) if !metadata.is_dir() => Err(Error::NotADirectory(dir.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::NoSuchDirectory(dir.to_owned())),
        _ => Root::of(dir).map_err(|error| Error::Unreadable(dir.to_owned(), error)),
    }
}

/// The same, each with its own mistake. An error when there is none, or when the folders cannot be searched.
pub(super) fn find_all(dir: &Path, filter: &str, root: &Root) -> Result<Vec<Found>, Error> {
    let folders = folders(dir)?;
    if folders.is_empty() {
        return Err(Error::NoCase(dir.to_owned()));
    }
    let named = folders.into_iter().filter(|folder| folder.name.contains(filter));
    let read = |Folder { dir, name, orphan }: Folder| {
        let case = match orphan {
            Some(output) => Err(Error::OutputWithoutCase(output)),
            None => Case::read(dir.clone(), name.clone(), root),
        };
        Found { dir, name, case }
    };
    let found: Vec<Found> = named.map(read).collect();
    if found.is_empty() {
        return Err(Error::NoCaseNamed { dir: dir.to_owned(), filter: filter.to_owned() });
    }
    Ok(found)
}

/// A folder that is a case, or should be one.
struct Folder {
    dir: PathBuf,
    name: String,
    /// An expected output in a folder that is no case.
    orphan: Option<PathBuf>,
}

/// The folders of all cases, sorted by their names.
fn folders(dir: &Path) -> Result<Vec<Folder>, Error> {
    let mut found: Vec<Folder> = Vec::new();
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
            let parent = path.parent().unwrap_or(dir);
            let orphan = Some(without_dot(path).to_owned());
            found.push(Folder { dir: without_dot(parent).to_owned(), name: name(parent, dir), orphan });
        } else if is_case(path) {
            found.push(Folder { dir: without_dot(path).to_owned(), name: name(path, dir), orphan: None });
            walk.skip_current_dir();
        }
    }
    Ok(found)
}

/// The path of a case below `dir`. When `dir` is the case itself, its own name.
fn name(case: &Path, dir: &Path) -> String {
    let below = case.strip_prefix(dir).unwrap_or(case);
    let name = if below.as_os_str().is_empty() { dir.file_name().unwrap_or(OsStr::new(".")).as_ref() } else { below };
    name.display().to_string()
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
    fn read(dir: PathBuf, name: String, root: &Root) -> Result<Self, Error> {
        let path = dir.join("case");
        let wrong = |(at, why)| Error::InCaseFile { path: path.clone(), at, why };
        let lines = file(&path)?.map_or(Ok(Lines::default()), |text| line::read(&text)).map_err(wrong)?;
        let input = match &lines.input {
            Some(Word { text, at }) => Some(input(&dir, text, root).map_err(|why| wrong((*at, why)))?),
            None => None,
        };
        let case = Self { input, ..Self::new(dir, name, lines) };
        let case = Self { stdout: standard_output(&case.dir, &case.arguments)?, ..case };
        case.check_files(root)?;
        let working_dir = case.working_dir();
        let working_dir = fs::canonicalize(&working_dir).map_err(|error| Error::Unreadable(working_dir, error))?;
        for (at, argument) in case.arguments_at.iter().zip(&case.arguments) {
            confine::check(argument, &working_dir, &root.path).map_err(|why| wrong((*at, why)))?;
        }
        Ok(case)
    }

    /// What the lines say, without a look at other files.
    pub(super) fn new(dir: PathBuf, name: String, lines: Lines) -> Self {
        let (mut arguments, arguments_at): (Vec<String>, Vec<LineColumn>) =
            lines.arguments.into_iter().map(|word| (word.text, word.at)).unzip();
        if arguments.is_empty() {
            arguments.push("generate".to_owned());
            arguments.extend(lines.input.is_some().then(|| "-".to_owned()));
        }
        let variables_at = lines.environment.iter().map(|variable| variable.line).collect();
        let environment = lines.environment.into_iter().map(|variable| (variable.name, variable.value)).collect();
        let stdout = dir.join(STANDARD_OUTPUT);
        let on_purpose = lines.on_purpose;
        Self { dir, name, environment, arguments, arguments_at, variables_at, on_purpose, input: None, stdout }
    }

    /// An error when a file of the case is something else, or leads out of the repository.
    fn check_files(&self, root: &Root) -> Result<(), Error> {
        for path in [self.stdout.clone(), self.dir.join("stderr.txt"), self.dir.join("status")] {
            is_file(&path)?;
        }
        let source = self.dir.join("in");
        if source.is_dir() {
            is_inside(&source, root)
        } else if fs::symlink_metadata(&source).is_ok() {
            Err(Error::NoManifests(source))
        } else if self.input.is_none() {
            all_manifests_are_read(&self.dir, &self.stdout)
        } else {
            Ok(())
        }
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
        let at = self.arguments_at.first().copied().unwrap_or(LineColumn { line: 1, column: 1 });
        Some(Error::InCaseFile { path: self.dir.join("case"), at, why })
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
fn input(dir: &Path, name: &str, root: &Root) -> Result<PathBuf, LineError> {
    let path = dir.join(name);
    match fs::canonicalize(&path) {
        Ok(target) if !source::is_in_repository(&target, &root.path) => {
            Err(LineError::InputElsewhere(name.to_owned(), root.clone()))
        }
        Ok(target) if target.is_file() => Ok(path),
        _ => Err(LineError::NoSuchInput(name.to_owned())),
    }
}

fn is_inside(path: &Path, root: &Root) -> Result<(), Error> {
    let target = fs::canonicalize(path).map_err(|error| Error::Unreadable(path.to_owned(), error))?;
    if source::is_in_repository(&target, &root.path) {
        return Ok(());
    }
    Err(Error::LeavesRepository(path.to_owned(), root.clone()))
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
            Ok(dir.join(if is_yaml { "stdout.yaml" } else { STANDARD_OUTPUT }))
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
