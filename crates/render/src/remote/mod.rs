//! Charts of Helm and OCI registries, and other Git repositories: fetched with the user's own helm and git, and only if the network is allowed, into
//! a cache outside of the checkout. Content in the cache is used without asking the server, unless its name can change: a branch, a tag, a range of versions.

mod cache;
mod chart;
mod repository;
mod runner;
mod unpack;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use checkout::Tools;
use confined::Deadline;
use rewrite::settings::Network;
use system::NO_TOOLS;
use text::{Message, without_passwords};

use cache::Cache;

/// Something outside of the checkout that an Application names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remote {
    /// A chart.
    Chart {
        /// The URL of a Helm repository, or of an OCI registry, which Argo CD writes without its scheme.
        repository: String,
        /// The name of the chart.
        name: String,
        /// A version, or a range of versions, which stands for the newest version in it.
        version: String,
    },
    /// The files of a Git repository.
    Repository {
        /// Its URL.
        url: String,
        /// A branch, a tag, a commit, or a range of versions, which stands for the newest tag in it; empty for the default branch.
        revision: String,
    },
}

impl Remote {
    /// What it is, in a message; without passwords.
    fn shown(&self) -> String {
        match self {
            Self::Chart { repository, name, version } => {
                let version = if version.is_empty() { String::new() } else { format!(" {version}") };
                format!("chart `{name}{version}` from `{}`", without_passwords(repository))
            }
            Self::Repository { url, revision } => {
                let revision = if revision.is_empty() { "HEAD" } else { revision };
                format!("`{}` at `{revision}`", without_passwords(url))
            }
        }
    }

    /// The server that has it, with its scheme; without passwords.
    fn server(&self) -> String {
        let (Self::Chart { repository: url, .. } | Self::Repository { url, .. }) = self;
        let url = without_passwords(url);
        let start = url.find("://").map_or(0, |at| at + 3);
        let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
        url[..end].to_owned()
    }

    /// Whether it is the same for ever, so that nobody has to be asked again: a commit, or one version of a chart.
    fn is_fixed(&self) -> bool {
        match self {
            Self::Chart { version, .. } => is_version(version),
            Self::Repository { revision, .. } => is_commit(revision),
        }
    }
}

/// Whether a text is the whole name of a commit.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a text is one version, and not a range: three numbers, and what may follow them.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers: Vec<&str> = text.split(['-', '+']).next().unwrap_or_default().split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |char: char| char.is_ascii_alphanumeric() || ".-+".contains(char);
    numbers.len() == 3 && numbers.iter().all(is_number) && text.chars().all(is_plain)
}

/// Why there are no files.
#[derive(Clone, Debug)]
pub enum NotFetched {
    /// It is not in the cache, and the network is not allowed.
    NoNetwork,
    /// It could not be fetched.
    Failed(Box<Message>),
}

/// How remote things are fetched.
#[derive(Debug)]
pub struct Fetching {
    /// The directory of the cache, absolute; none if nobody knows where one can be. It must not be in a checkout: a pull request could fill it.
    pub cache: Option<PathBuf>,
    /// Whether the network is allowed.
    pub network: Network,
    /// The programs of the user, `helm` and `git` among them.
    pub tools: Tools,
    /// The root of the checkout, from which no program is started; without symlinks.
    pub checkout: PathBuf,
    /// This program, which starts the tools with their limits; without it nothing is fetched.
    pub launcher: Option<PathBuf>,
    /// The directory for temporary files.
    pub temporary: PathBuf,
    /// The variables of the user that say where the proxy, the certificates and the credentials are: [`Remotes::VARIABLES`].
    pub variables: BTreeMap<String, OsString>,
    /// The time limit for one of them.
    pub time: Duration,
    /// The memory limit for the tools, in bytes.
    pub memory: u64,
}

/// Fetches remote things, each once in a run.
#[derive(Debug)]
pub struct Remotes {
    fetching: Fetching,
    asked: Mutex<Asked>,
}

/// What was asked for in a run.
#[derive(Debug, Default)]
struct Asked {
    answers: BTreeMap<Remote, Result<PathBuf, NotFetched>>,
    /// The servers that did not answer in time: they are asked once.
    silent: BTreeSet<String>,
}

impl Remotes {
    /// The variables that helm and git get, besides those of [`Rendering`](crate::Rendering).
    pub const VARIABLES: [&'static str; 8] = [
        "HELM_CONFIG_HOME",
        "HELM_REGISTRY_CONFIG",
        "HELM_REPOSITORY_CONFIG",
        "HOME",
        "LOGNAME",
        "SSH_AUTH_SOCK",
        "USER",
        "XDG_CONFIG_HOME",
    ];

    /// Nothing is fetched yet.
    pub fn new(fetching: Fetching) -> Self {
        Self { fetching, asked: Mutex::default() }
    }

    /// The folder with the files, absolute and without symlinks: of a chart the folder with its `Chart.yaml`, of a repository its root.
    pub fn get(&self, what: &Remote) -> Result<PathBuf, NotFetched> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = asked.answers.get(what) {
            return found.clone();
        }
        let found = self.find(what, &mut asked.silent);
        asked.answers.insert(what.clone(), found.clone());
        found
    }

    fn find(&self, what: &Remote, silent: &mut BTreeSet<String>) -> Result<PathBuf, NotFetched> {
        let failed = |why: Message| {
            let text = format!("{}: {}", what.shown(), why.text);
            NotFetched::Failed(Box::new(Message { text, ..why }))
        };
        let Some(dir) = &self.fetching.cache else {
            return Err(match self.fetching.network {
                Network::Never => NotFetched::NoNetwork,
                Network::Allow => failed(
                    Message::new("there is no directory for the cache")
                        .help("set `XDG_CACHE_HOME` to the absolute path of a directory outside of the repository"),
                ),
            });
        };
        let cache = Cache::open(dir).map_err(failed)?;
        let cached = cache.as_ref().and_then(|cache| cache.find(what));
        match (cached, self.fetching.network) {
            (Some(found), network) if network == Network::Never || what.is_fixed() => Ok(found),
            (_, Network::Never) => Err(NotFetched::NoNetwork),
            (cached, Network::Allow) => self.ask(what, dir, silent).map_err(|why| match cached {
                Some(_) => failed(why.help("without `--network allow`, what an earlier run has fetched is used")),
                None => failed(why),
            }),
        }
    }

    /// Fetches it, unless its server has not answered before.
    fn ask(&self, what: &Remote, dir: &Path, silent: &mut BTreeSet<String>) -> Result<PathBuf, Message> {
        let server = what.server();
        if silent.contains(&server) {
            return Err(Message::new(format!("`{server}` has not answered in time before")));
        }
        let deadline = Deadline::after(self.fetching.time);
        let fetched = fetch(what, &self.fetching, dir, deadline);
        if fetched.is_err() && deadline.is_over() {
            silent.insert(server);
        }
        fetched
    }
}

fn fetch(what: &Remote, fetching: &Fetching, dir: &Path, deadline: Deadline) -> Result<PathBuf, Message> {
    if let Some(why) = NO_TOOLS {
        let message = Message::new(format!("it is not fetched: {why}"));
        return Err(message.help("name a checkout of it with `--repo URL=DIR`"));
    }
    let cache = Cache::make(dir)?;
    let runner = runner::Runner::open(fetching, deadline)?;
    match what {
        Remote::Chart { repository, name, version } => {
            let chart = chart::fetch(&runner, repository, name, version)?;
            cache.add(what, &cache::digest(&[&chart]), |to| unpack::chart(&chart, to))
        }
        Remote::Repository { url, revision } => {
            let commit = repository::fetch(&runner, url, revision)?;
            cache.add(what, &commit, |to| unpack::repository(&repository::files(&runner, &commit)?, to))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_version_is_fixed() {
        for (version, is_one) in [
            ("17.0.1", true),
            ("v1.2.3", true),
            ("1.2.3-rc.1+build.5", true),
            ("", false),
            ("1.2", false),
            ("1.2.x", false),
            (">=1.2.3", false),
            ("1.2.3 - 2.0.0", false),
            ("1.2.3||2.0.0", false),
            ("latest", false),
        ] {
            assert_eq!(is_version(version), is_one, "{version}");
        }
    }
}
