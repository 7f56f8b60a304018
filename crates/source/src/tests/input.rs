//! A single file as the source, and the meaning of `--base`.

use std::sync::Arc;

use system::PathText;

use super::revision::{Repository, tools};
use super::*;

fn file(path: PathBuf) -> Request {
    Request { input: Input::File(path), ..Scratch::new().request() }
}

#[test]
fn a_file_is_read_as_a_file_of_a_directory_is_and_nothing_beside_it() {
    let scratch = Scratch::with(&["a.yaml", "b.yaml"]).file(".argocd-jobs.yaml", "ttl: 1\n").file("c.txt", "x: 1\n");
    assert_eq!(paths(file(scratch.0.join("b.yaml"))), ["b.yaml"]);
    let mut source = open(Input::File(scratch.0.join("a.yaml")), Tools::default()).unwrap();
    assert!(source.config_file().unwrap().is_none() && source.marker().is_none());
    for (name, reader) in [("a.yaml", Reader::DirectoryYaml), ("c.txt", Reader::Stream)] {
        assert_eq!(read(file(scratch.0.join(name))).unwrap()[0].reader, reader, "{name}");
    }
}

#[test]
fn the_name_of_a_file_in_messages_is_the_one_that_is_typed_or_shown() {
    let scratch = Scratch::with(&["app/a.yaml"]);
    let path = scratch.0.join("app/a.yaml");
    let surroundings =
        |shown_as: Option<&str>| Surroundings { shown_as: shown_as.map(PathBuf::from), ..Surroundings::default() };
    for (shown_as, expected) in
        [(None, path.shown().to_string()), (Some("x/a.yaml"), "x/a.yaml".into()), (Some("a.yaml"), "a.yaml".into())]
    {
        let source = Source::open(Input::File(path.clone()), &surroundings(shown_as)).unwrap();
        assert_eq!(source.shown_as(), PathBuf::from(&expected));
        let manifests = source.manifests(&ApplicationSettings::default()).unwrap();
        assert_eq!(manifests[0].origin.to_string(), expected);
    }
}

#[test]
fn a_file_that_links_out_of_the_repository_is_refused() {
    let scratch = Scratch::with(&["repo/.git/HEAD", "repo/b.yaml", "out.yaml"])
        .link("repo/in.yaml", "b.yaml")
        .link("repo/out.yaml", "../out.yaml");
    assert_eq!(read(file(scratch.0.join("repo/in.yaml"))).unwrap()[0].text, "repo/b.yaml");
    let message = scratch.error(file(scratch.0.join("repo/out.yaml")));
    assert!(message.starts_with("out.yaml: this symlink leads out of the repository\nhelp: "), "{message}");
}

#[test]
fn a_file_is_read_as_it_is_in_a_revision() {
    let repository =
        Repository::of(Scratch::with(&["repo/app/a.yaml", "repo/app/b.yaml"]).link("repo/app/l.yaml", "b.yaml"));
    fs::write(repository.path("app/a.yaml"), "new").unwrap();
    fs::write(repository.path("app/new.yaml"), "new").unwrap();
    assert_eq!(repository.read("app/a.yaml", "HEAD"), Ok(vec![("a.yaml".to_owned(), "repo/app/a.yaml".to_owned())]));
    assert_eq!(repository.read("app/l.yaml", "HEAD"), Ok(vec![("l.yaml".to_owned(), "repo/app/b.yaml".to_owned())]));
    assert_eq!(repository.read("app/new.yaml", "HEAD"), Ok(Vec::new()));
    let message = repository.read("app/a.yaml", "nope").unwrap_err();
    assert!(message.contains("`nope` is neither a path nor a commit in"), "{message}");
}

#[test]
fn a_base_is_what_has_the_name_on_disk_or_else_a_revision() {
    let scratch = Scratch::with(&["main/a.yaml"]);
    let main = scratch.0.join("main").shown().to_string();
    let base = |named: &str, path: Option<&str>| match base(named, path.map(Path::new), &tools(), &Arc::default()) {
        Ok(Input::Directory(dir)) => format!("directory {}", dir.shown()),
        Ok(Input::File(file)) => format!("file {}", file.shown()),
        Ok(Input::Revision { dir, revision }) => format!("{revision} of {}", dir.shown()),
        Ok(_) => unreachable!("a base is none of these"),
        Err(error) => error.to_string(),
    };
    for path in [Some("app"), Some("app/a.yaml"), None] {
        assert_eq!(base(&main, path), format!("directory {main}"));
        assert_eq!(base(&format!("{main}/a.yaml"), path), format!("file {main}/a.yaml"));
    }
    for (named, expected) in [("origin/main", "origin/main"), ("rev:main", "main"), (&format!("rev:{main}"), &main)] {
        assert_eq!(base(named, Some("app")), format!("{expected} of app"));
        assert!(base(named, None).starts_with(&format!("`{expected}` is not a file or directory, and standard input")));
    }
}

#[test]
fn a_base_that_is_a_path_and_a_revision_is_an_error() {
    let repository = Repository::of(Scratch::with(&["repo/a.yaml"]));
    // In the working directory these names are a file and a directory.
    for named in ["Cargo.toml", "src"] {
        repository.git(&["branch", named]);
        for path in ["", "a.yaml"] {
            let found = base(named, Some(&repository.path(path)), &tools(), &Arc::default());
            let Err(error) = found else { panic!("{named} is both") };
            assert!(error.to_string().starts_with(&format!("`{named}` is both a path and a Git revision\nhelp: ")));
        }
        assert!(base(named, None, &tools(), &Arc::default()).is_ok());
        assert!(base(&format!("./{named}"), Some(&repository.path("")), &tools(), &Arc::default()).is_ok());
    }
}
