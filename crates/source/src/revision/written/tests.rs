//! The files that are written for a revision.

use std::time::Duration;

use scratch::Scratch;
use system::{PathText, canonical};

use super::*;
use crate::tests::revision::{Repository, tools};
use crate::vfs::DirectoryName;

/// The files written for the last commit: each path with `/` for a folder, the content of a file, or the target of a
/// link.
fn written(repository: &Repository) -> Result<BTreeMap<String, String>, String> {
    let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
    let name = DirectoryName::new(repository.path(""), None);
    let mut revision = Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap();
    let scratch = Scratch::new();
    let root = canonical(&scratch.0).unwrap();
    let checkout = revision.write(root.clone(), Deadline::after(Duration::from_secs(60)));
    checkout.map_err(|error| error.to_string())?;
    let found = walkdir::WalkDir::new(&root).min_depth(1).into_iter().map(Result::unwrap).map(|entry| {
        let content = match entry.file_type() {
            kind if kind.is_dir() => "/".to_owned(),
            kind if kind.is_symlink() => format!("-> {}", fs::read_link(entry.path()).unwrap().shown()),
            _ => fs::read_to_string(entry.path()).unwrap(),
        };
        (entry.path().strip_prefix(&root).unwrap().shown().to_string(), content)
    });
    Ok(found.collect())
}

#[test]
fn files_are_as_they_are_in_git_without_filters() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    let repository = Repository::of(
        Scratch::with(&["repo/a/b/c.yaml"])
            .file(
                "repo/.gitattributes",
                "*.txt export-subst\n*.bin filter=lfs\n*.crlf text eol=crlf\nhidden export-ignore\n",
            )
            .file("repo/a.txt", "$Format:%H$ $Id$\n")
            .file("repo/l.bin", pointer)
            .file("repo/l.crlf", "a\nb\n")
            .file("repo/hidden", "x"),
    );
    repository.git(&["config", "filter.lfs.smudge", "false"]);
    let found = written(&repository).unwrap();
    for (path, expected) in
        [("a/b/c.yaml", "repo/a/b/c.yaml"), ("a.txt", "$Format:%H$ $Id$\n"), ("l.bin", pointer), ("l.crlf", "a\nb\n")]
    {
        assert_eq!(found[path], expected, "{path}");
    }
    assert_eq!((found["hidden"].as_str(), found["a/b"].as_str()), ("x", "/"));
    assert!(!found.keys().any(|path| path.starts_with(".git/")));
}

#[test]
fn links_that_lead_out_of_the_tree_or_nowhere_are_not_made() {
    let repository = Repository::of(
        Scratch::with(&["repo/d/e/f", "out"])
            .link("repo/in", "d/e/f")
            .link("repo/d/up", "../in")
            .link("repo/d/e/top", "../..")
            .link("repo/absolute", "/etc/passwd")
            .link("repo/climbing", "../out")
            // That these leave the tree shows only after `top` is followed.
            .link("repo/through", "d/e/top/../out")
            .link("repo/again", "through")
            .link("repo/git", "d/e/top/.git/config")
            .link("repo/dangling", "charts/../../out")
            .link("repo/loop", "loop"),
    );
    let found = written(&repository).unwrap();
    let links: Vec<_> = found.iter().filter(|(_, content)| content.starts_with("->")).collect();
    let links: Vec<_> = links.iter().map(|(path, target)| format!("{path} {target}")).collect();
    assert_eq!(links, ["d/e/top -> ../..", "d/up -> ../in", "in -> d/e/f"]);
}

#[test]
fn names_that_no_checkout_has_are_refused() {
    type Line<'l> = (&'l str, &'l str, &'l str);
    let repository = Repository::of(Scratch::with(&["repo/a"]));
    let scratch = Scratch::new();
    let blob = repository.git(&["rev-parse", "HEAD:a"]);
    let tree = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let raw = |id: &str| -> Vec<u8> {
        (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect()
    };
    let cases: [(&[Line<'_>], &str); 7] = [
        (&[("100644", "..", &blob)], "a file with the name `..`"),
        (&[("40000", "..", &tree)], "a file with the name `..`"),
        (&[("100644", "../out", &blob)], "a file with the name `../out`"),
        (&[("100644", ".git", &blob)], "a file with the name `.git`"),
        (&[("40000", ".GIT", &tree)], "a file with the name `.GIT`"),
        (&[("100644", "x", &blob), ("100644", "x", &blob)], "File exists"),
        (&[("120000", "x", &blob), ("40000", "x", &tree)], "File exists"),
    ];
    for (entries, expected) in cases {
        let line = |(mode, name, id): &(&str, &str, &str)| [format!("{mode} {name}\0").into_bytes(), raw(id)].concat();
        let content: Vec<u8> = entries.iter().flat_map(line).collect();
        let file = scratch.0.join("tree");
        fs::write(&file, content).unwrap();
        let id = repository.git(&["hash-object", "-t", "tree", "-w", "--literally", file.to_str().unwrap()]);
        let commit = repository.git(&["commit-tree", "-m", "x", &id]);
        repository.git(&["update-ref", "refs/heads/main", &commit]);
        let message = written(&repository).unwrap_err();
        assert!(message.contains(expected), "{entries:?}: {message}");
    }
}

#[test]
fn a_submodule_is_an_empty_folder() {
    let repository = Repository::of(Scratch::with(&["repo/a"]));
    let commit = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
    repository.git(&["commit", "--quiet", "--message=x"]);
    assert_eq!(written(&repository).unwrap()["sub"], "/");
}

#[test]
fn what_takes_too_long_or_is_too_large_ends() {
    let repository = Repository::of(Scratch::with(&["repo/a"]));
    let surroundings = Surroundings { tools: tools(), ..Surroundings::default() };
    let open = || {
        let name = DirectoryName::new(repository.path(""), None);
        Revision::open(name, "HEAD".to_owned(), &surroundings).unwrap()
    };
    let root = canonical(&Scratch::new().0).unwrap_or_default();
    let error = open().write(root, Deadline::after(Duration::ZERO)).err().unwrap();
    assert!(error.to_string().contains("could not be written in time\nhelp: "), "{error}");
    let scratch = Scratch::new();
    let mut checkout = Checkout {
        root: scratch.0.clone(),
        deadline: Deadline::after(Duration::from_secs(60)),
        left: 5,
        links: Vec::new(),
        outbound: BTreeSet::new(),
        missing: Arc::default(),
    };
    let mut revision = open();
    let tree = revision.commit.root.clone();
    let error = revision.write_tree(&tree, Path::new(""), &mut checkout).err().unwrap();
    assert!(error.to_string().contains("are larger than 1024 MiB\nhelp: "), "{error}");
    assert!(!scratch.0.join("a").exists());
}
