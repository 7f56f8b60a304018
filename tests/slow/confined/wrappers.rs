//! The wrappers, started as kustomize starts them: by their names, from the only directory of its `PATH`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use confined::{Confinement, Deadline, Ended, Failure, Status, run_confined};
use render::wrappers;

use super::{Tool, assert_ends, free, os, write_script};
use crate::support::switches;

/// Prints the name, the arguments and the environment of the call.
const SHOW: &str = "echo \"$0 $*\"; /usr/bin/env";

/// A fake kustomize that calls a wrapper, and the directory of the wrappers.
struct Below {
    kustomize: Tool,
    wrappers: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Below {
    /// Sets up the wrappers; the script `real` replaces the real git and helm.
    fn new(kustomize: &str, real: &str) -> Self {
        let kustomize = Tool::new(kustomize);
        let real = write_script(&kustomize.scratch.source().join("real"), real);
        let wrappers = kustomize.scratch.source().join("wrappers");
        fs::create_dir(&wrappers).unwrap();
        let environment =
            wrappers::install(&wrappers, &switches::program(), Some(&real), Some(&real), &[&wrappers]).unwrap();
        Self { kustomize, wrappers, environment }
    }

    fn run(&self, arguments: &[&str], confinement: &Confinement) -> Result<Ended, Failure> {
        let mut program = self.kustomize.program();
        program.arguments = os(arguments);
        program.environment.clone_from(&self.environment);
        // kustomize calls helm with these variables.
        program.environment.push(("HELM_CONFIG_HOME".into(), "/hostile".into()));
        program.environment.push(("HELM_DATA_HOME".into(), "/hostile/.data".into()));
        run_confined(&program, confinement)
    }

    /// The output of a call that must be allowed.
    fn shows(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments, &free()).unwrap();
        assert_eq!(ended.status, Status::Exited(0), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).unwrap()
    }
}

/// Runs its arguments as a command, and searches programs as kustomize does.
const RUN: &str = "\"$@\"";

#[test]
fn git_gets_the_end_of_options_and_no_dangerous_protocol() {
    let below = Below::new(RUN, SHOW);
    let text = below.shows(&["git", "fetch", "--depth=1", "https://example.com/repo", "main"]);
    assert!(text.contains("/real fetch --depth=1 --end-of-options https://example.com/repo main\n"), "{text}");
    for line in ["GIT_ALLOW_PROTOCOL=https:http:ssh", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    assert!(!text.contains("ARGOCD_JOBS_"), "{text}");
    let wrappers = below.wrappers.display().to_string();
    assert!(text.lines().any(|line| line.starts_with("PATH=") && !line.contains(&wrappers)), "{text}");
}

#[test]
fn helm_gets_directories_of_ours() {
    let below = Below::new(RUN, SHOW);
    let text = below.shows(&["helm", "template", "web", "/charts/web"]);
    assert!(text.contains("/real template web /charts/web\n"), "{text}");
    assert!(!text.contains("=/hostile") && !text.contains("ARGOCD_JOBS_"), "{text}");
    let names = ["CONFIG_HOME", "DATA_HOME", "PLUGINS", "CACHE_HOME", "REGISTRY_CONFIG", "REPOSITORY_CONFIG"];
    for name in names.map(|name| format!("HELM_{name}")) {
        let value = text.lines().find_map(|line| line.strip_prefix(&*name)?.strip_prefix('='));
        let dir = PathBuf::from(value.unwrap_or_else(|| panic!("{name}: {text}")));
        assert!(dir.starts_with(&below.wrappers), "{name}: {text}");
        assert!(!dir.exists() || fs::read_dir(&dir).unwrap().next().is_none(), "{name}: {text}");
    }
}

#[test]
fn what_is_not_kustomizes_own_is_refused() {
    let below = Below::new(RUN, SHOW);
    for (arguments, message) in [
        (
            &["git", "fetch", "--upload-pack=id"][..],
            "git wrapper: unrecognized 'git fetch' invocation, refusing (see GHSA-9v9p-x54c-58gc)\n",
        ),
        (
            &["git", "fetch", "--depth=1", "https://example.com/repo", "--upload-pack=id"],
            "git wrapper: `--upload-pack=id` is an option, refusing (see GHSA-9v9p-x54c-58gc)\n",
        ),
        (
            &["helm", "template", "--post-renderer=/bin/id", "/charts/web"],
            "helm wrapper: `--post-renderer=/bin/id` is an option that kustomize does not use, refusing\n",
        ),
        (&["helm", "template", "web", "/etc"], "helm wrapper: the chart is outside the repository, refusing\n"),
        (
            &["helm", "pull", "--untar", "--untardir", "/etc/new/charts", "web"],
            "helm wrapper: the chart is outside the repository, refusing\n",
        ),
    ] {
        let ended = below.run(arguments, &free()).unwrap();
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), message);
        assert_eq!((ended.status, ended.stdout.len()), (Status::Exited(1), 0), "{arguments:?}");
    }
}

#[test]
fn a_wrapper_without_its_variables_refuses() {
    let below = Below::new("exec /usr/bin/env -i \"$1\"/git init", SHOW);
    let ended = below.run(&[below.wrappers.to_str().unwrap()], &free()).unwrap();
    let text = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(text, "git wrapper: ARGOCD_JOBS_REAL_GIT is not set: only argocd-jobs itself starts this\n");
}

#[test]
fn without_programs_there_is_nothing_to_call() {
    let dir = Tool::new("");
    let variables = wrappers::install(&dir.scratch.source(), &switches::program(), None, None, &[]).unwrap();
    assert_eq!(variables, [(OsString::from("PATH"), dir.scratch.source().into())]);
    assert!(!dir.scratch.source().join("git").exists() && !dir.scratch.source().join("helm").exists());
}

/// The parent-death signal is not inherited, so kustomize's helm needs it again.
#[test]
fn what_kustomize_started_ends_with_it() {
    let hang =
        "trap '' TERM HUP PIPE; exec >/dev/null 2>&1; echo $$ >\"${0%/*}/pid\"; while :; do /bin/sleep 0.05; done";
    let below = Below::new("helm template web /charts/web & wait", hang);
    let confinement = Confinement { deadline: Deadline::after(Duration::from_secs(1)), ..free() };
    assert!(matches!(below.run(&[], &confinement), Err(Failure::TooLong)));
    assert_ends(below.kustomize.number("pid"));
}

#[test]
fn what_kustomize_starts_has_its_limits() {
    let show = "/bin/grep 'Max data size' /proc/$$/limits; /bin/cat /proc/$$/oom_score_adj";
    let below = Below::new(RUN, show);
    let ended = below.run(&["helm", "version"], &Confinement { memory: Some(1 << 30), ..free() }).unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "Max data size 1073741824 1073741824 bytes 1000");
}
