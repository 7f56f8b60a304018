//! `--base` reads the checkout's own repository with the machine's own `git`: a pull request can choose neither of
//! them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::victim::{REAL, Victim, new_job, old_job, plant, preview_in, real, real_path};
use crate::support::program;
use crate::support::scratch::{Scratch, commit};

#[test]
fn files_that_look_like_a_repository_are_not_the_repository() {
    let files = |victim: &Victim, at: &str| {
        fs::write(victim.root().join(at).join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(victim.root().join(at).join("config"), "[core]\n\tbare = true\n").unwrap();
        fs::create_dir_all(victim.root().join(at).join("objects")).unwrap();
        fs::create_dir_all(victim.root().join(at).join("refs")).unwrap();
    };
    for at in ["apps/shop", "apps"] {
        let victim = Victim::new();
        assert_eq!(victim.preview(&[]), real(REAL));
        files(&victim, at);
        assert_eq!(victim.preview(&[]), real(REAL), "empty, in {at}");
        plant(&victim.root().join(at), if at == "apps" { "shop/m.yaml" } else { "m.yaml" });
        assert_eq!(victim.preview(&[]), real(REAL), "full, in {at}");
    }
}

#[test]
fn a_broken_git_folder_gives_way_neither_to_files_beside_it_nor_to_a_repository_above() {
    let victim = Victim::new();
    let (inner, named) = (victim.root().join("apps"), "apps/shop");
    fs::create_dir(inner.join(".git")).unwrap();
    let not_found = format!("{named}: not in a Git repository\nhelp: compare with a directory\n");
    assert_eq!(victim.preview(&[]), (String::new(), not_found, Some(2)));
    plant(&inner, "shop/m.yaml");
    let (printed, told, status) = victim.preview(&[]);
    assert_eq!((printed.as_str(), status), ("", Some(2)));
    // git before 2.38 does not know `safe.bareRepository`; then the comparison of its answer with our own finds the
    // wrong repository.
    let is_old = version_of_git() < (2, 38);
    let wanted = if is_old { "git finds the repository `" } else { "git refuses: cannot use bare repository " };
    assert!(told.starts_with(&format!("apps/shop: {wanted}")), "{told}");
}

fn version_of_git() -> (u32, u32) {
    let output = Command::new("git").arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut number = || numbers.next().unwrap().parse().unwrap();
    (number(), number())
}

#[test]
fn git_has_to_find_the_repository_that_was_found() {
    let victim = Victim::new();
    let outside = fs::canonicalize(victim.outside()).unwrap();
    victim.script(&outside.join("bin/git"), &format!("echo '{}'", outside.display()));
    let path = [("PATH", OsString::from(outside.join("bin")))];
    let (printed, told, status) = preview_in(&victim.root(), &path, &[]);
    let wanted = format!(
        "apps/shop: git finds the repository `{}`, but `{}` does not lead there\nhelp: repair that `.git`, or compare with a directory\n",
        outside.display(),
        outside.join("source/.git").display()
    );
    assert_eq!((printed.as_str(), told.as_str(), status), ("", wanted.as_str(), Some(2)));
    assert!(victim.started().exists());
}

#[test]
fn git_is_told_which_repository_to_read_and_is_started_once() {
    let victim = Victim::new();
    let outside = fs::canonicalize(victim.outside()).unwrap();
    let is_git = |folder: &PathBuf| folder.join("git").exists();
    let git = std::env::split_paths(&real_path()).find(is_git).unwrap().join("git");
    let log = outside.join("log");
    victim.script(
        &outside.join("bin/git"),
        &format!("printf '%s\\n' \"$*\" >> '{}'\nexec '{}' \"$@\"", log.display(), git.display()),
    );
    let path = [("PATH", OsString::from(outside.join("bin")))];
    assert_eq!(preview_in(&victim.root(), &path, &[]), real(REAL));
    let top = outside.join("source").display().to_string();
    let asked = format!("-c safe.bareRepository=explicit -C {top} rev-parse --absolute-git-dir\n");
    let read =
        format!("-c safe.bareRepository=explicit -C {top} --git-dir {top}/.git cat-file --batch --follow-symlinks\n");
    // Once in a run, however much is read from the revision.
    assert_eq!(fs::read_to_string(log).unwrap(), format!("{asked}{read}"));
}

#[test]
fn the_callers_variables_for_git_do_not_count() {
    let victim = Victim::new();
    let other = Scratch::new();
    other.write("apps/shop/m.yaml", new_job());
    commit(&other.source());
    let git_dir = other.source().join(".git");
    let trace = victim.outside().join("trace");
    for (name, value) in [
        ("GIT_DIR", git_dir.clone()),
        ("GIT_WORK_TREE", other.source()),
        ("GIT_COMMON_DIR", git_dir.clone()),
        ("GIT_OBJECT_DIRECTORY", git_dir.join("objects")),
        ("GIT_CEILING_DIRECTORIES", victim.root()),
        ("GIT_CONFIG_COUNT", PathBuf::from("nonsense")),
        ("GIT_CONFIG_PARAMETERS", PathBuf::from("nonsense")),
        ("GIT_CONFIG_GLOBAL", victim.root().join("apps/shop/m.yaml")),
        ("GIT_CONFIG_SYSTEM", victim.root().join("apps/shop/m.yaml")),
        ("GIT_NAMESPACE", PathBuf::from("x")),
        ("GIT_REPLACE_REF_BASE", PathBuf::from("refs/heads/")),
        ("GIT_TRACE", trace.clone()),
        ("GIT_TRACE2_EVENT", trace.clone()),
    ] {
        assert_eq!(victim.preview(&[(name, value.into())]), real(REAL), "{name}");
    }
    assert!(!trace.exists());
}

#[test]
fn git_is_not_started_from_inside_the_repository() {
    let victim = Victim::new();
    let root = victim.root();
    victim.own_git("tools");
    victim.own_git("apps/shop");
    victim.own_git(".");
    let outside = victim.outside();
    fs::create_dir_all(outside.join("bin")).unwrap();
    symlink(root.join("tools/git"), outside.join("bin/git")).unwrap();
    symlink(root.join("tools"), outside.join("linked")).unwrap();
    let (tools, linked, bin) = (root.join("tools"), outside.join("linked"), outside.join("bin"));
    let through = outside.join("bin/../source/tools");
    // This folder is not in the repository, but its path is relative, which suffices.
    victim.script(&outside.join("other/git"), "exit 1");
    let told = "apps/shop: no usable `git` on PATH\n\
                help: install git, or compare with a directory; relative folders on PATH and folders inside the repository are not searched\n";
    for entry in [
        Path::new("."),
        Path::new(""),
        Path::new("tools"),
        Path::new("apps/shop"),
        Path::new("../linked"),
        Path::new("../other"),
        &tools,
        &linked,
        &bin,
        &through,
    ] {
        let alone = [("PATH", OsString::from(entry))];
        let found = preview_in(&root, &alone, &[]);
        assert!(!victim.started().exists(), "PATH={}", entry.display());
        assert_eq!(found, (String::new(), told.to_owned(), Some(2)), "PATH={}", entry.display());
        let first = [entry.as_os_str(), &real_path()].join(std::ffi::OsStr::new(":"));
        assert_eq!(preview_in(&root, &[("PATH", first)], &[]), real(REAL), "PATH={}:…", entry.display());
        assert!(!victim.started().exists(), "PATH={}:…", entry.display());
    }
    let found = preview_in(&root, &[], &[]);
    assert_eq!(found, (String::new(), told.to_owned(), Some(2)), "no PATH");
}

/// Checks that the `git` in the repository of `owner` is ignored when the Application of `victim` is previewed in
/// `working_dir`.
fn own_git_is_passed_over(owner: &Victim, victim: &Victim, working_dir: &Path) {
    let git = owner.own_git("tools");
    let run = |path: OsString| {
        let mut command = program::program(working_dir);
        command
            .args(["preview", "--plugin"])
            .arg(victim.root().join("apps/shop"))
            .args(["--base", "HEAD"])
            .env("PATH", path);
        program::run(command, b"")
    };
    let told = run(git.parent().unwrap().into());
    assert!(told.stderr.contains(": no usable `git` on PATH\n"), "{}", told.stderr);
    let told = run([git.parent().unwrap().as_os_str(), &real_path()].join(std::ffi::OsStr::new(":")));
    assert!(told.text().starts_with(REAL), "{}", told.stderr);
    assert!(!owner.started().exists());
}

#[test]
fn git_is_not_started_from_inside_the_repository_that_one_works_in() {
    let (victim, mine) = (Victim::new(), Victim::new());
    own_git_is_passed_over(&mine, &victim, &mine.root().join("apps"));
}

#[test]
fn git_is_not_started_from_inside_the_repository_wherever_one_works() {
    let victim = Victim::new();
    own_git_is_passed_over(&victim, &victim, Path::new("/"));
}

#[test]
fn what_is_not_an_executable_file_is_passed_over() {
    let victim = Victim::new();
    let outside = victim.outside();
    fs::create_dir_all(outside.join("folder/git")).unwrap();
    fs::create_dir_all(outside.join("plain")).unwrap();
    fs::write(outside.join("plain/git"), "#!/bin/sh\n").unwrap();
    fs::create_dir_all(outside.join("dangling")).unwrap();
    symlink("gone", outside.join("dangling/git")).unwrap();
    for folder in ["folder", "plain", "dangling", "gone"] {
        let path = [outside.join(folder).as_os_str(), &real_path()].join(std::ffi::OsStr::new(":"));
        assert_eq!(preview_in(&victim.root(), &[("PATH", path)], &[]), real(REAL), "{folder}");
    }
}

#[test]
fn a_directory_with_the_name_of_the_revision_is_not_taken_for_it() {
    let victim = Victim::new();
    let run = |base: &str| {
        let mut command = program::program(&victim.root());
        command.args(["preview", "--plugin", "apps/shop", "--base", base, "--exit-code"]).env("PATH", real_path());
        let told = program::run(command, b"");
        (told.text().split_inclusive('\n').next().unwrap_or_default().to_owned(), told.stderr, told.status)
    };
    victim.0.write("HEAD/m.yaml", new_job());
    let told = "`HEAD` is both a path and a Git revision\n\
                help: write `rev:HEAD` for the revision, or `./HEAD` for the path\n";
    assert_eq!(run("HEAD"), (String::new(), told.to_owned(), Some(2)));
    assert_eq!(run("rev:HEAD").2, Some(3));
    assert_eq!(run("./HEAD").2, Some(0));
    victim.0.write("old/m.yaml", new_job());
    assert_eq!(run("old").2, Some(0));
    fs::remove_dir_all(victim.root().join("HEAD")).unwrap();
    symlink("old", victim.root().join("HEAD")).unwrap();
    assert_eq!(run("HEAD").1, told);
}

#[test]
fn a_symlink_in_the_place_of_the_source_directory_is_not_followed_to_the_base() {
    let victim = Victim::new();
    let root = victim.root();
    victim.0.write("examples/m.yaml", new_job());
    victim.0.write("apps/shop/m.yaml", old_job());
    commit(&root);
    let theirs = Scratch::new();
    theirs.write("m.yaml", new_job());
    commit(&theirs.source());
    for target in [root.join("examples"), theirs.source(), PathBuf::from("../examples")] {
        let shop = root.join("apps/shop");
        if !shop.is_symlink() {
            fs::remove_dir_all(&shop).unwrap();
        } else {
            fs::remove_file(&shop).unwrap();
        }
        symlink(&target, shop).unwrap();
        if target == theirs.source() {
            let (shown, told, status) = victim.preview(&[]);
            assert_eq!((shown.as_str(), status), ("", Some(2)), "{told}");
            assert!(told.contains("it is a symlink that leads out of the repository"), "{told}");
            continue;
        }
        assert_eq!(victim.preview(&[]), real(REAL), "{}", target.display());
        let absolute = root.join("apps/shop").display().to_string();
        for dir in [absolute.as_str(), "./apps/shop/", "apps/../apps/shop"] {
            let mut command = program::program(&root);
            command.args(["preview", "--plugin", dir, "--base", "HEAD", "--exit-code"]).env("PATH", real_path());
            let told = program::run(command, b"");
            assert!(told.text().starts_with(REAL), "{dir}: {}{}", told.text(), told.stderr);
        }
    }
    // A link that belongs to the user leads to the directory in the repository.
    let own = std::env::temp_dir().join(format!("argocd-jobs-own-link-{}", std::process::id()));
    symlink(root.join("apps"), &own).unwrap();
    let mut command = program::program(&victim.outside());
    command
        .args(["preview", "--plugin"])
        .arg(own.join("shop"))
        .args(["--base", "HEAD", "--exit-code"])
        .env("PATH", real_path());
    let told = program::run(command, b"");
    fs::remove_file(own).unwrap();
    assert_eq!((told.text().split_inclusive('\n').next(), told.stderr.as_str()), (Some(REAL), ""));
}

#[test]
fn a_submodule_is_compared_only_by_those_who_stand_in_it() {
    let victim = Victim::new();
    let root = victim.root();
    let theirs = Scratch::new();
    theirs.write("m.yaml", new_job());
    commit(&theirs.source());
    let removed = Command::new("git").arg("-C").arg(&root).args(["rm", "-r", "-f", "--quiet", "apps/shop"]).status();
    assert!(removed.unwrap().success());
    let mut git = Command::new("git");
    git.arg("-C").arg(&root).args(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--force"]);
    git.arg(theirs.source()).arg("apps/shop");
    git.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_ALLOW_PROTOCOL", "file")]);
    assert!(git.status().unwrap().success());
    let told = "apps/shop: in a submodule, which has revisions of its own\n\
                help: run argocd-jobs in the submodule, or compare with a directory\n";
    assert_eq!(victim.preview(&[]), (String::new(), told.to_owned(), Some(2)));
    let inside = |path: &Path| {
        let mut command = program::program(&root.join("apps/shop"));
        command.args(["preview", "--plugin", "--base", "HEAD", "--exit-code"]).env("PATH", path);
        program::run(command, b"")
    };
    assert_eq!(inside(Path::new(&real_path())).status, Some(0));
    // The `git` in the outer repository is ignored, too.
    victim.own_git("tools");
    assert!(inside(&root.join("tools")).stderr.contains("no usable `git` on PATH"));
    assert!(!victim.started().exists());
}

#[test]
fn a_repository_of_somebody_else_is_refused_until_ones_own_git_trusts_it() {
    let victim = Victim::new();
    if fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own)).ok() != Some(0) {
        return; // Only root can give a folder away.
    }
    for folder in ["", ".git"] {
        chown(victim.root().join(folder), Some(4711), Some(4711)).unwrap();
    }
    let home = victim.outside().join("home");
    fs::create_dir_all(home.join("git")).unwrap();
    let inside: [(&str, OsString); 3] = [
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "safe.directory".into()),
        ("GIT_CONFIG_VALUE_0", "*".into()),
    ];
    for environment in [&[][..], &inside, &[("HOME", home.clone().into())]] {
        let (printed, told, status) = victim.preview(environment);
        assert_eq!((printed.as_str(), status), ("", Some(2)), "{told}");
        let wanted = "apps/shop: git refuses: detected dubious ownership in repository at '";
        assert!(
            told.starts_with(wanted) && told.contains("\nhelp: `git config --global --add safe.directory "),
            "{told}"
        );
    }
    let trust = format!("[safe]\n\tdirectory = {}\n", fs::canonicalize(victim.root()).unwrap().display());
    fs::write(home.join("git/config"), &trust).unwrap();
    assert_eq!(victim.preview(&[("XDG_CONFIG_HOME", home.clone().into())]), real(REAL));
    fs::write(home.join(".gitconfig"), &trust).unwrap();
    assert_eq!(victim.preview(&[("HOME", home.into())]), real(REAL));
}
