//! Runs helm and git, which fetch: with limits, a home of their own, and the user's credentials.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use confined::{
    Confinement, Deadline, Ended, Failure, Network as Sockets, PrivateDir, Program, Right, Rules, Status, Wall,
    go_memory_limit, run_confined, wall,
};
use system::{PathText, canonical};
use text::{Message, without_passwords};

use crate::Rendering;
use crate::remote::Fetching;
use crate::tool::named_files;

/// One fetch: its private directory, its deadline, and the programs.
pub(super) struct Runner<'r> {
    fetching: &'r Fetching,
    launcher: &'r Path,
    private: PrivateDir,
    deadline: Deadline,
}

/// A call of a program.
pub(super) struct Call {
    /// `helm` or `git`.
    pub(super) program: &'static str,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// Files and folders of the user that it may read.
    pub(super) used: Vec<PathBuf>,
}

impl<'r> Runner<'r> {
    pub(super) fn open(fetching: &'r Fetching, deadline: Deadline) -> Result<Self, Message> {
        let launcher =
            fetching.launcher.as_deref().ok_or_else(|| Message::new("this program does not know its own path"))?;
        let temporary = canonical(&fetching.temporary).map_err(unusable)?;
        if temporary.starts_with(&fetching.checkout) {
            return Err(Message::new("the directory for temporary files is in the repository").help("set `TMPDIR`"));
        }
        let private = PrivateDir::new(launcher, &temporary).map_err(unusable)?;
        Ok(Self { fetching, launcher, private, deadline })
    }

    /// A folder of this name in the private directory.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, Message> {
        let path = self.private.path().map_err(unusable)?.join(name);
        fs::create_dir_all(&path).map_err(unusable)?;
        Ok(path)
    }

    /// A variable of the user.
    pub(super) fn variable(&self, name: &str) -> Option<&OsString> {
        self.fetching.variables.get(name)
    }

    /// The standard output of a program. If it fails, the error has its own message.
    pub(super) fn output(&self, call: Call) -> Result<Vec<u8>, Message> {
        let Call { program, arguments, environment, used } = call;
        let command = format!(
            "{program} {}",
            arguments.iter().filter_map(|word| word.to_str()).find(is_subcommand).unwrap_or_default()
        );
        let path = self.fetching.tools.find(program, &self.fetching.checkout);
        let path = path.ok_or_else(|| Message::new(format!("there is no `{program}` on PATH")))?;
        let home = self.folder("home")?;
        let mut all: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), self.fetching.tools.path_for(&self.fetching.checkout)),
            ("TMPDIR".into(), self.folder("tmp")?.into()),
            ("HOME".into(), home.into()),
            go_memory_limit(self.fetching.memory),
        ];
        let of_the_user = Rendering::FOR_ALL.iter().filter_map(|name| Some((*name, self.variable(name)?.clone())));
        for (name, value) in of_the_user.chain(environment) {
            all.retain(|(known, _)| known != name);
            all.push((name.into(), value));
        }
        let private = self.private.path().map_err(unusable)?.to_owned();
        let named = named_files(&all).collect::<Vec<_>>();
        let used = named.into_iter().chain(used).chain([path.clone(), self.launcher.to_owned()]);
        let rules = used.map(|path| (Right::Use, path)).chain([(Right::Write, private.clone())]).collect();
        let confinement = Confinement {
            launcher: self.launcher.to_owned(),
            memory: Some(self.fetching.memory),
            network: Sockets::Allowed,
            wall: (wall() == Wall::Kernel).then(|| Rules::new(rules)),
            deadline: self.deadline,
        };
        let ended = run_confined(&Program { path, arguments, environment: all, dir: private.clone() }, &confinement);
        match ended {
            Ok(ended) if ended.is_success() => Ok(ended.stdout),
            Ok(ended) => Err(self.failed(&command, &ended, &private)),
            Err(failure) => Err(self.broken(&command, &failure)),
        }
    }

    fn failed(&self, command: &str, ended: &Ended, private: &Path) -> Message {
        if ended.ran_out_of_memory() {
            return self.broken(command, &Failure::TooMuchMemory);
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.replace(&private.shown().to_string(), "");
        // The end of a URL may be cut below.
        let said = without_passwords(&said);
        // Only a part of git is ended by the limit for files, and git itself does not know why.
        if ended.status == Status::Killed(SIGXFSZ) || said.contains("invalid index-pack output") {
            return Message::new(format!("`{command}` was ended: what it fetches is too large, or broken"));
        }
        // The last: a helper of git that may not write the user's credentials says so before.
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let line =
            lines.iter().rfind(|line| line.starts_with("Error: ") || line.starts_with("fatal: ")).or(lines.last());
        let line =
            line.map_or("it does not say why", |line| line.trim_start_matches("Error: ").trim_start_matches("fatal: "));
        let line: String = line.chars().take(MOST).collect();
        let is_denied = ["401", "403", "nauthorized", "orbidden", "denied", "could not read Username", "uthentication"]
            .iter()
            .any(|word| said.contains(word));
        let help = if is_denied { DENIED } else { "does the same command work by hand?" };
        Message::new(format!("`{command}` failed: {line}")).help(help)
    }

    fn broken(&self, command: &str, failure: &Failure) -> Message {
        let time = self.fetching.time.as_secs();
        let why = match failure {
            Failure::TooLong => format!("took more than {time} s"),
            Failure::TooMuch => "printed too much".to_owned(),
            Failure::TooMuchMemory => format!("took more than {} MiB of memory", self.fetching.memory >> 20),
            Failure::Io(error) => format!("cannot be started: {error}"),
        };
        let help = match failure {
            Failure::TooLong => "the limit is `ARGOCD_JOBS_RENDER_TIMEOUT`",
            _ => "name a checkout of it with `--repo URL=DIR`, if it is a repository",
        };
        Message::new(format!("`{command}` {why}")).help(help)
    }
}

/// The signal for a file that is larger than allowed.
const SIGXFSZ: i32 = 25;

/// The most characters of a tool's message.
const MOST: usize = 500;

const DENIED: &str =
    "log in first: `helm registry login`, `helm repo add` with a user name, or a credential helper of git";

fn is_subcommand(word: &&str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
}

/// The error that a file in the private directory cannot be read or written.
pub(super) fn unusable(error: std::io::Error) -> Message {
    Message::new(format!("the directory for temporary files cannot be used: {error}"))
}
