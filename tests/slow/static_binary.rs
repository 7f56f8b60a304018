//! The released program needs nothing from its image: it is statically linked, and runs alone in an empty, read-only
//! root as Argo CD's user.
//!
//! `cargo static` builds it, which takes minutes; `.ci/run` does that, and `STATIC_PROGRAM` contains the path.
//! Without it, these tests do nothing.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::scratch::Scratch;
use crate::support::{program, switches};

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
                   containers:\n      - name: migrate\n        image: shop:1.2.3\n";

/// Runs "$@" as Argo CD's user in the root "$0", which becomes read-only.
const IN_ROOT: &str = r#"
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 97
if touch "$0/written" 2>/dev/null; then exit 98; fi
exec chroot --userspec=999:999 "$0" "$@"
"#;

#[test]
fn the_released_program_needs_no_loader_and_no_library() {
    let Some(program) = switches::static_program() else { return };
    let elf = Elf::read(&program);
    assert!(!elf.has_interpreter, "it names a loader");
    assert_eq!(elf.libraries, 0, "it needs shared libraries");
}

#[test]
fn a_program_with_a_loader_is_told_from_one_without() {
    // If everything is statically linked on this machine, this test program has no loader, either.
    if !cfg!(target_feature = "crt-static") {
        let elf = Elf::read(Path::new("/proc/self/exe"));
        assert!(elf.has_interpreter);
        assert!(elf.libraries > 0);
    }
}

#[test]
fn it_runs_alone_in_an_empty_read_only_root_as_user_999() {
    let Some(program) = switches::static_program() else { return };
    if let Some(reason) = no_root_of_its_own() {
        return switches::not_run(&format!("the static program alone in a root of its own: {reason}"));
    }
    let scratch = Scratch::new();
    let root = scratch.source();
    scratch.write("manifests/job.yaml", JOB);
    fs::copy(program, root.join("argocd-jobs")).unwrap();

    let expected = program::generate(JOB.as_bytes(), &[]);
    assert!(expected.is_quiet_success() && expected.text().contains("name: migrate-"), "{}", expected.stderr);
    for (arguments, input) in [(["generate", "/manifests"], ""), (["generate", "-"], JOB)] {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", IN_ROOT]).arg(&root).arg("/argocd-jobs").args(arguments);
        let output = program::run(command, input.as_bytes());
        assert!(output.is_quiet_success(), "{arguments:?}: {:?}\n{}", output.status, output.stderr);
        assert_eq!(output.text(), expected.text(), "{arguments:?}");
    }
}

/// The reason why a process cannot have another root here; `None` when it can.
fn no_root_of_its_own() -> Option<String> {
    for tried in [&["unshare", "--mount", "true"][..], &["chroot", "--userspec=999:999", "/", "true"]] {
        match Command::new(tried[0]).args(&tried[1..]).output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => return Some(format!("`{}`: {}", tried.join(" "), String::from_utf8_lossy(&output.stderr))),
            Err(error) => return Some(format!("`{}`: {error}", tried.join(" "))),
        }
    }
    None
}

/// What an executable needs from the system: <https://refspecs.linuxfoundation.org/elf/elf.pdf>, for 64 bits, little
/// endian.
struct Elf {
    has_interpreter: bool,
    libraries: usize,
}

impl Elf {
    fn read(path: &Path) -> Self {
        const DYNAMIC: u64 = 2;
        const INTERPRETER: u64 = 3;
        const NEEDED: u64 = 1;
        let bytes = fs::read(path).unwrap();
        assert_eq!(&bytes[..6], b"\x7fELF\x02\x01", "{} is no such executable", path.display());
        let number = |at: usize, size: usize| {
            bytes[at..at + size].iter().rev().fold(0u64, |number, byte| (number << 8) | u64::from(*byte))
        };
        let place = |at: usize| usize::try_from(number(at, 8)).unwrap();
        let (first, size, count) = (place(0x20), number(0x36, 2), number(0x38, 2));
        let headers = (0..count).map(|index| first + usize::try_from(index * size).unwrap());
        let mut elf = Self { has_interpreter: false, libraries: 0 };
        for header in headers {
            match number(header, 4) {
                INTERPRETER => elf.has_interpreter = true,
                DYNAMIC => {
                    let entries = (place(header + 0x8)..).step_by(16).take(place(header + 0x20) / 16);
                    elf.libraries = entries.filter(|entry| number(*entry, 8) == NEEDED).count();
                }
                _ => {}
            }
        }
        elf
    }
}
