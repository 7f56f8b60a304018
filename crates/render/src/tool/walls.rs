//! The wall around the tools (`crates/confined/src/linux/landlock.rs`): which paths it must allow because variables
//! name them, and how to recognise in a tool's message that it denied a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use confined::{Wall, wall};
use system::{canonical, file_name};

use crate::tool::Rendering;
use crate::wrappers;

/// The variables with paths that a process may read or execute: those of [`Rendering`] that name files, and the
/// programs that our wrappers start.
const NAME_FILES: [&str; 11] = [
    "ARGOCD_ASK_PASS_SOCK",
    "GIT_ASKPASS",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    Rendering::PLUGIN_HOME,
    wrappers::REAL_GIT,
    wrappers::REAL_HELM,
];

/// The paths in these variables. `GIT_SSH_COMMAND` is a command with options such as `UserKnownHostsFile=…`;
/// `SSL_CERT_DIR` is a list.
pub(crate) fn named(environment: &[(OsString, OsString)]) -> impl Iterator<Item = PathBuf> {
    let values = environment.iter().filter(|(name, _)| name.to_str().is_some_and(|name| NAME_FILES.contains(&name)));
    let words = values.flat_map(|(_, value)| value.as_encoded_bytes().split(|byte| b" '\"=:".contains(byte)));
    words
        .map(|word| Path::new(&file_name(word)).to_owned())
        .filter(|path| path.is_absolute() && path.parent().is_some())
}

/// The messages of helm and kustomize for a file that they may not open, and for a folder in which they may open no
/// file.
const CLOSED: [&str; 2] = ["permission denied", "unable to find one of 'kustomization.yaml'"];

/// The path that the wall has denied to a tool: the first path in its message that exists outside of the repository,
/// or belongs to git. `roots` are the repository and its copy, `open` the paths in them that the tool may open,
/// `private` the directory that contains our own links. A path in the repository is returned relative to its root.
pub(super) fn closed(said: &str, roots: [&Path; 2], open: &[PathBuf], private: &Path) -> Option<PathBuf> {
    // This is about the network, which has a message of its own.
    let files = said.replace("socket: permission denied", "");
    if wall() != Wall::Kernel || !CLOSED.iter().any(|words| files.contains(words)) {
        return None;
    }
    let words = said.split(|char: char| char.is_whitespace() || "'\"`():,;".contains(char)).map(Path::new);
    let mut there = words
        .filter(|path| path.is_absolute() && !path.starts_with(private))
        .filter_map(|path| Some((path, canonical(path).ok()?)));
    let is_closed = |real: &Path| {
        real.parent().is_some() && !roots.contains(&real) && !open.iter().any(|open| real.starts_with(open))
    };
    let (written, real) = there.find(|(_, real)| is_closed(real))?;
    Some(roots.iter().find_map(|root| real.strip_prefix(root).ok()).unwrap_or(written).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;
    use system::PathText;

    #[test]
    fn what_variables_name_can_be_read() {
        let ssh = "ssh -i /dev/shm/key -o IdentitiesOnly=yes -o UserKnownHostsFile=/app/config/ssh/ssh_known_hosts -o ProxyCommand='/bin/nc x'";
        let environment = [
            ("GIT_SSH_COMMAND", ssh),
            ("SSL_CERT_DIR", "/etc/a:/etc/b"),
            ("GIT_ASKPASS", "argocd"),
            ("HTTPS_PROXY", "http:///home"),
            ("GIT_SSL_CAINFO", "/"),
        ];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let found: Vec<_> = named(&environment).collect();
        let known = "/app/config/ssh/ssh_known_hosts";
        assert_eq!(found, ["/dev/shm/key", known, "/bin/nc", "/etc/a", "/etc/b"].map(PathBuf::from));
    }

    #[test]
    fn what_is_kept_from_a_tool_is_named() {
        if wall() != Wall::Kernel {
            return;
        }
        let scratch = Scratch::with(&["repo/.git/config", "repo/app/a", "outside/b", "private/b"]);
        let dir = canonical(&scratch.0).unwrap();
        let root = dir.join("repo");
        let found = |said: &str| {
            let said = said.replace("DIR", dir.to_str().unwrap());
            closed(&said, [&root, &root], &[root.join("app")], &dir.join("private"))
                .map(|path| path.shown().to_string().replace(dir.to_str().unwrap(), "DIR"))
        };
        let denied = |path: &str| found(&format!("error: open {path}: permission denied"));
        assert_eq!(denied("DIR/outside/b").as_deref(), Some("DIR/outside/b"));
        assert_eq!(denied("DIR/repo/app/../../outside").as_deref(), Some("DIR/repo/app/../../outside"));
        assert_eq!(denied("DIR/repo/.git/config").as_deref(), Some(".git/config"));
        for open in ["DIR/repo/app/a", "DIR/gone", "DIR/repo", "/", "outside/b", "DIR/private/b"] {
            assert_eq!(denied(open), None, "{open}");
        }
        assert_eq!(found("socket: permission denied: failed to run 'DIR/outside/b fetch'"), None);
        let folder = "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory 'DIR/outside'";
        assert_eq!(found(folder).as_deref(), Some("DIR/outside"));
        assert_eq!(found("security; file 'DIR/outside/b' is not in or below 'DIR/repo/app'"), None);
    }
}
