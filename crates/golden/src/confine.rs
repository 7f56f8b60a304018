//! Checks that the arguments of a case stay in its repository, like its files: in CI a pull request can change them.
//!
//! Only the command line knows which arguments are paths, and that can change. So every argument is checked as if it
//! were a path, and so is each part of it that could be one.

use std::io;
use std::path::{Component, Path};

use source::FORCED_REVISION;
use system::{MAX_PATH, canonical, is_missing};
use text::Message;

/// No operating system allows a longer file name.
const MAX_NAME: usize = 255;

/// Fails when a part of `argument`, read as a path relative to `working_dir`, leads out of `root`. Both directories
/// must be free of symlinks.
pub(super) fn check(argument: &str, working_dir: &Path, root: &Path) -> Result<(), Message> {
    for part in parts(argument) {
        match leaves(part, working_dir, root) {
            Ok(false) => {}
            Ok(true) => {
                let message = Message::new(format!("`{part}` is not a relative path inside the repository"));
                return Err(message.help(
                    "every argument of a case is checked as a path: it must not be absolute, and no `..` or symlink in \
                     it may lead out of the repository or into `.git`",
                ));
            }
            Err(error) => {
                let message = Message::new(format!("`{part}` cannot be followed as a path: {error}"));
                return Err(message.help("every argument of a case is checked as a path; use another value"));
            }
        }
    }
    Ok(())
}

/// The parts of an argument that can be paths: the whole argument, the text after each `=`, and the text after a
/// short flag (`--base=DIR`, `--set NAME=FILE`, `-fFILE`). Each part also without the prefix of a revision or of
/// `@FILE`.
fn parts(argument: &str) -> impl Iterator<Item = &str> {
    let behind_sign = argument.match_indices('=').map(|(at, sign)| &argument[at + sign.len()..]);
    let flags = argument.strip_prefix('-');
    let behind_flag = flags.and_then(|flags| flags.get(1..));
    let behind_flags = flags.map(|flags| flags.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    // The whole argument comes last, so that a message names the smallest part that is a path.
    let parts = behind_sign.chain(behind_flags).chain(behind_flag).chain([argument]);
    parts.flat_map(|part| [Some(part), part.strip_prefix(FORCED_REVISION), part.strip_prefix('@')]).flatten()
}

/// Whether a path is absolute, or leads out of `root` or into `.git`, by `..` or through symlinks.
fn leaves(part: &str, working_dir: &Path, root: &Path) -> io::Result<bool> {
    let path = Path::new(part);
    if matches!(path.components().next(), Some(Component::Prefix(_) | Component::RootDir)) {
        return Ok(true);
    }
    if part.len() > MAX_PATH {
        return Ok(false);
    }
    let mut place = working_dir.to_owned();
    for component in path.components() {
        match component {
            Component::Normal(name) => place.push(name),
            Component::ParentDir => drop(place.pop()),
            _ => {}
        }
        if !checkout::is_in_repository(&place, root) {
            return Ok(true);
        }
    }
    match canonical(working_dir.join(path)) {
        Ok(real) => Ok(!checkout::is_in_repository(&real, root)),
        // A path that does not exist cannot be read. If a symlink in it leads out, its target does not exist either.
        Err(error) if is_missing(&error) => Ok(false),
        Err(_) if path.iter().any(|name| name.len() > MAX_NAME) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use std::fs;

    use super::*;

    /// A directory `root` with the working directory `a/b`, next to a folder `secret`. Removed when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Self {
            let dir = std::env::temp_dir().join(format!("argocd-jobs-confine-{}", std::process::id()));
            fs::create_dir_all(dir.join("root/a/b/c")).unwrap();
            fs::create_dir_all(dir.join("root/.git/x")).unwrap();
            fs::create_dir_all(dir.join("secret/d")).unwrap();
            Self(canonical(dir).unwrap())
        }

        fn link(&self, name: &str, target: &str) {
            symlink(target, self.0.join("root/a/b").join(name)).unwrap();
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    /// Arguments that stay in the root. The root itself is allowed, and links may lead anywhere below it.
    const INSIDE: &[&str] = &[
        "",
        ".",
        "-",
        "--",
        "..",
        "../..",
        "../../a/b",
        "c/../..",
        "up",
        "up/a",
        "dangling",
        "out/../root",
        "gone/../..",
        "=",
        "a=b=c",
        "--base=..",
        "rev:main",
        "HEAD~1",
        ":/message",
        "main..topic",
        "...",
        "**/*.yaml",
        "{a,../b}",
        "-5",
        "-c",
        "~",
        "~/x",
        "$HOME",
        "a b",
        "file:///etc",
        "../../.github",
        "c/git",
    ];

    /// Arguments that leave the root, with the part that leaves it.
    const OUTSIDE: &[(&str, &str)] = &[
        ("/", "/"),
        ("@../../../secret", "../../../secret"),
        ("--helm=@../../../secret/d", "../../../secret/d"),
        ("/etc", "/etc"),
        ("//etc", "//etc"),
        ("../../..", "../../.."),
        ("../../../root", "../../../root"),
        ("c/../../../..", "c/../../../.."),
        ("out", "out"),
        ("./out/d/..", "./out/d/.."),
        ("up/../secret", "up/../secret"),
        ("--base=../../..", "../../.."),
        ("--base==/x", "/x"),
        ("a=b=/x", "/x"),
        ("x=out", "out"),
        ("a=/x=b", "/x=b"),
        ("rev:../../..", "../../.."),
        ("--base=rev:/x", "/x"),
        ("-f/x", "/x"),
        ("-fout", "out"),
        ("-f../../..", "../../.."),
        ("-abc/x", "/x"),
        ("-f=out", "out"),
        ("-../../../..", "../../../.."),
        ("é/../../../..", "é/../../../.."),
        ("../../.git", "../../.git"),
        ("../../.git/config", "../../.git/config"),
        ("c/.git", "c/.git"),
        ("hidden", "hidden"),
        ("rev:hidden/x", "hidden/x"),
    ];

    #[test]
    fn no_part_of_an_argument_leaves_the_root() {
        let scratch = Scratch::new();
        scratch.link("out", "../../../secret");
        scratch.link("up", "../..");
        scratch.link("loop", "loop");
        scratch.link("dangling", "../../../nothing");
        scratch.link("hidden", "../../.git");
        let long = "../../".to_owned() + &"x".repeat(300);
        let longer = "a/".repeat(3000);
        for inside in INSIDE.iter().copied().chain([long.as_str(), &longer]) {
            let found = check(inside, &scratch.0.join("root/a/b"), &scratch.0.join("root"));
            assert!(found.is_ok(), "{inside}: {}", found.unwrap_err());
        }
        let far = "./".repeat(3000) + "../../..";
        for (outside, part) in OUTSIDE.iter().copied() {
            let found = check(outside, &scratch.0.join("root/a/b"), &scratch.0.join("root"));
            let named = format!("`{part}` is not a relative path inside the repository");
            assert_eq!(found.map_err(|message| message.text), Err(named), "{outside}");
        }
        for unreadable in ["loop", "--base=loop/x"] {
            let found = check(unreadable, &scratch.0.join("root/a/b"), &scratch.0.join("root"));
            let text = found.expect_err(unreadable).text;
            assert!(text.contains("` cannot be followed as a path: "), "{unreadable}: {text}");
        }
        // The system opens no path of this length.
        assert!(
            check(&far, &scratch.0.join("root/a/b"), &scratch.0.join("root")).is_ok() && fs::metadata(&far).is_err()
        );
    }
}
