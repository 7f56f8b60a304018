//! Limits of memory and network, and that a tool ends with the program.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::{fs, io};

use confined::{Confinement, Failure, Network, Status, run_confined};

use super::{Tool, assert_ends, free, os, print, soon};
use crate::support::switches;

const MEBIBYTE: u64 = 1 << 20;

/// Ordinary tools need far less on this machine.
fn little_memory() -> Confinement {
    Confinement { memory: Some(64 * MEBIBYTE), ..free() }
}

#[test]
fn a_tool_that_takes_too_much_memory_fails() {
    // The shell stores what it reads in memory.
    let script = "x=$(head -c $1 /dev/zero | tr '\\0' x); echo ${#x}";
    let tool = Tool::new(script);
    let mut program = tool.program();
    program.arguments = os(&["5000000"]);
    assert_eq!(run_confined(&program, &little_memory()).unwrap().stdout, b"5000000\n");
    program.arguments = os(&["90000000"]);
    let ended = run_confined(&program, &little_memory()).unwrap();
    assert!(ended.status != Status::Exited(0) && ended.stdout.is_empty(), "{ended:?}");
}

/// Each process uses half of the limit, about 75 MiB.
#[test]
fn the_limit_is_for_all_processes_of_a_tool_together() {
    let hold = "x=$(head -c 40000000 /dev/zero | tr '\\0' x); sleep 1; echo ${#x}";
    let run =
        |script: &str, memory: u64| Tool::new(script).run(&Confinement { memory: Some(memory * MEBIBYTE), ..free() });
    assert_eq!(run(hold, 150).unwrap().stdout, b"40000000\n");
    let three = format!("({hold}) & ({hold}) & ({hold}) & wait");
    assert_eq!(run(&three, 400).unwrap().stdout, b"40000000\n40000000\n40000000\n");
    assert!(matches!(run(&three, 150), Err(Failure::TooMuchMemory)));
}

#[test]
fn a_tool_that_says_that_memory_is_out_is_believed_when_it_fails() {
    let says = |status| Tool::new(&format!("echo 'fatal error: runtime: out of memory' >&2; exit {status}"));
    assert!(says(2).run(&free()).unwrap().ran_out_of_memory());
    assert!(!says(0).run(&free()).unwrap().ran_out_of_memory());
}

#[test]
fn limits_are_set_before_the_tool_starts() {
    let script = "grep -E 'Max (data size|core file size)' /proc/$$/limits; cat /proc/$$/oom_score_adj; \
                  grep NoNewPrivs /proc/$$/status";
    let ended = Tool::new(script).run(&Confinement { memory: Some(MEBIBYTE << 10), ..free() }).unwrap();
    let text = String::from_utf8(ended.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "Max data size 1073741824 1073741824 bytes Max core file size 0 0 bytes 1000 NoNewPrivs: 1";
    assert_eq!(text, expected);
}

/// The helper of the next test. It connects as a Go or C program would.
#[test]
fn helper_that_connects() {
    let Some(address) = switches::helper("CONNECT") else { return };
    let told = |result: io::Result<()>| result.map_or_else(|error| error.kind().to_string(), |()| "opened".to_owned());
    let tcp = told(TcpStream::connect(address).map(drop));
    let udp = told(UdpSocket::bind("127.0.0.1:0").map(drop));
    let unix = told(UnixDatagram::unbound().map(drop));
    print(&format!("tcp {tcp}, udp {udp}, unix {unix}"));
}

#[test]
fn a_denied_network_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tool = Tool::new("");
    let mut program = tool.program();
    program.path = std::env::current_exe().unwrap();
    program.arguments = os(&["--exact", "confined::limits::helper_that_connects", "--nocapture"]);
    program.environment.push(("CONNECT".into(), listener.local_addr().unwrap().to_string().into()));
    let text = |network| {
        let ended = run_confined(&program, &Confinement { network, ..free() }).unwrap();
        String::from_utf8(ended.stdout).unwrap()
    };
    let (allowed, denied) = (text(Network::Allowed), text(Network::Denied));
    assert!(allowed.contains("tcp opened, udp opened, unix opened\n"), "{allowed}");
    assert!(denied.contains("tcp permission denied, udp permission denied, unix opened\n"), "{denied}");
}

/// The helper of the next test: a program that runs a tool and is killed.
#[test]
fn helper_that_is_killed() {
    let Some(folder) = switches::helper("RUN_A_TOOL_IN") else { return };
    let mut program = Tool::new("").program();
    program.path = std::path::Path::new(&folder).join("tool");
    program.dir = folder.into();
    drop(run_confined(&program, &free()));
}

#[test]
fn a_tool_dies_with_the_program() {
    // The tool ignores every signal that it can ignore, and holds none of our streams.
    let tool = Tool::new("trap '' TERM HUP PIPE; exec </dev/null; echo $$ >pid; while :; do sleep 0.05; done");
    let mut helper = Command::new(std::env::current_exe().unwrap());
    helper.args(["--exact", "confined::limits::helper_that_is_killed", "--nocapture"]);
    helper.env("RUN_A_TOOL_IN", tool.scratch.source()).stdout(Stdio::null());
    let mut helper = helper.spawn().unwrap();
    let written = soon(|| fs::read(tool.scratch.source().join("pid")).is_ok_and(|text| text.ends_with(b"\n")));
    assert!(written, "the tool was not started");
    let pid = tool.number("pid");
    assert!(super::runs(pid));
    helper.kill().unwrap();
    helper.wait().unwrap();
    assert_ends(pid);
}
