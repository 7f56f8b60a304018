//! Fetches a revision of a Git repository with the user's git, into an empty repository that has no hooks and no other remotes.

use std::ffi::OsString;
use std::path::PathBuf;

use gotemplate::semver::Constraints;
use text::Message;

use crate::Rendering;
use crate::remote::is_commit;
use crate::remote::runner::{Call, Runner, unusable};

/// Fetches a branch, a tag, a commit, or the newest tag in a range of versions; empty for the default branch. Returns the id of the commit, which is
/// then in the private directory of the runner.
pub(super) fn fetch(runner: &Runner<'_>, url: &str, revision: &str) -> Result<String, Message> {
    if !is_allowed(url) {
        return Err(Message::new("only repositories with `https://`, `http://` and SSH are fetched"));
    }
    let git = |arguments: &[&str]| runner.output(call(runner, arguments)?);
    git(&["init", "--quiet", "--bare", "--template=", "."])?;
    let tag = tag_of(revision, || git(&["ls-remote", "--quiet", "--tags", "--refs", "--", url]))?;
    let revision = tag.as_deref().unwrap_or(revision);
    let is_plain = |char: char| !char.is_control() && !char.is_whitespace() && !"~^:?*[\\".contains(char);
    if revision.starts_with(['-', '+']) || revision.contains("..") || !revision.chars().all(is_plain) {
        return Err(Message::new("it is no branch, tag or commit, and no tag has a version in such a range")
            .help("name a checkout of it with `--repo URL=DIR`"));
    }
    let revision = if revision.is_empty() { "HEAD" } else { revision };
    git(&["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, revision])?;
    let commit = git(&["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"])?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    if is_commit(&commit) { Ok(commit) } else { Err(Message::new("git names no commit")) }
}

/// The most characters of a range of versions.
const MAX_RANGE: usize = 256;

/// The ref of the tag that a range of versions stands for; none for any other name, which may also be that of a branch (`lsRemote` in Argo CD's
/// `util/git/client.go`).
fn tag_of(revision: &str, tags: impl FnOnce() -> Result<Vec<u8>, Message>) -> Result<Option<String>, Message> {
    let range = Some(revision).filter(|text| text.len() <= MAX_RANGE && !is_commit(text));
    let Some(range) = range.and_then(Constraints::of_revision) else { return Ok(None) };
    let printed = tags()?;
    let printed = String::from_utf8_lossy(&printed);
    let tags = printed.lines().filter_map(|line| line.split_once("\trefs/tags/").map(|(_, tag)| tag));
    Ok(range.newest(tags).map(|tag| format!("refs/tags/{tag}")))
}

/// All files of a commit that was fetched, as a tar archive.
pub(super) fn files(runner: &Runner<'_>, commit: &str) -> Result<Vec<u8>, Message> {
    // An archive obeys the repository's own `.gitattributes`: it lacks files that a checkout has. They also choose filters in the user's
    // settings, such as that of Git LFS, which are programs.
    let info = runner.folder("git/info")?;
    std::fs::write(info.join("attributes"), "* -export-ignore -export-subst -filter\n").map_err(unusable)?;
    runner.output(call(runner, &["archive", "--format=tar", commit])?)
}

/// Whether git may be given this URL: one for HTTP or SSH, also in the short form `user@host:path`.
fn is_allowed(url: &str) -> bool {
    let is_plain = !url.starts_with('-') && !url.contains("::") && !url.chars().any(char::is_control);
    let has_scheme = ["https://", "http://", "ssh://"].iter().any(|scheme| url.starts_with(scheme));
    let is_short =
        !url.contains("://") && url.split_once(':').is_some_and(|(host, _)| host.contains('@') && !host.contains('/'));
    is_plain && (has_scheme || is_short)
}

/// No programs, and line ends as they are. What a server sends becomes one file, whose size is limited: otherwise git writes each object into a file
/// of its own, if they are few.
const SETTINGS: [&str; 6] = [
    "core.autocrlf=false",
    "core.hooksPath=/dev/null",
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "tar.umask=0077",
];

/// A call of git in its own repository.
fn call(runner: &Runner<'_>, arguments: &[&str]) -> Result<Call, Message> {
    let dir = runner.folder("git")?;
    let mut all: Vec<OsString> = vec!["-C".into(), dir.clone().into()];
    for setting in SETTINGS {
        all.extend(["-c".into(), setting.into()]);
    }
    all.extend(arguments.iter().map(OsString::from));
    let mut environment: Vec<(&'static str, OsString)> = vec![
        ("GIT_ALLOW_PROTOCOL", "https:http:ssh".into()),
        // The user may forbid bare repositories that git finds by itself (`safe.bareRepository`).
        ("GIT_DIR", dir.clone().into()),
        // ssh asks nobody. An own `GIT_SSH_COMMAND` would hide the user's `core.sshCommand`.
        ("SSH_ASKPASS", "false".into()),
        ("SSH_ASKPASS_REQUIRE", "force".into()),
        ("GIT_CEILING_DIRECTORIES", dir.parent().unwrap_or(&dir).into()),
        ("LC_ALL", "C".into()),
    ];
    let names = Rendering::FOR_GIT.into_iter().chain(["HOME", "LOGNAME", "SSH_AUTH_SOCK", "USER", "XDG_CONFIG_HOME"]);
    environment.extend(names.filter_map(|name| Some((name, runner.variable(name)?.clone()))));
    // The last one counts.
    environment.push(("GIT_TERMINAL_PROMPT", "0".into()));
    Ok(Call { program: "git", arguments: all, environment, used: credentials(runner) })
}

/// The files in the user's home that git and ssh read: settings, credentials, keys.
fn credentials(runner: &Runner<'_>) -> Vec<PathBuf> {
    let of = |name: &str| runner.variable(name).map(PathBuf::from);
    let home = of("HOME");
    let in_home = |names: &[&str]| -> Vec<PathBuf> {
        home.iter().flat_map(|home| names.iter().map(|name| home.join(name))).collect()
    };
    let config = of("XDG_CONFIG_HOME").or_else(|| Some(home.as_deref()?.join(".config")));
    let of_config = config.into_iter().flat_map(|config| [config.join("git"), config.join("gh")]);
    let mut all = in_home(&[".gitconfig", ".git-credentials", ".netrc", ".ssh"]);
    all.extend(of_config);
    all.push(PathBuf::from("/etc/gitconfig"));
    all.extend(of("SSH_AUTH_SOCK"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_and_ssh_are_fetched() {
        for url in ["https://a/b", "http://a/b", "ssh://git@a/b", "git@a:b/c"] {
            assert!(is_allowed(url), "{url}");
        }
        for url in [
            "file:///a",
            "/a/b",
            "../a",
            "ext::sh -c x",
            "git://a/b",
            "-ua:b",
            "a:b",
            "x/y@z:b",
            "https://a\n",
            "git@a:b::c",
        ] {
            assert!(!is_allowed(url), "{url}");
        }
    }
}
