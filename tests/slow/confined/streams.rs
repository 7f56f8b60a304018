//! The input, the environment and the output of a tool, and how it ends.

use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, io};

use confined::{Confinement, Deadline, Failure, KEPT_STDERR, Program, Status, run_confined};

use super::{LONG, Tool, assert_ends, free, os, print};
use crate::support::switches;

#[test]
fn a_tool_gets_what_is_spelled_out_and_nothing_else() {
    let tool = Tool::new("/usr/bin/env; pwd; cat; for argument; do echo \"[$argument]\"; done");
    let mut program = tool.program();
    program.environment = vec![("A".into(), "1 2".into()), ("HELM_DEBUG".into(), "".into())];
    program.arguments = os(&["--set", "a b", "", "-"]);
    let ended = run_confined(&program, &free()).unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    // The shell sets these variables itself.
    let own = |line: &&str| !line.starts_with("PWD=") && !line.starts_with("_=") && !line.starts_with("SHLVL=");
    let lines: Vec<&str> = text.lines().filter(own).collect();
    let dir = tool.scratch.source().display().to_string();
    assert_eq!(lines, ["A=1 2", "HELM_DEBUG=", &dir, "[--set]", "[a b]", "[]", "[-]"]);
    assert_eq!((ended.status, ended.stderr.len()), (Status::Exited(0), 0));
}

#[test]
fn a_tool_stays_in_our_process_group() {
    let ended = Tool::new("echo $$ $(ps -o pgid= -p $$)").run(&free()).unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    let group = text.split_whitespace().nth(1).map(str::to_owned);
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let own = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2).map(str::to_owned);
    assert_eq!(group, own, "{text}");
}

#[test]
fn a_tool_that_sleeps_is_ended_at_the_deadline() {
    for (script, limit) in
        [("echo $$ >pid; exec sleep 60", 20), ("trap '' TERM; echo $$ >pid; while :; do sleep 0.05; done", 30)]
    {
        let tool = Tool::new(script);
        let start = Instant::now();
        let confinement = Confinement { deadline: Deadline::after(Duration::from_millis(500)), ..free() };
        assert!(matches!(tool.run(&confinement), Err(Failure::TooLong)), "{script}");
        assert!(start.elapsed() < Duration::from_secs(limit), "{script}");
        assert!(!super::runs(tool.number("pid")), "{script}");
        // A deadline that has passed also applies to the next tool.
        assert!(matches!(tool.run(&confinement), Err(Failure::TooLong)), "{script}");
    }
}

#[test]
fn a_tool_can_tidy_up_at_the_deadline() {
    let tool = Tool::new("trap 'echo 1 >tidied; exit' TERM; echo $$ >pid; while :; do sleep 0.02; done");
    let confinement = Confinement { deadline: Deadline::after(Duration::from_secs(1)), ..free() };
    assert!(matches!(tool.run(&confinement), Err(Failure::TooLong)));
    assert_eq!(tool.number("tidied"), 1);
}

#[test]
fn a_tool_that_floods_standard_output_is_ended_at_once() {
    let tool = Tool::new("echo $$ >pid; exec cat /dev/zero");
    let start = Instant::now();
    assert!(matches!(tool.run(&free()), Err(Failure::TooMuch)));
    assert!(start.elapsed() < LONG);
    assert_ends(tool.number("pid"));
}

/// The helper of the next test: prints its memory use in KiB.
#[test]
fn helper_that_reads_a_flood() {
    if switches::helper("READ_A_FLOOD").is_none() {
        return;
    }
    assert!(matches!(Tool::new("cat /dev/zero >&2 & exec cat /dev/zero").run(&free()), Err(Failure::TooMuch)));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    print(&format!("peak {}", peak.trim().trim_end_matches(" kB")));
}

#[test]
fn a_flood_takes_no_more_memory_than_the_limit() {
    let mut helper = Command::new(std::env::current_exe().unwrap());
    helper.args(["--exact", "confined::streams::helper_that_reads_a_flood", "--nocapture"]).env("READ_A_FLOOD", "1");
    let text = String::from_utf8(helper.output().unwrap().stdout).unwrap();
    let peak: usize = text.split("peak ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    assert!(peak < 150 << 10, "{peak} KiB");
}

#[test]
fn as_much_as_argo_cd_takes_is_read() {
    let tool = Tool::new("head -c 104857600 /dev/zero");
    assert_eq!(tool.run(&free()).unwrap().stdout.len(), 100 << 20);
}

#[test]
fn the_end_of_standard_error_is_kept() {
    let tool = Tool::new("head -c 20000000 /dev/zero >&2; echo the reason >&2; echo out; exit 3");
    let ended = tool.run(&free()).unwrap();
    assert_eq!((ended.stderr.len(), ended.stdout.len(), ended.status), (KEPT_STDERR, 4, Status::Exited(3)));
    assert!(ended.stderr.ends_with(b"\0the reason\n"));
    assert!(!ended.ran_out_of_memory());
}

#[test]
fn a_signal_is_told_from_an_exit() {
    assert_eq!(Tool::new("kill -11 $$").run(&free()).unwrap().status, Status::Killed(11));
    assert!(Tool::new("kill -9 $$").run(&free()).unwrap().ran_out_of_memory());
}

#[test]
fn a_tool_that_is_not_there_is_an_error() {
    let tool = Tool::new("");
    let mut program = tool.program();
    program.path = tool.scratch.source().join("missing");
    let error = |program: &Program| match run_confined(program, &free()) {
        Err(Failure::Io(error)) => error.kind(),
        other => panic!("{other:?}"),
    };
    assert_eq!(error(&program), io::ErrorKind::NotFound);
    program.path = tool.scratch.write("file", "no program");
    assert_eq!(error(&program), io::ErrorKind::PermissionDenied);
    program.path = "tool".into();
    assert_eq!(error(&program), io::ErrorKind::InvalidInput);
    program = tool.program();
    program.dir = tool.scratch.source().join("missing");
    assert_eq!(error(&program), io::ErrorKind::NotFound);
    // An exit status of a tool that looks like the launcher's own.
    assert_eq!(Tool::new("exit 127").run(&free()).unwrap().status, Status::Exited(127));
}
