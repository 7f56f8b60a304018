//! Tools that work on strangers' files. Shell scripts act as tools that do what they must not do.

#![cfg(target_os = "linux")]

mod attacks;
mod limits;
mod private_dir;
mod streams;
mod wall;
mod wrappers;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use confined::{Confinement, Deadline, Ended, Failure, Network, Program, run_confined};

use crate::support::scratch::Scratch;
use crate::support::switches;

/// Much longer than a script takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A confinement with the program under test as the launcher, a minute, and no other limits.
fn free() -> Confinement {
    Confinement {
        launcher: switches::program(),
        memory: None,
        network: Network::Allowed,
        wall: None,
        deadline: Deadline::after(LONG),
    }
}

/// A folder that contains a fake tool.
struct Tool {
    scratch: Scratch,
    path: PathBuf,
}

impl Tool {
    fn new(script: &str) -> Self {
        let scratch = Scratch::new();
        let path = write_script(&scratch.source().join("tool"), script);
        Self { scratch, path }
    }

    /// The tool without arguments, in the folder of the test; its environment is the developer's `PATH`.
    fn program(&self) -> Program {
        Program {
            path: self.path.clone(),
            arguments: Vec::new(),
            environment: vec![("PATH".into(), switches::path())],
            dir: self.scratch.source(),
        }
    }

    fn run(&self, confinement: &Confinement) -> Result<Ended, Failure> {
        run_confined(&self.program(), confinement)
    }

    /// A number that the tool has written into a file of its folder.
    fn number(&self, file: &str) -> u32 {
        number_in(&self.scratch.source().join(file)).unwrap()
    }
}

/// Writes an executable script for `/bin/sh`.
///
/// `cp` writes the executed file. If this process had it open, a child that another test forks at that moment would
/// have it open, too, and Linux does not execute a file that is open for writing.
fn write_script(path: &Path, script: &str) -> PathBuf {
    let text = path.with_extension("text");
    fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&text, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Command::new("cp").arg("-p").args([&text, path]).status().unwrap().success());
    path.to_owned()
}

fn number_in(file: &Path) -> Option<u32> {
    fs::read_to_string(file).ok()?.strip_suffix('\n')?.parse().ok()
}

/// Whether a process runs. A zombie counts as ended.
fn runs(pid: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    state.is_some_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X']))
}

/// Fails when a process still runs after a minute.
fn assert_ends(pid: u32) {
    assert!(soon(|| !runs(pid)), "process {pid} still runs");
}

/// Waits until a condition holds; false when it does not hold within a minute.
fn soon(holds: impl Fn() -> bool) -> bool {
    let pause = Duration::from_millis(5);
    (0..LONG.as_millis() / pause.as_millis()).any(|_| {
        std::thread::sleep(pause);
        holds()
    })
}

/// Texts as arguments.
fn os(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

/// Prints a line on a helper's standard output.
fn print(line: &str) {
    io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}
