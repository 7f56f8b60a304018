//! The calls of git that kustomize may make: the five of `api/internal/git/cloner.go` (kustomize 5.7.1 and 5.8.1),
//! and no others.

use std::ffi::OsString;
use std::path::Path;

use super::{Call, texts};

/// The protocols by which git may reach a repository. Without the restriction `ext::…` runs a program, and a path
/// reads the directories of other Applications.
const PROTOCOLS: [&str; 3] = ["https", "http", "ssh"];

/// The directories in which git finds its own programs: `git submodule` is a shell script.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The call of the real git at `path` for a call by kustomize; the error is the reason why it is refused.
pub(super) fn call(
    mut arguments: Vec<OsString>,
    path: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Call, String> {
    match texts(&arguments)?.as_slice() {
        ["init"] | ["checkout", "FETCH_HEAD"] | ["submodule", "update", "--init", "--recursive"] => {}
        ["remote", "add", "origin", repository] => no_option(repository)?,
        ["fetch", "--depth=1", repository, reference] => {
            no_option(repository)?;
            no_option(reference)?;
            arguments.insert(2, "--end-of-options".into());
        }
        ["fetch", ..] => return Err(unrecognized("fetch")),
        [other, ..] => return Err(unrecognized(other)),
        [] => return Err(unrecognized("")),
    }
    Ok(Call { arguments, environment: environment(path, variable) })
}

fn environment(path: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<(&'static str, OsString)> {
    let mut directories = path.parent().map(OsString::from).unwrap_or_default();
    directories.push(":");
    directories.push(SYSTEM_PATH);
    // The caller's list of protocols applies when it is shorter than ours.
    let fewer = variable("GIT_ALLOW_PROTOCOL").and_then(|text| text.into_string().ok());
    let fewer = fewer.filter(|text| text.split(':').all(|protocol| PROTOCOLS.contains(&protocol)));
    vec![
        ("PATH", directories),
        ("GIT_ALLOW_PROTOCOL", fewer.unwrap_or_else(|| PROTOCOLS.join(":")).into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
    ]
}

/// Refuses a word from a repository that git would read as an option, such as `--upload-pack=…`.
fn no_option(word: &str) -> Result<(), String> {
    if word.starts_with('-') {
        return Err(format!("`{}` is an option, refusing (see GHSA-9v9p-x54c-58gc)", word.escape_debug()));
    }
    Ok(())
}

/// The message, as in Argo CD's wrapper.
fn unrecognized(command: &str) -> String {
    format!("unrecognized 'git {}' invocation, refusing (see GHSA-9v9p-x54c-58gc)", command.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<String, String> {
        let arguments = arguments.iter().map(OsString::from).collect();
        let call = call(arguments, Path::new("/opt/git/bin/git"), &|_| None)?;
        Ok(texts(&call.arguments)?.join(" "))
    }

    #[test]
    fn what_kustomize_asks_for_is_done() {
        for words in [&["init"][..], &["checkout", "FETCH_HEAD"], &["submodule", "update", "--init", "--recursive"]] {
            assert_eq!(given(words), Ok(words.join(" ")));
        }
        let url = "https://example.com/repo";
        assert_eq!(given(&["remote", "add", "origin", url]), Ok(format!("remote add origin {url}")));
        for reference in ["HEAD", "main", "a ref", "v1.0.0", "refs/pull/1/head", "", "0123abc"] {
            let expected = format!("fetch --depth=1 --end-of-options {url} {reference}");
            assert_eq!(given(&["fetch", "--depth=1", url, reference]), Ok(expected));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let fetch = "unrecognized 'git fetch' invocation, refusing (see GHSA-9v9p-x54c-58gc)";
        let url = "https://example.com/repo";
        for words in [
            &["fetch"][..],
            &["fetch", "--all"],
            &["fetch", "--depth=1", url],
            &["fetch", "--depth=2", url, "main"],
            &["fetch", "--depth=1", "--tags", url, "main"],
            &["fetch", "--depth", "1", url, "main"],
            &["fetch", "--depth=1", "--upload-pack=touch /tmp/x", url, "main"],
        ] {
            assert_eq!(given(words), Err(fetch.to_owned()), "{words:?}");
        }
        for words in [
            &["fetch", "--depth=1", url, "--upload-pack=touch /tmp/x"][..],
            &["fetch", "--depth=1", url, "-u"],
            &["fetch", "--depth=1", "--upload-pack=touch /tmp/x", "main"],
            &["fetch", "--depth=1", "--", "main"],
            &["remote", "add", "origin", "--mirror=fetch"],
        ] {
            assert!(given(words).unwrap_err().contains("is an option"), "{words:?}");
        }
        for words in [
            &[][..],
            &["clone", url],
            &["-c", "alias.x=!id", "x"],
            &["config", "core.sshCommand", "id"],
            &["init", "--template=x"],
            &["checkout", "-f"],
            &["submodule", "foreach", "id"],
            &["remote", "add", "-f", "origin", url],
            &["\u{1b}[2J"],
        ] {
            let message = given(words).unwrap_err();
            assert!(message.starts_with("unrecognized 'git ") && !message.contains('\u{1b}'), "{words:?}: {message}");
        }
    }

    #[test]
    fn the_caller_can_allow_fewer_protocols_and_not_more() {
        let allowed = |given: Option<&str>| {
            let environment = environment(Path::new("/opt/git"), &|_| given.map(OsString::from));
            environment.into_iter().find(|(name, _)| *name == "GIT_ALLOW_PROTOCOL").unwrap().1
        };
        assert_eq!(allowed(None), "https:http:ssh");
        assert_eq!(allowed(Some("https")), "https");
        for given in ["", "ext", "https:ext", "file"] {
            assert_eq!(allowed(Some(given)), "https:http:ssh");
        }
    }
}
