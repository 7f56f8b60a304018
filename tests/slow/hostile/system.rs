//! Resources that the operating system may refuse: stack and threads.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use super::bounded::{Bounds, limited, run_within, shell};
use super::job;
use crate::support::program::{self, Output};
use crate::support::scratch::Scratch;
use crate::support::switches;

/// The number of nested collections below `spec.x`, which is on level 2, so that the maximum depth is used.
const LEVELS: usize = 510;

/// Jobs with this many nested collections, written in each style.
fn jobs(levels: usize) -> [String; 4] {
    let job = || job("a").replace("containers: []", "containers: [{name: c, image: a}]");
    let with = |open: &str, inner: &str, close: &str| open.repeat(levels) + inner + &close.repeat(levels);
    let lines: String = (0..levels).map(|level| format!("{}a:\n", " ".repeat(level + 3))).collect();
    let aliased = job().replace("metadata:\n  name: a\n", "metadata: *m\n");
    [
        job() + "  x: " + &with("[", "", "]") + "\n",
        job() + "  x: " + &with("{a: ", "b", "}") + "\n",
        job() + "  x:\n" + &lines,
        format!("y: &m {{name: a}}\n{aliased}  x: {}\n", with("[", "", "]")),
    ]
}

#[test]
fn the_deepest_input_that_is_accepted_is_read_with_a_quarter_of_a_megabyte_of_stack() {
    let commands: [&[&str]; 7] = [
        &["generate", "new"],
        &["check", "new"],
        &["check", "new", "--format", "sarif"],
        &["check", "new", "--fix=all", "--diff"],
        &["preview", "new", "--diff", "always"],
        &["check", "new", "--base", "old"],
        &["preview", "new", "--base", "old"],
    ];
    for (number, text) in jobs(LEVELS).into_iter().enumerate() {
        let scratch = Scratch::new();
        scratch.write("new/a.yaml", &text);
        scratch.write("old/a.yaml", text.replace("image: a", "image: b"));
        for command in commands {
            let mut limited = shell("ulimit -s 256; exec \"$0\" \"$@\"");
            limited.arg(switches::program()).args(command).current_dir(scratch.source());
            let output = program::run(limited, b"");
            assert!(matches!(output.status, Some(0 | 1)), "{command:?}, shape {number}: {output:?}");
            assert!(!output.stdout.is_empty() || command.contains(&"--fix=all"), "{command:?}, shape {number}");
        }
    }
    for deeper in jobs(LEVELS + 1) {
        let output = run_within(Bounds::of(deeper.len()), &["generate", "-"], deeper.as_bytes());
        assert!(output.stderr.contains("nested more than 512 levels deep"), "{output:?}");
    }
}

/// Runs the program as an unprivileged user who may have only one process and one thread; `None` where it cannot
/// become this user.
fn without_threads(dir: &Path, arguments: &[&str]) -> Option<Output> {
    let program = dir.join("program");
    if !program.exists() {
        fs::copy(switches::program(), &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The option that limits processes is `-p` in dash and `-u` in bash.
    let mut command = shell("ulimit -p 1 2>/dev/null || ulimit -u 1; exec \"$0\" \"$@\"");
    command.arg(program).args(arguments).current_dir(dir).uid(64_999).gid(64_999);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().ok()?.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(Output { stdout: output.stdout, stderr, status: output.status.code() })
}

#[test]
fn where_no_thread_can_be_started_the_work_is_done_or_refused() {
    let scratch = Scratch::new();
    for number in 0..20 {
        scratch.write(&format!("new/{number}.yaml"), job(&format!("j{number}")).repeat(1 + number % 2));
        scratch.write(&format!("cases/{number}/case"), "generate -\n");
    }
    let dir = scratch.source();
    for command in [&["generate", "new"][..], &["check", "new"], &["preview", "new"]] {
        let Some(output) = without_threads(&dir, command) else {
            switches::not_run("the test without threads: only root can become another user");
            return;
        };
        let mut as_ever = limited(Bounds::of(0), command);
        as_ever.current_dir(&dir);
        let as_ever = program::run(as_ever, b"");
        assert_eq!((output.status, output.text()), (as_ever.status, as_ever.text()), "{command:?}: {}", output.stderr);
    }
    let output = without_threads(&dir, &["test", "cases"]).unwrap();
    assert_eq!(output.status, Some(2), "{output:?}");
    let refused = "the program cannot be started: Resource temporarily unavailable";
    assert!(output.text().contains(refused) || output.stderr.contains(refused), "{output:?}");
}
