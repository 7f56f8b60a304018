//! A private directory is removed with its owner, and nothing else is.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use confined::{PrivateDir, run_confined};

use super::{Tool, assert_ends, free, soon};
use crate::support::scratch::Scratch;
use crate::support::switches;

fn new(scratch: &Scratch) -> PrivateDir {
    PrivateDir::new(&switches::program(), &scratch.source()).unwrap()
}

fn at(dir: &PrivateDir) -> &Path {
    dir.path().unwrap()
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn only_its_owner_may_enter_it_and_it_goes_with_him() {
    let scratch = Scratch::new();
    let (one, other) = (new(&scratch), new(&scratch));
    assert_ne!(at(&one), at(&other));
    assert_eq!(fs::metadata(at(&one)).unwrap().permissions().mode() & 0o7777, 0o700);
    fs::write(at(&one).join("a"), "a").unwrap();
    let path = at(&one).to_owned();
    drop(one);
    assert!(!path.exists() && at(&other).exists());
    drop(other);
    assert!(entries(&scratch.source()).is_empty());
}

#[test]
fn all_that_is_in_it_is_removed_and_nothing_else() {
    let scratch = Scratch::new();
    let kept = scratch.write("kept/deep/file", "kept");
    fs::set_permissions(kept.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    let dir = new(&scratch);
    symlink(scratch.source().join("kept"), at(&dir).join("link")).unwrap();
    symlink("/", at(&dir).join("root")).unwrap();
    symlink("nowhere", at(&dir).join("dangling")).unwrap();
    let inner = at(&dir).join("a/b/c");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("file"), "x").unwrap();
    symlink(scratch.source().join("kept"), inner.join("link")).unwrap();
    fs::set_permissions(inner.join("file"), fs::Permissions::from_mode(0o000)).unwrap();
    for (path, mode) in [("a/b/c", 0o500), ("a/b", 0o000), ("a", 0o100)] {
        fs::set_permissions(at(&dir).join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    drop(dir);
    assert_eq!(entries(&scratch.source()), [scratch.source().join("kept")]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
    assert_eq!(fs::metadata(kept.parent().unwrap()).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn it_needs_a_place() {
    let scratch = Scratch::new();
    let error = |parent: &Path| match PrivateDir::new(&switches::program(), parent) {
        Ok(dir) => {
            let error = dir.path().unwrap_err();
            assert!(dir.path().is_err(), "it fails once only");
            error.kind()
        }
        Err(error) => error.kind(),
    };
    assert_eq!(error(&scratch.source().join("missing")), std::io::ErrorKind::NotFound);
    assert_eq!(error(&scratch.write("file", "")), std::io::ErrorKind::NotADirectory);
    assert_eq!(error(Path::new("relative")), std::io::ErrorKind::InvalidInput);
}

/// The helper of the next test: a program that has a private directory, runs a tool in it, and is killed.
#[test]
fn helper_that_is_killed() {
    let Some(folder) = switches::helper("HAVE_A_DIR_IN") else { return };
    let folder = Path::new(&folder);
    let dir = PrivateDir::new(&switches::program(), folder).unwrap();
    fs::write(at(&dir).join("secret"), "x").unwrap();
    let mut program = Tool::new("").program();
    (program.path, program.dir) = (folder.join("tool"), at(&dir).to_owned());
    drop(run_confined(&program, &free()));
}

/// cmp-server ends a plugin after its timeout like this: with SIGKILL to its process group.
#[test]
fn nothing_is_left_of_a_program_that_is_killed() {
    let tool = Tool::new("trap '' TERM; echo $$ >../pid; n=0; while :; do n=$((n+1)); echo x >$n; done");
    let folder = tool.scratch.source();
    let mut helper = Command::new(std::env::current_exe().unwrap());
    helper.args(["--exact", "confined::private_dir::helper_that_is_killed", "--nocapture"]);
    helper.env("HAVE_A_DIR_IN", &folder).stdout(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut helper, 0);
    let mut helper = helper.spawn().unwrap();
    assert!(soon(|| super::number_in(&folder.join("pid")).is_some()), "the tool was not started");
    let dirs = || entries(&folder).into_iter().filter(|path| path.is_dir()).collect::<Vec<_>>();
    assert_eq!(dirs().len(), 1);
    let group = format!("-{}", helper.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    // No process holds the standard output of the helper any more.
    let mut stdout = helper.stdout.take().unwrap();
    let reader = thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    helper.wait().unwrap();
    assert_ends(tool.number("pid"));
    assert!(soon(|| reader.is_finished()), "somebody holds standard output");
    assert!(soon(|| dirs().is_empty()), "{:?}", dirs());
}

#[test]
fn the_janitor_removes_only_what_it_has_made() {
    let scratch = Scratch::new();
    let kept = scratch.write("dir/file", "kept");
    let mut janitor = Command::new(switches::program());
    std::os::unix::process::CommandExt::arg0(&mut janitor, "argocd-jobs-janitor");
    let output = janitor.arg(kept.parent().unwrap()).stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success() && kept.exists());
}
