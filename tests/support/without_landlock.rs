//! `without-landlock PROGRAM ARGUMENTS…` becomes the program, for which the kernel seems to have no Landlock. Only
//! for tests: `cargo build --example without-landlock`.

#![allow(clippy::disallowed_methods, reason = "it becomes another program")]
#![allow(clippy::unwrap_used, reason = "whoever starts it sees why it fails")]

#[cfg(target_os = "linux")]
#[path = "landlock.rs"]
mod landlock;

#[cfg(target_os = "linux")]
fn main() {
    use std::os::unix::process::CommandExt;
    landlock::deny();
    let mut arguments = std::env::args_os().skip(1);
    let error = std::process::Command::new(arguments.next().unwrap()).args(arguments).exec();
    panic!("{error}");
}

#[cfg(not(target_os = "linux"))]
fn main() {}
