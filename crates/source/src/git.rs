//! Reads objects of a repository with `git`.
//!
//! The names of objects go to git's standard input, where git cannot mistake them for options. No shell is started,
//! and nothing is checked out, written or fetched: an object that is not in the clone is missing.
//! [`checkout::repository`] finds the repository, and git gets its path, but no environment variable that names another
//! repository. Before that, git has to find the repository by itself, because only then does it refuse one that belongs
//! to another user (`safe.directory`).

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use checkout::{Tools, repository};
use confined::{Command, Session};
use system::{PathText, canonical, file_name};
use text::Message;

/// The time limit for a call about a path, which git answers at once.
const LIMIT: Duration = Duration::from_secs(60);

/// Why a revision cannot be read.
#[derive(Debug)]
pub enum NoRevision {
    /// No `git` is on `PATH`, or none that may be started: see [`Tools`].
    NoGit,
    /// Starting the executable `git` failed.
    NotStarted(io::Error),
    /// The directory is not in a repository.
    NoRepository,
    /// git refuses to read the repository.
    Refused {
        /// The first line of git's message.
        words: String,
        /// The last line of git's message, when there are several: git's advice.
        advice: Option<String>,
    },
    /// git finds another repository than `.git` leads to.
    Another {
        /// The repository that git finds.
        taken: PathBuf,
        /// The path of `.git`.
        named: PathBuf,
    },
    /// The directory is in a submodule, but the user's working directory is not: a pull request can turn a directory
    /// into a submodule.
    Submodule,
    /// No commit has this name.
    Unknown(String),
    /// The clone lacks objects of the commit with this name.
    Absent(String),
    /// The revision has more entries than this limit.
    TooMany(usize),
    /// The files of the revision together have more bytes than this limit.
    TooLarge(u64),
    /// The revision contains a file with this name, which no checkout can have.
    Name(String),
    /// Writing the files took too long.
    TooLong,
    /// git has ended, or its answer has an unknown format.
    Broken(String),
}

impl NoRevision {
    /// The message, with its `help:` line.
    pub(super) fn message(&self) -> Message {
        match self {
            Self::NoGit => Message::new("no usable `git` on PATH").help(
                "install git, or compare with a directory; relative folders on PATH and folders inside the repository are not searched",
            ),
            Self::NotStarted(error) => Message::new(format!("`git` cannot be started: {error}"))
                .help("install git, or compare with a directory"),
            Self::NoRepository => Message::new("not in a Git repository").help("compare with a directory"),
            Self::Refused { words, advice } => {
                Message { help: advice.clone(), ..Message::new(format!("git refuses: {words}")) }
            }
            Self::Another { taken, named } => Message::new(format!(
                "git finds the repository `{}`, but `{}` does not lead there",
                taken.shown(),
                named.shown()
            ))
            .help("repair that `.git`, or compare with a directory"),
            Self::Submodule => Message::new("in a submodule, which has revisions of its own")
                .help("run argocd-jobs in the submodule, or compare with a directory"),
            Self::Unknown(revision) => Self::unknown(revision, "this repository"),
            Self::Absent(revision) => {
                Message::new(format!("this clone does not have all files of `{}`", revision.escape_debug())).help(PARTIAL_CLONE)
            }
            Self::TooMany(most) => Message::new(format!("the revision has more than {most} files here")),
            Self::TooLarge(most) => {
                Message::new(format!("the files of the revision are larger than {} MiB", most >> 20)).help(CHECK_OUT)
            }
            Self::Name(name) => Message::new(format!("the revision has a file with the name `{name}`"))
                .help("git cannot check it out; remove the file from the revision"),
            Self::TooLong => Message::new("the files of the revision could not be written in time").help(CHECK_OUT),
            Self::Broken(words) => {
                Message::new(format!("git failed: {words}")).help("`git fsck` may show why")
            }
        }
    }
}

impl NoRevision {
    /// The message about the compared directory, when it is about that directory.
    pub(super) fn message_about(&self, dir: &Path) -> Message {
        match self {
            Self::Unknown(revision) => Self::unknown(revision, &format!("the repository of `{}`", dir.shown())),
            _ => self.message().about(dir.shown()),
        }
    }

    /// The message that the repository does not have this commit. It is about `--base`, not about a compared
    /// directory.
    fn unknown(revision: &str, repository: &str) -> Message {
        let revision = revision.escape_debug();
        let text = format!("`--base`: `{revision}` is neither a path nor a commit in {repository}");
        Message::new(text).help(
            "fetch it first; in CI a shallow clone has only one commit: `fetch-depth: 0` (GitLab: `GIT_DEPTH: 0`) fetches all \
             commits, `git fetch --depth 1 origin NAME` fetches one more",
        )
    }
}

impl fmt::Display for NoRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// The help for a revision that is too large to be written for a single run.
const CHECK_OUT: &str =
    "check the revision out once (`git worktree add ../base REVISION`), and compare with the directory in it";

/// The help for a clone that lacks objects.
pub(super) const PARTIAL_CLONE: &str = "it is a partial clone; clone without `--filter`";

/// The repository of a working tree, and the git with which to read it.
#[derive(Debug)]
pub(super) struct Git {
    tools: Tools,
    program: PathBuf,
    top: PathBuf,
    git_dir: PathBuf,
}

impl Git {
    /// Opens the repository of the working tree with the top `top`, whose path must be free of symlinks.
    pub(super) fn of(top: &Path, tools: &Tools) -> Result<Self, NoRevision> {
        let program = tools.find("git", top).ok_or(NoRevision::NoGit)?;
        let git = Self { tools: tools.clone(), program, top: top.to_owned(), git_dir: PathBuf::new() };
        let taken = git.own_answer()?;
        match repository::git_dir(top) {
            Some(git_dir) if canonical(&taken).is_ok_and(|taken| taken == git_dir) => Ok(Self { git_dir, ..git }),
            _ => Err(NoRevision::Another { taken, named: top.join(repository::GIT) }),
        }
    }

    /// The repository that git finds by itself; fails when git refuses to read it.
    fn own_answer(&self) -> Result<PathBuf, NoRevision> {
        let mut command = self.command();
        command.args(["rev-parse", "--absolute-git-dir"]);
        let output = confined::run(command, None, LIMIT).map_err(NoRevision::NotStarted)?;
        let output = output.ok_or_else(|| NoRevision::Broken("it does not answer".to_owned()))?;
        if output.status != Some(0) {
            return Err(refusal(&String::from_utf8_lossy(&output.stderr)));
        }
        let line = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        Ok(PathBuf::from(file_name(line).into_owned()))
    }

    /// A git command at the top of the working tree. From the caller's environment it gets only the variables that
    /// locate git's configuration.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.tools.variables());
        // Keeps git from searching above the top, where another repository may be.
        if let Some(above) = self.top.parent() {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        command
            .env("GIT_NO_LAZY_FETCH", "1")
            // Before git 2.45, only this keeps git from fetching.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            // Only git 2.38 and later know this option. Older versions ignore it, and `of` notices the wrong
            // repository.
            .args(["-c", "safe.bareRepository=explicit", "-C"])
            .arg(&self.top);
        command
    }

    /// A git command in the repository.
    fn here(&self, arguments: &[&str]) -> Command {
        let mut command = self.command();
        command.arg("--git-dir").arg(&self.git_dir).args(arguments);
        command
    }

    /// What a git command in the repository prints; `None` when it fails, or the output is not UTF-8.
    fn answer(&self, arguments: &[&str]) -> Option<String> {
        let output = confined::run(self.here(arguments), None, LIMIT).ok().flatten();
        String::from_utf8(output.filter(|output| output.status == Some(0))?.stdout).ok()
    }

    /// The URL of the remote `origin` in git's configuration; `None` when there is no such remote, or it is not
    /// UTF-8.
    pub(super) fn remote_url(&self) -> Option<String> {
        let url = self.answer(&["config", "--get", "remote.origin.url"])?;
        Some(url.trim_end_matches('\n').to_owned()).filter(|url| !url.is_empty())
    }

    /// The tags that no branch has the name of.
    pub(super) fn tags(&self) -> Option<BTreeSet<String>> {
        let names = self.answer(&["for-each-ref", "--format=%(refname)", "refs/tags", "refs/heads", "refs/remotes"])?;
        let below = |prefix: &'static str| names.lines().filter_map(move |name| name.strip_prefix(prefix));
        let of_remotes = below("refs/remotes/").filter_map(|name| Some(name.split_once('/')?.1));
        let branches: BTreeSet<&str> = below("refs/heads/").chain(of_remotes).collect();
        Some(below("refs/tags/").filter(|name| !branches.contains(name)).map(ToOwned::to_owned).collect())
    }

    /// The sorted paths of the files that git tracks, with `/` as separator. Removed files are left out; files that a
    /// sparse checkout leaves out are not. `None` when a path is not UTF-8.
    pub(super) fn tracked(&self) -> Option<Vec<String>> {
        let paths = self.answer(&["ls-files", "-z", "-t"])?;
        let path = |line: &str| {
            let (tag, path) = line.split_once(' ')?;
            (tag == "S" || self.top.join(path).symlink_metadata().is_ok()).then(|| path.to_owned())
        };
        // During a merge, git lists a path several times.
        Some(paths.split_terminator('\0').filter_map(path).collect::<BTreeSet<String>>().into_iter().collect())
    }

    /// The ids of the objects of a commit that the clone lacks. Asking for one of them in a partial clone would end
    /// git; here git only lists them (`--missing=print`).
    pub(super) fn missing(&self, commit: &str) -> io::Result<BTreeSet<String>> {
        let arguments = ["rev-list", "--objects", "--no-object-names", "--no-walk", "--missing=print", commit];
        let mut lines = Session::open(self.here(&arguments))?;
        let mut missing = BTreeSet::new();
        for line in (&mut lines.answers).lines() {
            missing.extend(line?.strip_prefix('?').map(ToOwned::to_owned));
        }
        Ok(missing)
    }

    /// Starts a process that reads objects.
    pub(super) fn objects(&self) -> io::Result<Objects> {
        Session::open(self.here(&["cat-file", "--batch", "--follow-symlinks"]))
            .map(|session| Objects { session, is_answering: false })
    }
}

/// The reason why git refuses the repository, from git's standard error. Its last line is git's advice.
fn refusal(words: &str) -> NoRevision {
    if words.contains("not a git repository") {
        return NoRevision::NoRepository;
    }
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("it does not say why");
    let first = first.strip_prefix("fatal: ").unwrap_or(first);
    NoRevision::Refused { words: first.to_owned(), advice: lines.next_back().map(|last| format!("`{last}`")) }
}

/// The reply of `git cat-file --batch` for one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BatchReply {
    /// An object exists; its content comes next.
    Object {
        /// The object id in hexadecimal.
        id: String,
        kind: Type,
        size: u64,
    },
    Missing,
    /// The name leads through a symlink to a path that does not exist.
    Dangling,
    /// The name leads through a symlink out of the tree.
    Outside,
    /// The name leads through a symlink that cannot be followed; the text is the error as the operating system would
    /// word it.
    Unfollowable(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// A process that reads any object of a repository by any name that git accepts. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Objects {
    session: Session,
    /// Whether a reply has not been read to its end, so that no other name can be asked.
    is_answering: bool,
}

impl Objects {
    /// Asks for an object by name. Its content must be read or skipped before the next question.
    pub(super) fn ask(&mut self, name: &[u8]) -> io::Result<BatchReply> {
        if memchr::memchr2(b'\n', 0, name).is_some() {
            return Err(io::Error::other("git cannot be asked for a name with a line break"));
        }
        self.is_answering = true;
        self.session.questions.write_all(&[name, b"\n"].concat())?;
        let line = self.line()?;
        let answer = if line.ends_with(" missing") || line.ends_with(" ambiguous") {
            self.is_answering = false;
            return Ok(BatchReply::Missing);
        } else if let Some(answer) = object(&line) {
            return Ok(answer);
        } else {
            match line.split(' ').next() {
                Some("dangling") => BatchReply::Dangling,
                Some("symlink") => BatchReply::Outside,
                Some("loop") => BatchReply::Unfollowable("too many levels of symbolic links"),
                Some("notdir") => BatchReply::Unfollowable("not a directory"),
                _ => return Err(io::Error::other(format!("git answers `{}`", line.escape_debug()))),
            }
        };
        // The reply continues with a path, whose length is in the line.
        let length = line.rsplit(' ').next().and_then(|length| length.parse().ok());
        self.skip(length.ok_or_else(|| io::Error::other("git answers without a length"))?)?;
        Ok(answer)
    }

    /// Asks only for the id and type of an object, and skips its content.
    pub(super) fn ask_only(&mut self, name: &[u8]) -> io::Result<BatchReply> {
        let answer = self.ask(name)?;
        if let BatchReply::Object { size, .. } = answer {
            self.skip(size)?;
        }
        Ok(answer)
    }

    /// Whether the process is ready for a question.
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_answering
    }

    /// The content of the object in the last reply. When `size` exceeds `limit`, returns `None` and ends the process.
    pub(super) fn content(&mut self, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if size > limit {
            self.session.end()?;
            return Ok(None);
        }
        let mut content = Vec::with_capacity(usize::try_from(size).map_err(io::Error::other)?);
        (&mut self.session.answers).take(size).read_to_end(&mut content)?;
        if content.len() as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.skip(0)?;
        Ok(Some(content))
    }

    /// Copies the content of the object in the last reply, which has `size` bytes, to `out`.
    pub(super) fn copy(&mut self, size: u64, out: &mut impl Write) -> io::Result<()> {
        let got = io::copy(&mut (&mut self.session.answers).take(size), out)?;
        if got != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.skip(0)
    }

    /// Skips `length` bytes of a reply and the newline after them.
    pub(super) fn skip(&mut self, length: u64) -> io::Result<()> {
        let wanted = length + 1;
        let got = io::copy(&mut (&mut self.session.answers).take(wanted), &mut io::sink())?;
        self.is_answering = got != wanted;
        if got == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.session.answers.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }
}

/// `<id> <type> <size>`
fn object(line: &str) -> Option<BatchReply> {
    let [id, kind, size] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let kind = match kind {
        "commit" => Type::Commit,
        "tree" => Type::Tree,
        "blob" => Type::Blob,
        "tag" => Type::Tag,
        _ => return None,
    };
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(BatchReply::Object { id: id.to_owned(), kind, size: size.parse().ok()? })
}
