//! What only Unix has in a folder: pipes, sockets, and files that nobody may read.

use std::os::unix::fs::PermissionsExt;

use super::replaced::read_after;
use super::*;

#[test]
fn what_is_not_a_regular_file_is_never_opened() {
    let scratch = Scratch::with(&["a.yaml", ".git"]).link("linked.yaml", "socket.yaml").socket("socket.yaml");
    assert_eq!(paths(scratch.request()), ["a.yaml"]);
}

#[test]
fn a_config_file_that_is_a_socket_is_not_opened() {
    let scratch = Scratch::new().socket(CONFIG_FILE);
    assert!(matches!(config_file(&scratch.0), Err(Error::Unreadable { .. })));
}

#[test]
fn a_file_that_nobody_may_read_is_named() {
    let names: Vec<String> = (0..100).map(|number| format!("{number:02}.yaml")).collect();
    let scratch = Scratch::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    fs::set_permissions(scratch.0.join("70.yaml"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read every file.
    if fs::read(scratch.0.join("70.yaml")).is_err() {
        assert!(scratch.error(scratch.request()).starts_with("70.yaml: cannot be read"));
    }
}

#[test]
fn a_pipe_is_a_stream_with_its_own_name() {
    let scratch = Scratch::new().pipe("pipe");
    let pipe = scratch.0.join("pipe");
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, "kind: A\n---\nkind: B\n").unwrap()
    });
    let source = Source::open(Input::on_disk(pipe.clone()), &Surroundings::default()).unwrap();
    let manifests = source.manifests(&ApplicationSettings::default()).unwrap();
    writer.join().unwrap();
    assert_eq!((manifests[0].origin.to_string(), manifests[0].reader), (pipe.shown().to_string(), Reader::Stream));
    assert_eq!(manifests[0].text, "kind: A\n---\nkind: B\n");
}

#[test]
fn a_pipe_that_takes_the_place_of_a_file_is_not_waited_for() {
    let told = read_after(|dir| {
        fs::remove_file(dir.join("a.yaml")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(dir.join("a.yaml")).status().unwrap().success());
    });
    assert_eq!(told, Err("a.yaml: cannot be read: it is no longer a regular file".to_owned()));
}
