//! Every command limits its own memory, and ends with nothing printed when it needs more.

use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use crate::support::scratch::Scratch;
use crate::support::switches;

/// The soft limit of data of a process in bytes, as the kernel prints it.
fn limit(process: u32) -> String {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max data size")).unwrap();
    line.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn generate_limits_its_memory() {
    let mut command = Command::new(switches::program());
    command.args(["generate", "-"]).env_clear();
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_limited = (0..3_000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        limit(program.id()).parse::<u64>().is_ok_and(|bytes| bytes <= 1 << 30)
    });
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(is_limited);
}

#[test]
fn a_lack_of_memory_prints_nothing_on_standard_output() {
    let scratch = Scratch::new();
    let data: String = (0..200_000).map(|number| format!("  k{number}: a\n")).collect();
    scratch.write("a.yaml", format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}"));
    let mut command = Command::new("prlimit");
    // Less than the file takes, so that the lower limit has to stay.
    command.arg("--data=6000000").arg(switches::program()).args(["generate", "."]).env_remove("RUST_BACKTRACE");
    let output = command.current_dir(scratch.source()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.starts_with("memory allocation of "), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_check_that_needs_too_much_says_so() {
    let scratch = Scratch::new();
    let jobs: String = (0..40_000)
        .map(|number| {
            format!("---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j{number}}}\nspec: {{template: {{}}}}\n")
        })
        .collect();
    scratch.write("a.yaml", jobs);
    let mut command = Command::new("prlimit");
    command.arg("--data=60000000").arg(switches::program()).args(["check", "."]).env_remove("RUST_BACKTRACE");
    let output = command.current_dir(scratch.source()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && stderr.starts_with("more than 45 MiB of memory are needed\n"),
        "{output:?}"
    );
    assert!(output.stdout.is_empty());
}
