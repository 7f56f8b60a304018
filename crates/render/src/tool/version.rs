//! The version of helm or kustomize, as the program prints it.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use checkout::Tools;
use confined::{
    Confinement, Deadline, Network, PrivateDir, Program, Right, Rules, Wall, go_memory_limit, run_confined, wall,
};
use rewrite::settings::PlatformSettings;
use system::canonical;

/// The longest that a program may take to print its version.
const LIMIT: Duration = Duration::from_secs(10);

/// The version of `helm` or `kustomize` for reading `dir`: `4.3.1`. `launcher` is the path of this program, and `temporary` the directory for temporary
/// files. None if there is no such program, or if it does not say its version.
pub fn version_of(program: &str, tools: &Tools, dir: &Path, launcher: &Path, temporary: &Path) -> Option<String> {
    let path = tools.find(program, &canonical(dir).ok()?)?;
    let arguments: &[&str] = match program {
        "helm" => &["version", "--template", "{{.Version}}"],
        _ => &["version"],
    };
    let private = PrivateDir::new(launcher, &canonical(temporary).ok()?).ok()?;
    let home = private.path().ok()?.to_owned();
    let memory = PlatformSettings::default().memory;
    let rules = vec![(Right::Use, path.clone()), (Right::Use, launcher.to_owned()), (Right::Write, home.clone())];
    let confinement = Confinement {
        launcher: launcher.to_owned(),
        memory: Some(memory),
        network: Network::Denied,
        wall: (wall() == Wall::Kernel).then(|| Rules::new(rules)),
        deadline: Deadline::after(LIMIT),
    };
    let environment: Vec<(OsString, OsString)> =
        vec![("HOME".into(), home.clone().into()), ("HELM_NO_PLUGINS".into(), "1".into()), go_memory_limit(memory)];
    let arguments = arguments.iter().map(OsString::from).collect();
    let ended = run_confined(&Program { path, arguments, environment, dir: home }, &confinement).ok()?;
    parsed(std::str::from_utf8(&ended.stdout).ok().filter(|_| ended.is_success())?)
}

/// The version in what a program prints: `v4.3.1`, or `{kustomize/v3.8.1  GitCommit:…}` of an old kustomize.
fn parsed(printed: &str) -> Option<String> {
    let word = printed.trim().trim_start_matches('{').trim_start_matches("kustomize/").split_whitespace().next()?;
    let version = word.strip_prefix('v')?;
    version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte)).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_version_is_read() {
        assert_eq!(parsed("v4.3.1\n").as_deref(), Some("4.3.1"));
        assert_eq!(parsed("{kustomize/v3.8.1  GitCommit:0b359d0}").as_deref(), Some("3.8.1"));
        for text in ["", "(devel)", "no such command", "v1\u{1b}[31m", "version.BuildInfo{Version:\"v3\"}"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
