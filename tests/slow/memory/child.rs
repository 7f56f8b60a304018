//! The child in which `generate` runs: how its end is told, and that it does not outlive the program.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::scratch::Scratch;
use crate::support::switches;

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// Starts `generate -`, which waits for its input.
fn waiting() -> Child {
    let mut command = Command::new(switches::program());
    command.args(["generate", "-"]).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The process number of the child of a process, once it has become the program.
fn child_of(parent: &Child) -> u32 {
    let children = format!("/proc/{0}/task/{0}/children", parent.id());
    let find = || {
        let child = fs::read_to_string(&children).ok()?.trim().parse().ok()?;
        let arguments = fs::read(format!("/proc/{child}/cmdline")).ok()?;
        (arguments.ends_with(b"\0generate\0-\0") && !arguments.starts_with(b"argocd-jobs-launch")).then_some(child)
    };
    in_time(find).expect("the child becomes the program")
}

/// What `find` returns, asked again for half a minute.
fn in_time<T>(find: impl Fn() -> Option<T>) -> Option<T> {
    (0..3_000).find_map(|_| {
        let found = find();
        if found.is_none() {
            thread::sleep(Duration::from_millis(10));
        }
        found
    })
}

fn system(program: &str, arguments: &[&str]) {
    assert!(Command::new(program).args(arguments).status().unwrap().success(), "{program} {arguments:?}");
}

#[track_caller]
fn assert_fails(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with(message) && stderr.contains("\nhelp: ") && stderr.lines().count() == 2, "{stderr}");
}

#[test]
fn a_lack_of_memory_is_a_message() {
    let mut program = waiting();
    let child = child_of(&program).to_string();
    // Less than the child has already, so that it gets no more.
    system("prlimit", &["--pid", &child, "--data=1000000"]);
    let mut input = program.stdin.take().unwrap();
    // The child may be gone before it has read all.
    drop(input.write_all("# a comment\n".repeat(5_000_000).as_bytes()));
    drop(input);
    let output = program.wait_with_output().unwrap();
    // Where memory is asked for by a function that can fail, the message is its own.
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_told = ["cannot read standard input: out of memory", "`generate` needed more than "];
    assert!(output.status.code() == Some(2) && is_told.iter().any(|text| stderr.starts_with(text)), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_killed_child_is_a_message() {
    let program = waiting();
    system("kill", &["-KILL", &child_of(&program).to_string()]);
    assert_fails(&program.wait_with_output().unwrap(), "`generate` was killed: ");
}

#[test]
fn the_child_does_not_outlive_the_program() {
    for signal in ["-TERM", "-KILL"] {
        let mut program = waiting();
        let child = format!("/proc/{}", child_of(&program));
        system("kill", &[signal, &program.id().to_string()]);
        program.wait().unwrap();
        let is_gone = || (!Path::new(&child).exists()).then_some(());
        assert!(in_time(is_gone).is_some(), "{signal}");
    }
}

#[test]
fn nothing_is_printed_twice_where_the_end_of_a_child_cannot_be_seen() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", CONFIG_MAP);
    let mut command = Command::new("env");
    command.arg("--ignore-signal=CHLD").arg(switches::program()).args(["generate", "."]);
    let output = command.current_dir(scratch.source()).output().unwrap();
    assert_fails(&output, "how `generate` ended is not known: ");
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("kind:").count(), 1);
}
