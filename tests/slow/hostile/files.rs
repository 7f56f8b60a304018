//! Hostile directories, files and streams: links, pipes, unreadable files, outputs that nobody reads.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use super::bounded::{Bounds, limited, shell};
use super::{config_map, job};
use crate::support::program::{self, Output};
use crate::support::scratch::Scratch;
use crate::support::switches;

/// Runs `generate` in the source directory of `scratch`.
fn generate_in(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = limited(Bounds::of(0), &[&["generate"], arguments].concat());
    command.current_dir(scratch.source());
    program::run(command, b"")
}

/// Fails unless `output` is a refusal whose message begins with `place`.
#[track_caller]
fn assert_refused_at(output: &Output, place: &str) {
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stdout.is_empty(), "something was printed");
    let message = output.stderr.strip_prefix("error: ").unwrap_or(&output.stderr);
    assert!(message.starts_with(place), "the message does not begin with `{place}`: {message}");
}

#[test]
fn a_link_out_of_the_repository_is_refused() {
    let outside = Scratch::new();
    let secret = outside.write("secret.yaml", config_map(" {secret: hunter2}"));
    let scratch = Scratch::new();
    scratch.write("a.yaml", config_map(" {}"));
    symlink(secret, scratch.source().join("b.yaml")).unwrap();
    let output = generate_in(&scratch, &[]);
    assert_refused_at(&output, "b.yaml");
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
}

#[test]
fn a_relative_link_out_of_the_repository_is_refused() {
    let scratch = Scratch::new();
    symlink("../../../../../../../../../../../../etc/passwd", scratch.source().join("b.yaml")).unwrap();
    assert_refused_at(&generate_in(&scratch, &[]), "b.yaml");
}

#[test]
fn a_link_to_a_link_out_of_the_repository_is_refused() {
    let scratch = Scratch::new();
    symlink("/etc", scratch.source().join("etc")).unwrap();
    symlink("etc/passwd", scratch.source().join("b.yaml")).unwrap();
    assert_refused_at(&generate_in(&scratch, &[]), "b.yaml");
}

#[test]
fn a_typed_folder_that_is_a_link_out_of_the_checkout_is_refused() {
    let outside = Scratch::new();
    outside.write("config.json", "{\"auths\": {\"registry.example.com\": {\"auth\": \"hunter2\"}}}");
    outside.write("job.yaml", job("outside"));
    let scratch = Scratch::new();
    scratch.write("app/job.yaml", job("inside"));
    symlink(outside.source(), scratch.source().join("deploy")).unwrap();
    symlink("app", scratch.source().join("linked")).unwrap();
    let upgrade = &["upgrade", "--from", "3.2"];
    for command in [&["check"][..], &["preview"], &["generate"], &["adopt"], upgrade] {
        for paths in [&["deploy"][..], &["deploy/config.json"], &["linked", "deploy"], &["deploy/.", "."]] {
            let mut run = limited(Bounds::of(0), &[command, paths].concat());
            run.current_dir(scratch.source());
            let output = program::run(run, b"");
            assert_eq!(output.status, Some(2), "{command:?} {paths:?}: {}{}", output.text(), output.stderr);
            assert!(!(output.text() + &output.stderr).contains("hunter2"), "{command:?} {paths:?}: {}", output.stderr);
            assert!(!output.text().contains("outside"), "{command:?} {paths:?}: {}", output.text());
        }
    }
    for command in ["check", "preview", "generate"] {
        let mut run = limited(Bounds::of(0), &[command, "linked"]);
        run.current_dir(scratch.source());
        let output = program::run(run, b"");
        assert!(output.text().contains("inside") && output.status != Some(2), "{command}: {}", output.stderr);
    }
}

#[test]
fn dangling_and_circular_links_are_passed_over_or_refused() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", config_map(" {}"));
    symlink("nowhere.yaml", scratch.source().join("b.yaml")).unwrap();
    let output = generate_in(&scratch, &[]);
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(output.text(), config_map(" {}"));
    symlink("c.yaml", scratch.source().join("c.yaml")).unwrap();
    let output = generate_in(&scratch, &[]);
    assert!(matches!(output.status, Some(0 | 2)), "{}", output.stderr);
}

#[test]
fn a_folder_that_links_to_its_parent_is_not_followed() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", config_map(" {}"));
    symlink("..", scratch.source().join("up")).unwrap();
    let output = generate_in(&scratch, &["--recurse"]);
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(output.text(), config_map(" {}"));
}

#[test]
fn a_folder_named_like_a_manifest_is_passed_over() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", config_map(" {}"));
    fs::create_dir(scratch.source().join("b.yaml")).unwrap();
    let output = generate_in(&scratch, &[]);
    assert!(output.is_quiet_success(), "{}", output.stderr);
}

#[test]
fn a_pipe_named_like_a_manifest_does_not_hang() {
    let scratch = Scratch::new();
    scratch.write("a.yaml", config_map(" {}"));
    let made = Command::new("mkfifo").arg(scratch.source().join("x.yaml")).status().unwrap();
    assert!(made.success(), "mkfifo");
    let mut command = shell("exec timeout 10 \"$0\" generate");
    command.arg(switches::program()).current_dir(scratch.source());
    let output = program::run(command, b"");
    match output.status {
        Some(0) => assert_eq!(output.text(), config_map(" {}")),
        _ => assert_refused_at(&output, "x.yaml"),
    }
}

#[test]
fn a_file_that_may_not_be_read_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.write("a.yaml", config_map(" {}"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read everything, so there is nothing to test.
    if File::open(&path).is_err() {
        assert_refused_at(&generate_in(&scratch, &[]), "a.yaml");
    }
}

#[test]
fn a_deep_tree_of_folders_is_walked() {
    let scratch = Scratch::new();
    scratch.write(&format!("{}a.yaml", "d/".repeat(300)), config_map(" {}"));
    let output = generate_in(&scratch, &["--recurse"]);
    assert!(output.is_quiet_success(), "{}", output.stderr);
    assert_eq!(output.text(), config_map(" {}"));
}

#[test]
fn a_file_name_with_odd_characters_is_shown_on_one_line() {
    let scratch = Scratch::new();
    scratch.write("a\nb\u{1b}[31m.yaml", "apiVersion: v1\nkind: [\nmetadata:\n");
    let output = generate_in(&scratch, &[]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(!output.stderr.contains('\u{1b}'), "an escape sequence reaches the terminal: {:?}", output.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let jobs: String = (0..1_000).map(|number| format!("---\n{}", job(&format!("j{number}")))).collect();
    let scratch = Scratch::new();
    let input = scratch.write("jobs.yaml", jobs);
    let mut child = Command::new(switches::program())
        .args(["generate", "-"])
        .stdin(File::open(input).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_full_disk_is_an_error() {
    let mut command = shell("exec \"$0\" generate - > /dev/full");
    command.arg(switches::program());
    let output = program::run(command, job("a").as_bytes());
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(!output.stderr.is_empty());
}

#[test]
fn no_sub_command_is_an_error_even_if_nobody_can_be_told() {
    let mut command = shell("exec \"$0\" 2> /dev/full");
    command.arg(switches::program());
    assert_eq!(program::run(command, b"").status, Some(2));
}

#[test]
fn a_closed_standard_input_is_an_empty_one() {
    let mut command = shell("exec \"$0\" generate - <&-");
    command.arg(switches::program());
    assert_refused_at(&program::run(command, b""), "<stdin>");
}

#[test]
fn a_closed_standard_error_changes_nothing() {
    let mut command = shell("exec \"$0\" generate - 2>&-");
    command.arg(switches::program());
    let output = program::run(command, b"kind: [");
    assert_eq!((output.status, output.stdout.len()), (Some(2), 0));
}

#[test]
fn an_empty_pipe_beside_a_file_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("jobs.yaml", config_map(" {}"));
    for path in ["/dev/null", "comments.yaml"] {
        scratch.write("comments.yaml", "# nothing\n");
        let mut command = limited(Bounds::of(0), &["check", "jobs.yaml", path]);
        command.current_dir(scratch.source());
        let output = program::run(command, b"");
        // The program that writes to the pipe may have failed, but a file may be empty on purpose.
        assert_eq!(output.status, Some(i32::from(path == "/dev/null")), "{}", output.text());
    }
}
