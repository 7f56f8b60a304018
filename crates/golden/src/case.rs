//! A golden case: how its folder is found, and what its files contain.
//!
//! A case is a folder with a file `case` or a folder `in`. Everything below it belongs to it, even a folder that
//! looks like a case.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use system::{PathText, canonical};
use text::{LineColumn, Message};
use walkdir::WalkDir;

use super::error::Error;
use super::line::{self, Lines, Word};
use super::root::Root;
use super::{confine, shown};

/// The file with the expected standard output, unless that is a YAML stream.
const STANDARD_OUTPUT: &str = "stdout.txt";

/// One case, read from its folder.
#[derive(Debug)]
pub struct Case {
    /// The folder of the case.
    pub dir: PathBuf,
    /// The path of the folder below the directory of all cases.
    pub name: String,
    /// The environment variables of the program, except `PATH`.
    pub environment: Vec<(String, String)>,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// The place of each argument in the file `case`; empty when the file has no arguments.
    pub(super) arguments_at: Vec<LineColumn>,
    /// The line of each variable in the file `case`.
    pub(super) variables_at: Vec<usize>,
    /// The place of the `!` that marks the arguments or variables as wrong on purpose.
    pub(super) on_purpose: Option<LineColumn>,
    /// The file that becomes standard input; `None` for an empty standard input.
    pub input: Option<PathBuf>,
    /// The file with the expected standard output. The user chooses its extension.
    pub stdout: PathBuf,
}

/// A folder that is a case, or looks like a broken one.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) dir: PathBuf,
    /// The case, or the error in its files.
    pub(super) case: Result<Case, Error>,
}

/// The cases in `dir` whose name contains `filter`, sorted by name; or all errors in their files. Symlinks are not
/// followed.
pub fn find(dir: &Path, filter: &str) -> Result<Vec<Case>, Vec<Error>> {
    let found = root(dir).and_then(|root| find_all(dir, filter, &root)).map_err(|error| vec![error])?;
    let (cases, errors): (Vec<_>, Vec<_>) = found.into_iter().map(|found| found.case).partition(Result::is_ok);
    let errors: Vec<Error> = errors.into_iter().filter_map(Result::err).collect();
    if errors.is_empty() { Ok(cases.into_iter().filter_map(Result::ok).collect()) } else { Err(errors) }
}

/// The repository that contains the cases in `dir`: their links and arguments must not lead out of it.
pub(super) fn root(dir: &Path) -> Result<Root, Error> {
    match fs::metadata(dir) {
        Ok(metadata) if !metadata.is_dir() => {
            Err(Error::about(dir, Message::new("not a directory").help("pass the directory with the cases")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Error::about(dir, Message::new("no such directory").help("pass the directory with the cases")))
        }
        _ => Root::of(dir).map_err(|error| Error::unreadable(dir, &error)),
    }
}

/// Like `find`, but each case has its own result. Fails when there are no cases, or when the folders cannot be
/// searched.
pub(super) fn find_all(dir: &Path, filter: &str, root: &Root) -> Result<Vec<Found>, Error> {
    let (mut found, mut has_cases) = (Vec::new(), false);
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(dir).sort_by_file_name().into_iter();
    let mut walk = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()));
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(dir).to_owned();
            Error::unreadable(&path, &error.into())
        })?;
        let path = entry.path();
        let is_orphan = is_standard_output(path) && entry.file_type().is_file();
        if !is_orphan && !is_case(path) {
            continue;
        }
        if !is_orphan {
            walk.skip_current_dir();
        }
        has_cases = true;
        let folder = if is_orphan { path.parent().unwrap_or(dir) } else { path };
        let (folder, name) = (without_dot(folder).to_owned(), name(folder, dir));
        if name.contains(filter) {
            let case = if is_orphan { Err(orphan(path)) } else { Case::read(folder.clone(), name, root) };
            found.push(Found { dir: folder, case });
        }
    }
    match found.as_slice() {
        [] if has_cases => {
            let message = Message::new(format!("no case has `{filter}` in its name"));
            Err(Error::about(dir, message.help("the name of a case is its path below this directory")))
        }
        [] => {
            let help = format!(
                "a case is a folder with a folder `in` or a file `case` in it: put manifests into `{}`, and run with `--update` \
                 to write what is expected",
                shown(&dir.join("my-job/in"))
            );
            Err(Error::about(dir, Message::new("no case in this directory").help(help)))
        }
        _ => Ok(found),
    }
}

/// The error for an expected output in a folder that is not a case.
fn orphan(output: &Path) -> Error {
    let message = Message::new("an expected output, but no case");
    Error::about(without_dot(output), message.help("put the manifests into a folder `in` beside it, or remove it"))
}

/// The path of a case below `dir`. When `dir` is the case itself, the name of `dir`.
fn name(case: &Path, dir: &Path) -> String {
    let below = case.strip_prefix(dir).unwrap_or(case);
    let name = if below.as_os_str().is_empty() { dir.file_name().unwrap_or(OsStr::new(".")).as_ref() } else { below };
    name.shown().to_string()
}

/// A symlink `in` counts even if it leads nowhere: otherwise the case would disappear without a message.
fn is_case(dir: &Path) -> bool {
    let has_source = fs::symlink_metadata(dir.join("in")).is_ok_and(|found| found.is_dir() || found.is_symlink());
    has_source || dir.join("case").is_file()
}

fn is_standard_output(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "stdout")
}

/// The path without a leading `./`.
fn without_dot(path: &Path) -> &Path {
    path.strip_prefix(".").ok().filter(|path| path.components().next().is_some()).unwrap_or(path)
}

impl Case {
    fn read(dir: PathBuf, name: String, root: &Root) -> Result<Self, Error> {
        let wrong = |(at, why)| Error::in_case_file(&dir, at, why);
        let lines = file(&dir.join("case"))?.map_or(Ok(Lines::default()), |text| line::read(&text)).map_err(wrong)?;
        let input = match &lines.input {
            Some(Word { text, at }) => Some(input(&dir, text, root).map_err(|why| wrong((*at, why)))?),
            None => None,
        };
        let case = Self { input, ..Self::new(dir, name, lines) };
        let case = Self { stdout: standard_output(&case.dir, &case.arguments)?, ..case };
        case.check_files(root)?;
        let working_dir = case.working_dir();
        let working_dir = canonical(&working_dir).map_err(|error| Error::unreadable(&working_dir, &error))?;
        for (at, argument) in case.arguments_at.iter().zip(&case.arguments) {
            let checked = confine::check(argument, &working_dir, &root.path);
            checked.map_err(|why| Error::in_case_file(&case.dir, *at, why))?;
        }
        Ok(case)
    }

    /// Makes a case from the lines of its file, without looking at other files.
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

    /// Fails when a file of the case is not a regular file, or when a link leads out of the repository.
    fn check_files(&self, root: &Root) -> Result<(), Error> {
        for path in [self.stdout.clone(), self.dir.join("stderr.txt"), self.dir.join("status")] {
            is_file(&path)?;
        }
        let source = self.dir.join("in");
        if source.is_dir() {
            is_inside(&source, root)
        } else if fs::symlink_metadata(&source).is_ok() {
            let message = Message::new("not a directory");
            Err(Error::about(&source, message.help("`in` is the folder with the manifests of a case")))
        } else if self.input.is_none() {
            all_manifests_are_read(&self.dir, &self.stdout)
        } else {
            Ok(())
        }
    }

    /// Whether the case itself runs cases.
    pub(super) fn is_test(&self) -> bool {
        self.arguments.first().is_some_and(|command| command == "test")
    }

    /// The reason why the case must not run, if there is one: cases that run cases could recurse without end.
    pub(super) fn refusal(&self, in_a_case: bool) -> Option<Error> {
        let why = match self.is_test() {
            true if self.arguments.iter().any(|argument| argument == "--update") => {
                Message::new("`test --update` in a case").help("a case changes no files; remove `--update`")
            }
            true if in_a_case => Message::new("`test` in a case that is itself run by a case")
                .help("a case can run `test`, but the cases below it cannot"),
            _ => return None,
        };
        let at = self.arguments_at.first().copied().unwrap_or(LineColumn { line: 1, column: 1 });
        Some(Error::in_case_file(&self.dir, at, why))
    }

    /// The working directory of the program: the source directory `in`, or the folder of the case when there is no
    /// `in`.
    pub fn working_dir(&self) -> PathBuf {
        let source = self.dir.join("in");
        if source.is_dir() { source } else { self.dir.clone() }
    }
}

/// The bytes of a file of a case; `None` when it does not exist.
pub(super) fn file(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    if !is_file(path)? {
        return Ok(None);
    }
    fs::read(path).map(Some).map_err(|error| Error::unreadable(path, &error))
}

/// False when the file does not exist. A symlink is an error, because `--update` would write through it.
fn is_file(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => {
            let message = Message::new("not a regular file");
            Err(Error::about(path, message.help("a case reads and writes only regular files; replace it")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

/// The path of the file for standard input; it must be in the repository.
fn input(dir: &Path, name: &str, root: &Root) -> Result<PathBuf, Message> {
    let path = dir.join(name);
    match canonical(&path) {
        Ok(target) if !checkout::is_in_repository(&target, &root.path) => {
            let message = Message::new(format!("`{name}` is outside {root}"));
            Err(message.help("put a copy into the folder that contains `case`"))
        }
        Ok(target) if target.is_file() => Ok(path),
        _ => {
            let message = Message::new(format!("`{name}`: no such file"));
            Err(message.help("write its path relative to the folder that contains `case`"))
        }
    }
}

fn is_inside(path: &Path, root: &Root) -> Result<(), Error> {
    let target = canonical(path).map_err(|error| Error::unreadable(path, &error))?;
    if checkout::is_in_repository(&target, &root.path) {
        return Ok(());
    }
    let message = Message::new(format!("this symlink leads out of {root}"));
    let help = "point the symlink to a folder inside it, or replace the symlink with a copy of the manifests";
    Err(Error::about(path, message.help(help)))
}

/// The file with the expected standard output; when none exists, the file that `--update` writes.
fn standard_output(dir: &Path, arguments: &[String]) -> Result<PathBuf, Error> {
    let mut found = files(dir)?.into_iter().filter(|path| is_standard_output(path));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => {
            let other = Path::new(other.file_name().unwrap_or_default()).shown().to_string();
            let message = Message::new(format!("`{other}` in this folder is an expected output too"));
            Err(Error::about(&one, message.help("remove one of the two files")))
        }
        (None, _) => {
            let is_yaml = arguments.first().is_some_and(|command| command == "generate");
            Ok(dir.join(if is_yaml { "stdout.yaml" } else { STANDARD_OUTPUT }))
        }
    }
}

/// Fails for a manifest outside of the folder `in`: a user easily forgets `in`, and the expected output would then be
/// read as a manifest.
fn all_manifests_are_read(dir: &Path, stdout: &Path) -> Result<(), Error> {
    let is_manifest =
        |path: &Path| path.extension().is_some_and(|found| ["yaml", "yml", "json"].iter().any(|known| found == *known));
    match files(dir)?.into_iter().find(|path| path != stdout && is_manifest(path)) {
        Some(path) => {
            let message = Message::new("this manifest is beside `case`, where it is not read");
            let name = shown(path.file_name().unwrap_or_default().as_ref());
            let help = format!("put it into a folder `in`, or make it standard input with a line `< {name}`");
            Err(Error::about(&path, message.help(help)))
        }
        None => Ok(()),
    }
}

/// The entries of a folder, sorted.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let list = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut files = list().map_err(|error| Error::unreadable(dir, &error))?;
    files.sort();
    Ok(files)
}
